package event

import (
	"slices"

	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/subscription"
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

// IsHidden reports whether staff have hidden the event.
func (e *Event) IsHidden() bool { return e.s.IsHidden }

// Turn shows the event to its author alone, or again to those who could see it, with what its author changed meanwhile. All its
// plates move. It returns moderation.ErrHidden or ErrNotHidden if nothing changes.
func (e *Event) Turn(isHidden bool, moves media.Moves) (err error) {
	if e.s.IsHidden, err = moderation.Turned(e.s.IsHidden, isHidden); err != nil {
		return err
	}
	for i := range e.s.Plates {
		p := &e.s.Plates[i]
		if p.Photo, err = moves.Of(p.Photo); err != nil {
			return err
		}
	}
	return nil
}
