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
	{"AUT-01 a login gives a key", loginGivesAKey, oneStore},
	{"AUT-02 who does not get in learns nothing of why", nothingOfWhy, oneStore},
	{"AUT-03 a username of another form is refused by name", otherUsernames, oneStore},
	{"AUT-04 AUT-05 the header Authorization in all its forms", headerForms, oneStore},
	{"AUT-05 a bad key is refused where none is needed too", badKeysOnOpenPaths, oneStore},
	{"AUT-05 login ignores the header", loginIgnoresTheHeader, oneStore},
	{"AUT-06 AUT-07 what needs which scope", neededScopes, oneStore},
	{"AUT-08 login grants all scopes or those named", grantedScopes, oneStore},
	{"AUT-09 how long is a setting", keysLiveAsSet, oneStore},
	{"AUT-10 logging out revokes the key and no other", logsOut, everyStore},
	{"AUT-09 passwords keys and phones are never logged", secretsAreNotLogged, everyStore},
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

// gets asserts that a login with the right password is taken, and returns its key.
func (c *client) gets(t *testing.T, p person, scopes ...string) string {
	t.Helper()
	return c.logsIn(t, p.phone, password, scopes...).is(http.StatusOK).text("data.key")
}

// wrongly tries to log in with a wrong password.
func (c *client) wrongly(t *testing.T, phone string) answer {
	t.Helper()
	return c.logsIn(t, phone, "not-this-one")
}

const keyForm = `^[a-z]{2,8}_[A-Za-z0-9_-]{43}$` // 32 bytes in base64, recognisable

func loginGivesAKey(t *testing.T, s *server) {
	ada := s.member(t)
	a := s.anyone().logsIn(t, ada.phone, password).is(200)
	a.hasFields("data", []string{"key"})
	key := a.text("data.key")
	assert.Equal(t, int(ada.id), s.with(key).get(t, profile).is(200).int("data.uid"))
	again := s.anyone().gets(t, ada)
	assert.NotEqual(t, key, again)
	s.with(key).get(t, profile).is(200)
}

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
	s.member(t)
	for _, other := range []string{
		"ada", "13900000001", "+8613900000001", "86-13900000001", "+86 13900000001", "+86-", "+-13900000001", "+86-1390000000a",
		"+86-139-0000-0001", "+0-13900000001", "+999-13900000001", "+8-613900000001", "+861-3900000001", "+86-013900000001", "+44-07418084106",
		"+86-１３９００００００１", "++86-13900000001", "+86-13900000001;", "+86-1390000000100000000",
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

// issue makes a key with the lifetime.
func (s *server) issue(t *testing.T, p person, ttl time.Duration, scopes ...string) string {
	t.Helper()
	key, err := s.app.Signin.Issue(t.Context(), p.id, scopes, ttl)
	require.NoError(t, err)
	return key.Reveal()
}

func badKeysOnOpenPaths(t *testing.T, s *server) {
	ada := s.member(t)
	asked := object{"uid": []any{ada.id}}
	for _, good := range []*client{s.anyone(), ada.client, s.anyone().saying("Authorization", "Basic x")} {
		good.post(t, simpleInfo, asked).is(200)
		good.get(t, reference).is(200)
	}
	for _, bad := range []string{"Token", "Token x", "token a b", "Bearer x", "Token " + access.NewKey().Reveal()} {
		says := s.anyone().saying("Authorization", bad)
		says.post(t, simpleInfo, asked).fails(401, "AUTHENTICATION_FAILED")
		says.post(t, simpleInfo, "{").fails(401, "AUTHENTICATION_FAILED")
		says.get(t, reference).fails(401, "AUTHENTICATION_FAILED")
	}
}

func loginIgnoresTheHeader(t *testing.T, s *server) {
	ada := s.member(t)
	stale := s.anyone().gets(t, ada)
	s.with(stale).post(t, logout, nil).is(204)
	for _, header := range []string{"Token " + stale, "Token", "Token a b", "Token x", "Bearer x", "Token " + ada.key, "é"} {
		s.anyone().saying("Authorization", header).gets(t, ada)
	}
}

func neededScopes(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x")
	other := s.with(s.anyone().gets(t, ada, "writing_bundle", "pay_trade_order"))
	needed := []answer{
		other.post(t, events, object{"title": "x"}), other.get(t, events), other.get(t, eventPath(id)), other.patch(t, eventPath(id), object{}),
		other.delete(t, eventPath(id)), other.get(t, commented), other.get(t, eventsOf(ada)),
		other.post(t, comments, object{"event": id, "content": "Oh"}),
		other.get(t, fmt.Sprintf("%s?event=%d", comments, id)), other.delete(t, commentPath(1)), other.put(t, likePath(id)),
		other.delete(t, likePath(id)),
		other.patch(t, eventPath(99), "{"), other.get(t, events+"?page=x"), // before the path and the body
	}
	for _, a := range needed {
		assert.Contains(t, a.fails(403, "PERMISSION_DENIED").text("data.detail"), "xfile_event")
	}
	other.get(t, profile).is(200)
	other.get(t, subscriptions).is(200)
	other.post(t, subscriptions, object{"followed_user": s.member(t).id}).is(201)
	other.post(t, simpleInfo, object{"uid": []any{ada.id}}).is(200)
	s.anyone().post(t, simpleInfo, object{"uid": []any{ada.id}}).is(200)
	ada.reads(t, id).shows(object{"title": "x", "comment_count": 0, "like_count": 0})
}

func grantedScopes(t *testing.T, s *server) {
	ada := s.member(t)
	part := s.member(t, func(r *signin.Registration) { r.Scopes = []string{"writing_bundle", "xfile_event"} })
	all := []any{"xfile_event", "writing_bundle", "pay_trade_order"}
	assert.ElementsMatch(t, all, ada.get(t, profile).is(200).list("data.scopes"), "a new account has all three")

	may := func(p person, scopes ...string) int {
		return s.with(s.anyone().gets(t, p, scopes...)).get(t, events).status
	}
	assert.Equal(t, 200, may(ada))
	assert.Equal(t, 200, may(ada, "xfile_event"))
	assert.Equal(t, 200, may(ada, "pay_trade_order", "xfile_event", "xfile_event"))
	assert.Equal(t, 403, may(ada, "writing_bundle"))
	assert.Equal(t, 200, may(part))
	assert.Equal(t, 200, may(part, "xfile_event"))
	for _, lacking := range [][]string{{"pay_trade_order"}, {"xfile_event", "pay_trade_order"}, {"root"}, {""},
		{"xfile_event", "XFILE_EVENT"}} {
		s.anyone().logsIn(t, part.phone, password, lacking...).invalid("scope")
	}
	for _, odd := range []any{"xfile_event", 5, true, object{}, []any{5}, []any{[]any{"xfile_event"}}} {
		s.anyone().post(t, login, object{"username": ada.phone, "password": password, "scope": odd}).invalid("scope")
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

func secretsAreNotLogged(t *testing.T, s *server) {
	ada := s.member(t)
	key := s.anyone().gets(t, ada)
	s.anyone().logsIn(t, ada.phone, "wrong-and-secret").is(400)
	s.anyone().logsIn(t, "+86-13912345678", "wrong-and-secret").is(400)
	s.anyone().logsIn(t, "13912345678", "wrong-and-secret").is(400)
	s.anyone().post(t, login, `{"username": "`+ada.phone+`", "password": "`+password).is(400)
	s.with(key).get(t, profile+"?key="+key+"&password="+password+"&phone="+ada.phone).is(200)
	s.with(key).get(t, "/nowhere/"+key+"/").is(404)
	s.with(key).get(t, "/api/user/profile?key="+key).is(301)
	s.with(key+"x").get(t, profile).is(401)
	s.anyone().saying("Authorization", key).get(t, profile).is(401)
	s.breakPassword(t, ada)
	s.anyone().logsIn(t, ada.phone, password).is(500)
	s.with(key).post(t, logout, nil).is(204)
	for range 6 {
		s.anyone().logsIn(t, "+86-13912345678", "wrong-and-secret")
	}

	s.stop()
	logged := s.log.String()
	require.Contains(t, logged, "msg=request")
	for _, hidden := range []string{password, "wrong-and-secret", key, key[4:], ada.key, ada.phone, ada.phone[4:], "13912345678"} {
		assert.NotContains(t, logged, hidden)
	}
}
