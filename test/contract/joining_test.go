package contract

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/instant"
	"plaza/domain/user"
)

var joiningRows = []row{
	{"AUT-16 a code opens an account", codeOpensAccount, everyStore},
	{"AUT-16 fields are judged before the code is spent", fieldsBeforeCode, oneStore},
	{"AUT-16 a number that has an account is told only to who has the code", numberInUse, everyStore},
	{"AUT-16 two at once with one code make one account", oneAccount, everyServer},
}

const signUpPath = "/api/auth/sign-up/"

// signs tries to sign up.
func (c *client) signs(t *testing.T, username, code string, change ...object) answer {
	t.Helper()
	body := object{"username": username, "code": code, "password": password, "firstname": "Ada", "lastname": "Berg"}
	for _, c := range change {
		maps.Copy(body, c)
	}
	maps.DeleteFunc(body, func(_ string, v any) bool { return v == dropped })
	return c.post(t, signUpPath, body)
}

// joins opens an account with a code.
func (s *server) joins(t *testing.T, username string) person {
	t.Helper()
	made := s.anyone().signs(t, username, s.anyone().code(t, "sign_up", username)).is(201)
	key := made.text("data.key")
	return person{id: user.ID(made.int("data.uid")), phone: username, key: key, client: s.with(key)}
}

func codeOpensAccount(t *testing.T, s *server) {
	bob := s.member(t)
	code := s.anyone().code(t, "sign_up", newcomer(1))
	a := s.anyone().signs(t, newcomer(1), code, object{
		"firstname": " Grace ", "lastname": "Hopper\n", "timezone": "Asia/Shanghai",
		"uid": bob.id, "scope": []any{"xfile_event"}, "is_staff": true, // which are not read
	}).is(201)
	a.hasFields("data", []string{"uid", "key"})
	assert.Regexp(t, keyForm, a.text("data.key"))
	assert.NotEqual(t, int(bob.id), a.int("data.uid"))
	grace := s.with(a.text("data.key"))
	own := grace.get(t, profile).is(200).shows(object{
		"uid": a.int("data.uid"), "phone": newcomer(1), "firstname": "Grace", "lastname": "Hopper", "username": "Grace Hopper", "location": "",
		"expertise": nil, "timezone": "Asia/Shanghai", "is_staff": false, "scopes": []string{"xfile_event", "writing_bundle", "pay_trade_order"},
	})
	assert.Equal(t, instant.Timestamp(s.clock.Now()).String(), own.text("data.date_joined"))
	assert.Len(t, grace.get(t, sessions).is(200).list("data"), 1, "the key is not narrowed")
	grace.post(t, events, object{"title": "The first"}).is(201)
	s.anyone().logsIn(t, newcomer(1), password).is(200)
	s.joins(t, newcomer(2)).get(t, profile).is(200).shows(object{"timezone": "UTC"})
}

func fieldsBeforeCode(t *testing.T, s *server) {
	code := s.anyone().code(t, "sign_up", newcomer(1))
	s.anyone().post(t, signUpPath, object{}).invalid("username", "code", "password", "firstname")
	s.anyone().signs(t, "x", "y", object{"password": "short", "firstname": " ", "lastname": "\u200b", "timezone": "Mars/Base"}).
		invalid("username", "code", "password", "firstname", "lastname", "timezone")
	for field, values := range map[string][]any{
		"password":  {dropped, nil, 5, "", "short", "password1", "13700000001"},
		"firstname": {dropped, nil, 5, "", " ", "\u200b", "a\nb", "a\x00", strings.Repeat("é", 65)},
		"lastname":  {nil, 5, "\u200d\u2060", "a\tb", strings.Repeat("x", 65)},
		"timezone":  {nil, 5, "Mars/Base", "localtime", "posix/UTC", "../../etc/passwd"},
		"username":  {dropped, nil, "+86-013700000001", "+999-13700000001"},
	} {
		for _, value := range values {
			s.anyone().signs(t, newcomer(1), code, object{field: value}).invalid(field)
		}
	}
	s.anyone().signs(t, newcomer(1), code, object{"firstname": strings.Repeat("é", 64), "lastname": " "}).is(201)
}

func numberInUse(t *testing.T, s *server) {
	ada := s.member(t)
	code := s.anyone().code(t, "sign_up", ada.phone)
	s.anyone().signs(t, ada.phone, wrongFor(t, code, 0)).invalid("code")
	for range 2 { // it is not spent
		s.anyone().signs(t, ada.phone, code).fails(409, "CONFLICT")
	}
	s.anyone().gets(t, ada)
	ada.get(t, profile).is(200)
}

func oneAccount(t *testing.T, s *server) {
	for n := range 3 {
		code := s.anyone().code(t, "sign_up", newcomer(n))
		statuses := statusesAtOnce(5, func(int) answer { return s.anyone().signs(t, newcomer(n), code) })
		assert.Equal(t, map[int]int{201: 1, 400: 4}, statuses)
		s.anyone().logsIn(t, newcomer(n), password).is(200)
	}
	accounts, err := s.app.Signin.Accounts(t.Context(), 0, 10)
	require.NoError(t, err)
	assert.Len(t, accounts, 3)
}
