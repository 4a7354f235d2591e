package event_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

func TestEVT08_who_may_see_what(t *testing.T) {
	const self, contact, stranger, blocked = subscription.Self, subscription.Contact, subscription.Stranger, subscription.Blocked
	for _, c := range []struct {
		status     event.Status
		permission event.Permission
		seenBy     []subscription.Relation
	}{
		{event.Draft, event.Public, []subscription.Relation{self}},
		{event.Draft, event.Contact, []subscription.Relation{self}},
		{event.Draft, event.Private, []subscription.Relation{self}},
		{event.Normal, event.Public, []subscription.Relation{self, contact, stranger}},
		{event.Normal, event.Contact, []subscription.Relation{self, contact}},
		{event.Normal, event.Private, []subscription.Relation{self}},
	} {
		e := restored(t, func(s *event.State) { s.Status, s.Permission = c.status, c.permission })
		for _, r := range []subscription.Relation{self, contact, stranger, blocked} {
			want := false
			for _, seer := range c.seenBy {
				want = want || seer == r
			}
			assert.Equal(t, want, e.VisibleTo(r), "status %d, permission %d, %v", c.status, c.permission, r)
		}
	}
}

func TestEVT07_reading_and_writing(t *testing.T) {
	shown := restored(t, func(s *event.State) { s.Permission = event.Contact })
	assert.NoError(t, shown.CheckRead(subscription.Contact))
	assert.Same(t, event.ErrNotFound, shown.CheckRead(subscription.Stranger))
	assert.NoError(t, shown.CheckWrite(subscription.Self))
	assert.Same(t, event.ErrNotAuthor, shown.CheckWrite(subscription.Contact))
	assert.Same(t, event.ErrNotFound, shown.CheckWrite(subscription.Stranger))
}

func TestFED04_only_public_published_events_are_listed(t *testing.T) {
	for _, status := range event.Statuses() {
		for _, permission := range event.Permissions() {
			e := restored(t, func(s *event.State) {
				s.Status, s.Permission, s.Category = status, permission, 4
			})
			l, listed := e.Listing()
			assert.Equal(t, e.VisibleTo(subscription.Stranger), listed)
			if listed {
				assert.EqualValues(t, 4, l.Category)
				assert.EqualValues(t, e.ID(), l.ID)
				assert.Equal(t, e.State().Modified, l.Updated)
			}
		}
	}
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func stateOf() event.State {
	return event.State{
		ID: 7, Author: 1, Date: calendar.DateOf(noon), Title: "A walk by the lake",
		Status: event.Normal, Created: noon, Modified: noon, Published: noon,
	}
}

func restored(t *testing.T, but func(*event.State)) *event.Event {
	t.Helper()
	s := stateOf()
	but(&s)
	e, err := event.Restore(s)
	require.NoError(t, err)
	return e
}

func TestRestore_refuses_what_breaks_an_invariant(t *testing.T) {
	for name, breakIt := range map[string]func(*event.State){
		"no id":             func(s *event.State) { s.ID = 0 },
		"no author":         func(s *event.State) { s.Author = 0 },
		"no date":           func(s *event.State) { s.Date = calendar.Date{} },
		"no creation":       func(s *event.State) { s.Created = time.Time{} },
		"an odd status":     func(s *event.State) { s.Status = 50 },
		"an odd permission": func(s *event.State) { s.Permission = 50 },
		"published, empty":  func(s *event.State) { s.Title = "" },
		"published, never":  func(s *event.State) { s.Published = time.Time{} },
		"31 plates":         func(s *event.State) { s.Plates = make([]event.Plate, 31) },
	} {
		s := stateOf()
		breakIt(&s)
		_, err := event.Restore(s)
		require.Error(t, err, name)
		assert.Equal(t, fault.Internal, fault.KindOf(err), name)
	}
}

func TestState_and_Restore_share_nothing(t *testing.T) {
	s := stateOf()
	s.Plates = []event.Plate{{ID: 1, Photo: "a"}}
	e, err := event.Restore(s)
	require.NoError(t, err)
	s.Plates[0].Photo = "b"
	out := e.State()
	out.Plates[0].Photo = "c"
	assert.EqualValues(t, "a", e.State().Plates[0].Photo)
}

func TestEVT19_who_may_delete_a_comment(t *testing.T) {
	c := event.Comment{Author: 2}
	for who, may := range map[user.ID]bool{0: false, 1: true, 2: true, 3: false} {
		assert.Equal(t, may, c.RemovableBy(who, 1), "%d", who)
	}
}
