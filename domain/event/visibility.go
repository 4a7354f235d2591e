package event

import (
	"slices"

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

// hiddenDraft is the Withheld status of a hidden event that was a draft. That of one that was published is Normal.
const hiddenDraft Status = 1

// Statuses returns every status.
func Statuses() []Status { return []Status{Draft, Normal} }

// StatusPermission is a status with a permission.
type StatusPermission struct {
	Status     Status
	Permission Permission
}

// VisibleStates returns the rule of visibility (EVT-08) as a value: the statuses and
// permissions that a viewer with the relation may see. Stores build their queries from it.
func VisibleStates(r subscription.Relation) []StatusPermission {
	switch r {
	case subscription.Self:
		var all []StatusPermission
		for _, s := range Statuses() {
			for _, p := range Permissions() {
				all = append(all, StatusPermission{s, p})
			}
		}
		return all
	case subscription.Contact:
		return []StatusPermission{{Normal, Public}, {Normal, Contact}}
	case subscription.Blocked:
		return nil // MOD-02
	default:
		return []StatusPermission{{Normal, Public}}
	}
}

// VisibleTo reports whether a viewer with the relation to the author may see an event in
// the state.
func (s StatusPermission) VisibleTo(r subscription.Relation) bool {
	return slices.Contains(VisibleStates(r), s)
}

// VisibleTo reports whether a viewer with the relation to the author may see the
// event.
func (e *Event) VisibleTo(r subscription.Relation) bool {
	return StatusPermission{e.s.Status, e.s.Permission}.VisibleTo(r)
}

// CheckRead returns nil if the viewer may see the event, else ErrNotFound (EVT-07).
func (e *Event) CheckRead(r subscription.Relation) error {
	if !e.VisibleTo(r) {
		return ErrNotFound
	}
	return nil
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
