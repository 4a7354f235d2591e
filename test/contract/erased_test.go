package contract

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// erasedRows show what clients see of a user whose data was erased.
var erasedRows = []row{
	{"USR-02 an erased user is unknown", erasedIsUnknown, everyStore},
	{"EVT-17 counts are exact after an erasure", erasedCounts, everyStore},
}

// erases erases the data of the person.
func (s *server) erases(t *testing.T, p person) {
	t.Helper()
	_, err := s.app.Privacy.Erase(t.Context(), p.id)
	require.NoError(t, err)
}

func erasedIsUnknown(t *testing.T, s *server) {
	ada, bob, staff := s.member(t), s.member(t), s.staff(t)
	event := ada.publishes(t, "A day at the sea")
	bob.follows(t, ada)
	ada.follows(t, bob)
	s.erases(t, ada)

	sameJSON(t, []any{bob.id}, s.anyone().looksUp(t, ada.id, bob.id).each("data", "uid"))
	bob.get(t, eventPath(event)).fails(http.StatusNotFound, "RESOURCE_NOT_FOUND")
	bob.get(t, eventsOf(ada)).fails(http.StatusNotFound, "RESOURCE_NOT_FOUND")
	bob.post(t, subscriptions, object{"followed_user": ada.id}).invalid("followed_user")
	assert.Empty(t, bob.get(t, subscriptions).is(http.StatusOK).list("data"))
	assert.Empty(t, bob.get(t, followers).is(http.StatusOK).list("data"))
	draft := draftFor(ada)
	staff.post(t, newOrder, draft).invalid("user")
	ada.get(t, profile).fails(http.StatusUnauthorized, "AUTHENTICATION_FAILED")
	s.anyone().logsIn(t, ada.phone, password).invalid("non_field_errors")
	require.Error(t, s.app.Signin.SetDisabled(t.Context(), ada.id, false), "it stays closed")
	assert.Empty(t, s.anyone().get(t, imagesOf(ada)).is(http.StatusOK).list("data"))
}

func erasedCounts(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	event := bob.publishes(t, "A day in the hills")
	other := bob.publishes(t, "Another day")
	bob.comments(t, event, "First")
	for range 25 { // more than one batch
		ada.comments(t, event, "Oh")
	}
	ada.comments(t, other, "Ah")
	for _, p := range []person{ada, bob} {
		p.put(t, likePath(event)).is(http.StatusNoContent)
	}
	bob.reads(t, event).shows(object{"comment_count": 26, "like_count": 2})
	s.erases(t, ada)
	got := bob.reads(t, event).shows(object{"comment_count": 1, "like_count": 1})
	assert.Equal(t, []string{"First"}, got.column("data.comments", "content"))
	bob.reads(t, other).shows(object{"comment_count": 0})
	assert.Equal(t, words(event), bob.get(t, recent).is(http.StatusOK).column("data", "id"), "EVT-12: never commented any more")
}
