package event

import (
	"slices"

	"plaza/domain/subscription"
)

// Permission says who may see a published event.
type Permission int

// The permissions of the interface.
const (
	Public  Permission = 0   // anyone with the scope
	Contact Permission = 100 // the author's contacts
	Private Permission = 200 // the author alone
)

// Permissions returns every permission, the widest first.
func Permissions() []Permission { return []Permission{Public, Contact, Private} }

// Status says whether an event is published.
type Status int

// The states of the interface.
const (
	Draft  Status = 0
	Normal Status = 100 // published
)

// Statuses returns every state.
func Statuses() []Status { return []Status{Draft, Normal} }

// StatusPermission is one way in which an event can stand: a state and a permission.
type StatusPermission struct {
	Status     Status
	Permission Permission
}

// VisibleStates is the rule of visibility (EVT-08) as a value: the showings that the
// relation lets a viewer see. Stores build their queries from it.
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
	default:
		return []StatusPermission{{Normal, Public}}
	}
}

// VisibleTo says whether somebody with the relation to the author may see the
// event.
func (e *Event) VisibleTo(r subscription.Relation) bool {
	return slices.Contains(VisibleStates(r), StatusPermission{e.s.Status, e.s.Permission})
}

// CheckRead is nil for those who may see the event; for anyone else there is no
// such event (EVT-07).
func (e *Event) CheckRead(r subscription.Relation) error {
	if !e.VisibleTo(r) {
		return ErrNotFound
	}
	return nil
}

// CheckWrite is nil for the author. Those who may see the event learn that they
// must not change it; for anyone else there is no such event (EVT-07).
func (e *Event) CheckWrite(r subscription.Relation) error {
	if err := e.CheckRead(r); err != nil {
		return err
	}
	if r != subscription.Self {
		return ErrNotAuthor
	}
	return nil
}
