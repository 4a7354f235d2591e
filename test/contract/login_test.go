package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/signin"
	"plaza/bootstrap/settings"
	"plaza/domain/access"
)

var loginRows = slices.Concat([]row{
	{"AUT-02 who does not get in learns nothing of why", nothingOfWhy, oneStore},
	{"AUT-03 a username of another form is refused by name", otherUsernames, oneStore},
	{"AUT-04 AUT-05 the header Authorization in all its forms", headerForms, oneStore},
	{"AUT-08 login grants all scopes or those named", grantedScopes, oneStore},
	{"AUT-09 how long is a setting", keysLiveAsSet, everyServer},
	{"AUT-01 AUT-10 logging out revokes the key that a login gave, and no other", logsOut, everyServer},
	{"AUT-13 a changed password ends all other keys", changedPasswordEndsOtherKeys, everyStore},
	{"AUT-13 AUT-18 USR-07 a wrong password counts as a failed login", wrongPasswordsCount, oneStore},
	{"AUT-13 passwords that can not be set", unusablePasswords, oneStore},
	{"AUT-13 keys are listed without the keys", keysAreListed, everyStore},
	{"AUT-13 a key is ended by its owner alone", keysAreEnded, everyStore},
}, throttleRows)

// logsIn tries to log in from where the client is.
func (c *client) logsIn(t *testing.T, phone, password string, scopes ...string) answer {
	t.Helper()
	body := object{"username": phone, "password": password}
	if scopes != nil {
		body["scope"] = scopes
	}
	return c.post(t, login, body)
}

func (c *client) gets(t *testing.T, p person, scopes ...string) string {
	t.Helper()
	return c.logsIn(t, p.phone, password, scopes...).is(http.StatusOK).text("data.key")
}

func (c *client) wrongly(t *testing.T, phone string) answer {
	t.Helper()
	return c.logsIn(t, phone, "not-this-one")
}

const keyForm = `^[a-z]{2,8}_[A-Za-z0-9_-]{43}$` // 32 bytes in base64, recognisable

func nothingOfWhy(t *testing.T, s *server) {
	ada, shut := s.member(t), s.member(t)
	require.NoError(t, s.app.Signin.SetDisabled(t.Context(), shut.id, true))
	want := `{"error": true, "code": "VALIDATION_EXCEPTION", "data": {"non_field_errors": ["Unable to log in with provided credentials."]}}`
	for name, a := range map[string]answer{
		"an unknown user":    s.anyone().logsIn(t, "+86-13999999999", password),
		"a wrong password":   s.anyone().wrongly(t, ada.phone),
		"a disabled account": s.anyone().logsIn(t, shut.phone, password),
		"disabled and wrong": s.anyone().wrongly(t, shut.phone),
	} {
		a.invalid("non_field_errors")
		assert.JSONEq(t, want, string(a.body), name)
		assert.Empty(t, a.header.Get("WWW-Authenticate"), name)
	}
	require.NoError(t, s.app.Signin.SetDisabled(t.Context(), shut.id, false))
	s.anyone().gets(t, shut)
}

func otherUsernames(t *testing.T, s *server) {
	for _, other := range []string{
		"ada", "+8613900000001", "86-13900000001", "+86 13900000001", "+86-", "+86-139-0000-0001", "+999-13900000001", "+861-3900000001",
		"+86-013900000001", "+44-07418084106", "+86-１３９００００００１", "+86-1390000000100000000",
	} {
		s.anyone().logsIn(t, other, password).invalid("username")
	}
}

func headerForms(t *testing.T, s *server) {
	ada, shut := s.member(t), s.member(t)
	revoked, old := s.anyone().gets(t, ada), s.issue(t, ada, time.Hour)
	s.with(revoked).post(t, logout, nil).is(204)
	require.NoError(t, s.app.Signin.SetDisabled(t.Context(), shut.id, true))
	s.clock.advance(time.Hour)

	says := func(header string) answer { return s.anyone().saying("Authorization", header).get(t, profile) }
	for _, scheme := range []string{"Token", "token", "TOKEN", "tOkEn", "Bearer", "bearer", "BEARER"} {
		assert.Equal(t, int(ada.id), says(scheme+" "+ada.key).is(200).int("data.uid"))
	}
	for _, none := range []string{"", " ", ada.key, "Basic YWRhOmFkYQ==", "Tokens " + ada.key, "Bearers " + ada.key, "Bearer" + ada.key,
		"Token" + ada.key, "x Token " + ada.key} {
		says(none).fails(401, "NOT_AUTHENTICATED")
	}
	s.anyone().get(t, profile).fails(401, "NOT_AUTHENTICATED")
	unknown := access.NewKey().Reveal()
	for _, bad := range []string{
		"Token", "token", "Token ", "Token x", "Token " + ada.key + " " + ada.key, "Token " + ada.key + "x", "Token " + ada.key[:len(ada.key)-1],
		"Token " + strings.ToUpper(ada.key), "Token Token " + ada.key, "Token " + unknown, "Token é", "Token " + strings.Repeat("x", 20_000),
		"Token " + revoked, "Token " + old, "Token " + shut.key, "Bearer", "Bearer x", "Bearer Token " + ada.key, "Bearer " + revoked,
	} {
		a := says(bad).fails(401, "AUTHENTICATION_FAILED")
		assert.Equal(t, "Token", a.header.Get("WWW-Authenticate"))
	}
}

func (s *server) issue(t *testing.T, p person, ttl time.Duration, scopes ...string) string {
	t.Helper()
	key, err := s.app.Signin.Issue(t.Context(), p.id, scopes, ttl)
	require.NoError(t, err)
	return key.Reveal()
}

func grantedScopes(t *testing.T, s *server) {
	ada := s.member(t)
	part := s.member(t, func(r *signin.Registration) { r.Scopes = []string{"writing_bundle", "xfile_event"} })
	all := []any{"xfile_event", "writing_bundle", "pay_trade_order"}
	assert.ElementsMatch(t, all, ada.get(t, profile).is(200).list("data.scopes"), "a new account has all three")
	for _, c := range []struct {
		who    person
		scopes []string
		status int
	}{
		{ada, nil, 200}, {ada, []string{"pay_trade_order", "xfile_event", "xfile_event"}, 200}, {ada, []string{"writing_bundle"}, 403},
		{part, nil, 200}, {part, []string{"xfile_event"}, 200},
	} {
		s.with(s.anyone().gets(t, c.who, c.scopes...)).get(t, events).is(c.status)
	}
	for _, lacking := range [][]string{{"xfile_event", "pay_trade_order"}, {"root"}, {""}, {"xfile_event", "XFILE_EVENT"}} {
		s.anyone().logsIn(t, part.phone, password, lacking...).invalid("scope")
	}
	s.anyone().logsIn(t, part.phone, "not-this-one", "pay_trade_order").invalid("non_field_errors") // what it lacks is not for strangers
}

const day = 24 * time.Hour

func keysLiveAsSet(t *testing.T, s *server) {
	s = s.on.startWith(t, func(c *settings.Config) { c.TokenTTL = 2 * time.Hour })
	ada := s.member(t)
	key := s.with(s.anyone().gets(t, ada))
	for range 3 {
		s.clock.advance(119 * time.Minute)
		key.get(t, profile).is(200)
	}
	s.clock.advance(2 * time.Hour)
	key.get(t, profile).fails(401, "AUTHENTICATION_FAILED")
}

func logsOut(t *testing.T, s *server) {
	ada := s.member(t)
	key := s.with(s.anyone().gets(t, ada))
	assert.Empty(t, key.post(t, logout, nil).is(204).body)
	key.get(t, profile).fails(401, "AUTHENTICATION_FAILED")
	key.post(t, logout, nil).fails(401, "AUTHENTICATION_FAILED")
	s.anyone().post(t, logout, nil).fails(401, "NOT_AUTHENTICATED")
	ada.get(t, profile).is(200)
	s.with(s.anyone().gets(t, ada)).get(t, profile).is(200)
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

func wrongPasswordsCount(t *testing.T, s *server) {
	for field, act := range map[string]func(p person, password, code string) answer{
		"old_password": func(p person, password, _ string) answer { return p.changesPassword(t, password, newPassword) },
		"erase": func(p person, password, code string) answer {
			return p.post(t, erasePath, object{"password": password, "code": code})
		},
		"change_phone": func(p person, password, code string) answer {
			return p.send(t, "PUT", phonePath, object{"username": newcomer(1), "password": password, "code": code})
		},
	} {
		ada := s.member(t)
		asked := func() string {
			if field == "change_phone" {
				return ada.code(t, field, newcomer(1))
			}
			return ada.codeToErase(t)
		}
		code := asked()
		for range 5 {
			act(ada, "not-this-one", code).invalid(map[bool]string{true: field, false: "password"}[field == "old_password"])
		}
		act(ada, password, code).throttled()
		s.anyone().logsIn(t, ada.phone, password).throttled()
		ada.get(t, profile).is(200)
		s.clock.advance(15 * time.Minute)
		act(ada, password, asked()).is(204)
	}
}

func unusablePasswords(t *testing.T, s *server) {
	ada := s.member(t)
	for range 10 { // none of them counts as a failed login
		ada.changesPassword(t, "not-this-one", "short").invalid("new_password")
		ada.changesPassword(t, "not-this-one", ada.phone).invalid("new_password")
	}
	ada.send(t, "PUT", passwordPath, object{"new_password": nil}).invalid("old_password", "new_password")
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
	ada := s.member(t)
	other := s.with(s.anyone().gets(t, ada))
	id := other.get(t, sessions).is(200).int("data.0.id")
	ada.delete(t, sessionPath(id)).is(204)
	other.get(t, profile).fails(401, "AUTHENTICATION_FAILED")
	ada.delete(t, sessionPath(id)).fails(404, "RESOURCE_NOT_FOUND")
	ada.delete(t, sessionPath(ada.get(t, sessions).is(200).int("data.0.id"))).is(204)
	ada.get(t, profile).fails(401, "AUTHENTICATION_FAILED")
}
