package event

import (
	"context"
	"errors"
	"slices"

	"plaza/domain/subscription"
	"plaza/domain/user"
)

// Permission is the audience of a published event.
type Permission int

// The permissions of the interface.
const (
	Public  Permission = 0   // anyone with the scope; anonymous readers of the feed see counts of them
	Contact Permission = 100 // the author's contacts
	Private Permission = 200 // only the author
)

// Permissions returns every permission, the least restrictive first.
func Permissions() []Permission { return []Permission{Public, Contact, Private} }

// Status is whether an event is a draft or published.
type Status int64

// The statuses of the interface.
const (
	Draft  Status = 0
	Normal Status = 100 // published
)

// Statuses returns every status.
func Statuses() []Status { return []Status{Draft, Normal} }

// Exposure is what decides, with the relation of a viewer to the author, whether the viewer may see an event.
type Exposure struct {
	Status     Status
	Permission Permission
	IsHidden   bool
}

// Exposure returns the exposure of the event.
func (s State) Exposure() Exposure { return Exposure{s.Status, s.Permission, s.IsHidden} }

// VisibleStates returns the rule of visibility (EVT-08, MOD-03) as a value: the exposures of the events that a viewer with
// the relation may see.
func VisibleStates(r subscription.Relation) []Exposure {
	switch r {
	case subscription.Self:
		var all []Exposure
		for _, s := range Statuses() {
			for _, p := range Permissions() {
				all = append(all, Exposure{s, p, false}, Exposure{s, p, true})
			}
		}
		return all
	case subscription.Contact:
		return []Exposure{{Status: Normal, Permission: Public}, {Status: Normal, Permission: Contact}}
	case subscription.Blocked:
		return nil // MOD-02
	default:
		return []Exposure{{Status: Normal, Permission: Public}}
	}
}

// VisibleTo reports whether a viewer with the relation to the author may see an event with
// the exposure.
func (s Exposure) VisibleTo(r subscription.Relation) bool {
	return slices.Contains(VisibleStates(r), s)
}

// CheckRead returns nil if a viewer with the relation to the author may see an event with the exposure, else ErrNotFound (EVT-07).
func (s Exposure) CheckRead(r subscription.Relation) error {
	if !s.VisibleTo(r) {
		return ErrNotFound
	}
	return nil
}

// VisibleTo reports whether a viewer with the relation to the author may see the
// event.
func (e *Event) VisibleTo(r subscription.Relation) bool {
	return e.s.Exposure().VisibleTo(r)
}

// CheckRead returns nil if the viewer may see the event, else ErrNotFound (EVT-07).
func (e *Event) CheckRead(r subscription.Relation) error {
	return e.s.Exposure().CheckRead(r)
}

// CheckWrite returns nil for the author, ErrNotAuthor for other viewers who may see
// the event, and ErrNotFound for everyone else (EVT-07).
func (e *Event) CheckWrite(r subscription.Relation) error {
	if err := e.CheckRead(r); err != nil {
		return err
	}
	if r != subscription.Self {
		return ErrNotAuthor
	}
	return nil
}

// The purposes. A person may report in spite of a block (MOD-01).
const (
	ToRead Purpose = iota
	ToReport
)

// Purpose is what a viewer looks at an event for.
type Purpose int

// See returns the likes of the event if the viewer may see it for the purpose. Any other event is ErrNotFound.
func See(ctx context.Context, d Discussion, on ID, viewer user.ID, p Purpose) (Liking, error) {
	likings, err := d.Likings(ctx, []ID{on}, viewer)
	if err != nil {
		return Liking{}, err
	}
	likes, exists := likings[on]
	if !exists {
		return Liking{}, ErrNotFound
	}
	if p == ToReport {
		likes.Relation = likes.Relation.WithoutBlocks()
	}
	return likes, likes.CheckRead()
}

// SeeComment returns a comment on an event that the viewer may See, and the likes of the event. Any other comment is
// ErrNoComment, and one that is hidden from the viewer. A block hides it from lists alone: the event's author may delete it.
func SeeComment(ctx context.Context, d Discussion, id CommentID, viewer user.ID, p Purpose) (Comment, Liking, error) {
	c, err := d.Comment(ctx, id)
	if err != nil {
		return Comment{}, Liking{}, err
	}
	on, err := See(ctx, d, c.Event, viewer, p)
	if errors.Is(err, ErrNotFound) || err == nil && !c.VisibleTo(viewer, subscription.Stranger) {
		err = ErrNoComment
	}
	return c, on, err
}
