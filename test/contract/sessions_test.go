package contract

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sessionRows show AUT-13.
var sessionRows = []row{
	{"AUT-13 a changed password ends all other keys", changedPasswordEndsOtherKeys, everyStore},
	{"AUT-13 a wrong old password counts as a failed login", wrongOldPasswordCounts, oneStore},
	{"AUT-13 passwords that can not be set", unusablePasswords, oneStore},
	{"AUT-13 keys are listed without the keys", keysAreListed, everyStore},
	{"AUT-13 a key is ended by its owner alone", keysAreEnded, everyStore},
	{"AUT-13 a narrowed key opens neither", narrowedKeysOpenNeither, oneStore},
}

const (
	passwordPath = "/api/user/password/"
	sessions     = "/api/user/session/"
	newPassword  = "another-kettle-and-cups"
)

func sessionPath(id int) string { return fmt.Sprintf("%s%d/", sessions, id) }

func (c *client) changesPassword(t *testing.T, old, new string) answer {
	t.Helper()
	return c.send(t, "PUT", passwordPath, object{"old_password": old, "new_password": new})
}

func changedPasswordEndsOtherKeys(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	others := []string{s.anyone().gets(t, ada), s.anyone().gets(t, ada, "xfile_event")}
	ada.changesPassword(t, password, newPassword).is(204)
	ada.get(t, profile).is(200)
	bob.get(t, profile).is(200)
	for _, key := range others {
		s.with(key).get(t, profile).fails(401, "AUTHENTICATION_FAILED")
	}
	s.anyone().logsIn(t, ada.phone, password).invalid("non_field_errors")
	s.anyone().logsIn(t, ada.phone, newPassword).is(200)
	ada.changesPassword(t, newPassword, password).is(204)
	ada.get(t, profile).is(200)
	assert.Equal(t, 1, ada.get(t, sessions).is(200).int("pagination.total_count"))
}

func wrongOldPasswordCounts(t *testing.T, s *server) {
	ada := s.member(t)
	for range 5 {
		ada.changesPassword(t, "not-this-one", newPassword).invalid("old_password")
	}
	ada.changesPassword(t, password, newPassword).throttled()
	s.anyone().logsIn(t, ada.phone, password).throttled()
	ada.get(t, profile).is(200)
	s.clock.advance(15 * time.Minute)
	s.anyone().logsIn(t, ada.phone, password).is(200)
}

func unusablePasswords(t *testing.T, s *server) {
	ada := s.member(t)
	for range 10 { // none of them counts as a failed login
		ada.changesPassword(t, "not-this-one", "short").invalid("new_password")
		ada.changesPassword(t, "not-this-one", ada.phone).invalid("new_password")
	}
	ada.send(t, "PUT", passwordPath, object{}).invalid("old_password", "new_password")
	ada.send(t, "PUT", passwordPath, object{"old_password": 1, "new_password": nil}).invalid("old_password", "new_password")
	ada.send(t, "PUT", passwordPath, "[]").invalid("non_field_errors")
	s.anyone().logsIn(t, ada.phone, password).is(200)
}

func keysAreListed(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	s.clock.advance(time.Hour)
	narrowed := s.with(s.anyone().gets(t, ada, "xfile_event"))
	s.issue(t, ada, 30*time.Minute)
	s.clock.advance(time.Hour)
	narrowed.get(t, profile).is(200)
	listed := ada.get(t, sessions).is(200)
	require.Equal(t, 2, listed.int("pagination.total_count"), "one has expired")
	listed.hasFields("data.0", []string{"id", "scopes", "created_at", "last_used_at", "current"})
	assert.Equal(t, []any{"xfile_event"}, listed.list("data.0.scopes"))
	assert.Equal(t, false, listed.at("data.0.current"))
	assert.Equal(t, "2026-11-20T13:00:00.000000Z", listed.text("data.0.created_at"))
	assert.Equal(t, "2026-11-20T14:00:00.000000Z", listed.text("data.0.last_used_at"))
	assert.Equal(t, true, listed.at("data.1.current"))
	assert.NotContains(t, string(listed.body), "plz_")
	second := ada.get(t, sessions+"?page_size=1&page=2").is(200)
	assert.Len(t, second.list("data"), 1)
	assert.Equal(t, listed.int("data.1.id"), second.int("data.0.id"))
	ada.get(t, sessions+"?page=3&page_size=1").fails(404, "RESOURCE_NOT_FOUND")
	assert.Equal(t, 1, bob.get(t, sessions).is(200).int("pagination.total_count"))
}

func keysAreEnded(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	other := s.with(s.anyone().gets(t, ada))
	id := other.get(t, sessions).is(200).int("data.0.id")
	for _, none := range []int{id, 4711} {
		bob.delete(t, sessionPath(none)).fails(404, "RESOURCE_NOT_FOUND")
	}
	other.get(t, profile).is(200)
	ada.delete(t, sessionPath(id)).is(204)
	other.get(t, profile).fails(401, "AUTHENTICATION_FAILED")
	ada.delete(t, sessionPath(id)).fails(404, "RESOURCE_NOT_FOUND")
	ada.delete(t, sessionPath(ada.get(t, sessions).is(200).int("data.0.id"))).is(204)
	ada.get(t, profile).fails(401, "AUTHENTICATION_FAILED")
}

func narrowedKeysOpenNeither(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.get(t, sessions).is(200).int("data.0.id")
	for _, scopes := range [][]string{{"xfile_event"}, ordinary} {
		narrowed := s.with(s.anyone().gets(t, ada, scopes...))
		narrowed.changesPassword(t, password, newPassword).fails(403, "PERMISSION_DENIED")
		narrowed.get(t, sessions).fails(403, "PERMISSION_DENIED")
		narrowed.delete(t, sessionPath(id)).fails(403, "PERMISSION_DENIED")
	}
	s.anyone().logsIn(t, ada.phone, password).is(200)
}
