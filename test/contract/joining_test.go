package contract

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/instant"
	"plaza/domain/user"
	"plaza/domain/verification"
)

var joiningRows = []row{
	{"AUT-16 a code opens an account", codeOpensAccount, everyStore},
	{"AUT-16 fields are judged before the code is spent", fieldsBeforeCode, oneStore},
	{"AUT-16 a number that has an account is told only to who has the code", numberInUse, everyStore},
	{"AUT-16 two at once with one code make one account", oneAccount, everyServer},
	{"AUT-17 a code replaces the password and ends every key", codeReplacesPassword, everyServer},
	{"AUT-17 a password is judged before the code is spent", resetsJudgedFirst, oneStore},
	{"AUT-17 an account that is disabled or does not exist is answered as a wrong code", resetOfNobody, everyStore},
	{"AUT-17 a reset never reaches staff", resetOfStaff, everyStore},
	{"AUT-18 another number logs in and the other keys end", anotherNumber, everyServer},
	{"AUT-18 the former number is told in the language of the person", formerNumberIsTold, everyStore},
	{"AUT-18 a number in use is told to who has the code", otherNumberInUse, everyStore},
	{"AUT-18 what is no mobile number is refused by name", wrongPhones, oneStore},
}

const signUpPath = "/api/auth/sign-up/"

func (c *client) signs(t *testing.T, username, code string, change ...object) answer {
	t.Helper()
	body := with(object{"username": username, "code": code, "password": password, "firstname": "Ada", "lastname": "Berg"}, change...)
	maps.DeleteFunc(body, func(_ string, v any) bool { return v == dropped })
	return c.post(t, signUpPath, body)
}

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
		"password":  {"password1", "13700000001"},
		"firstname": {"\u200b", "a\nb", strings.Repeat("é", 65)},
		"lastname":  {nil, "\u200d\u2060", strings.Repeat("x", 65)},
		"timezone":  {nil, "localtime", "posix/UTC", "../../etc/passwd"},
		"username":  {nil, "+86-013700000001", "+999-13700000001"},
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
	accounts, err := s.app.Stores.Accounts.List(t.Context(), 0, 10)
	require.NoError(t, err)
	assert.Len(t, accounts, 3)
}

const resetPath = "/api/auth/reset-password/"

func (c *client) resets(t *testing.T, username, code string) answer {
	t.Helper()
	return c.post(t, resetPath, object{"username": username, "code": code, "password": newPassword})
}

func codeReplacesPassword(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	keys := []string{ada.key, s.anyone().gets(t, ada), s.anyone().gets(t, ada, "xfile_event")}
	code := s.anyone().code(t, "reset_password", ada.phone)
	s.anyone().failsTimes(t, 5, ada.phone)
	s.anyone().logsIn(t, ada.phone, password).throttled()
	assert.Empty(t, s.anyone().resets(t, ada.phone, code).is(204).body)
	for _, key := range keys {
		for range 2 { // at either of two servers
			s.with(key).get(t, profile).fails(401, "AUTHENTICATION_FAILED")
		}
	}
	s.with(s.anyone().logsIn(t, ada.phone, newPassword).is(200).text("data.key")).get(t, profile).is(200).shows(object{"uid": ada.id})
	s.anyone().logsIn(t, ada.phone, password).invalid("non_field_errors")
	s.anyone().resets(t, ada.phone, code).invalid("code")
	bob.get(t, profile).is(200)
	s.anyone().gets(t, bob)
}

func resetsJudgedFirst(t *testing.T, s *server) {
	ada := s.member(t)
	code := s.anyone().code(t, "reset_password", ada.phone)
	s.anyone().post(t, resetPath, object{}).invalid("username", "code", "password")
	for _, unusable := range []any{nil, "short", "password1", ada.phone} {
		for range 2 {
			s.anyone().post(t, resetPath, object{"username": ada.phone, "code": code, "password": unusable}).invalid("password")
		}
	}
	s.anyone().resets(t, ada.phone, code).is(204)
}

func resetOfNobody(t *testing.T, s *server) {
	shut := s.member(t)
	code := s.anyone().code(t, "reset_password", shut.phone)
	require.NoError(t, s.app.Signin.SetDisabled(t.Context(), shut.id, true))
	disabled := s.anyone().resets(t, shut.phone, code)
	disabled.invalid("code")
	s.anyone().asks(t, "reset_password", newcomer(1)).is(202)
	sameAnswer(t, disabled, s.anyone().resets(t, newcomer(1), "000000"))
	assert.Zero(t, s.received(t, newcomer(1)))
	require.NoError(t, s.app.Signin.SetDisabled(t.Context(), shut.id, false))
	s.anyone().gets(t, shut)
}

func resetOfStaff(t *testing.T, s *server) {
	ada, maria := s.member(t), s.staff(t)
	wanted := s.anyone().asks(t, "reset_password", ada.phone)
	sameAnswer(t, wanted, s.anyone().asks(t, "reset_password", maria.phone))
	code := s.receives(t, maria.phone).Code.Reveal()
	wrong := s.anyone().resets(t, maria.phone, wrongFor(t, code, 0))
	sameAnswer(t, wrong, s.anyone().resets(t, maria.phone, code))
	maria.get(t, profile).is(200)
	s.anyone().gets(t, maria)
}

const phonePath = "/api/user/phone/"

func (c *client) changesPhone(t *testing.T, username, code string) answer {
	t.Helper()
	return c.send(t, "PUT", phonePath, object{"username": username, "code": code, "password": password})
}

func anotherNumber(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	others := []string{s.anyone().gets(t, ada), s.anyone().gets(t, ada, "xfile_event")}
	code := ada.code(t, "change_phone", newcomer(1))
	assert.Empty(t, ada.changesPhone(t, newcomer(1), code).is(204).body)
	for range 2 { // at either of two servers
		ada.get(t, profile).is(200).shows(object{"uid": ada.id, "phone": newcomer(1)})
		for _, key := range others {
			s.with(key).get(t, profile).fails(401, "AUTHENTICATION_FAILED")
		}
	}
	assert.Equal(t, 1, ada.get(t, sessions).is(200).int("pagination.total_count"))
	s.anyone().logsIn(t, ada.phone, password).invalid("non_field_errors")
	s.anyone().logsIn(t, newcomer(1), password).is(200)
	ada.changesPhone(t, newcomer(1), code).invalid("code")
	bob.get(t, profile).is(200)
	s.receives(t, ada.phone) // that the account has another number
	assert.NotEqual(t, ada.id, s.joins(t, ada.phone).id, "the former number is free")
}

func formerNumberIsTold(t *testing.T, s *server) {
	ada := s.member(t)
	ada.client = ada.saying("Accept-Language", "zh-CN")
	code := ada.code(t, "change_phone", newcomer(1))
	ada.changesPhone(t, newcomer(1), wrongFor(t, code, 0)).invalid("code")
	assert.Zero(t, s.received(t, ada.phone))
	ada.changesPhone(t, newcomer(1), code).is(204)
	m := s.receives(t, ada.phone)
	assert.Equal(t, verification.PhoneChanged, m.Purpose)
	assert.Equal(t, "您的 Plaza 账号已更换手机号。如非本人操作，请立即联系客服。", m.Text.Reveal())
	assert.True(t, m.Code.IsZero())
	assert.Equal(t, 1, s.received(t, ada.phone))
	s.stop()
	assert.NotContains(t, s.log.String(), strings.TrimPrefix(ada.phone, "+86-"))
}

func otherNumberInUse(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	code := ada.code(t, "change_phone", bob.phone)
	ada.changesPhone(t, bob.phone, wrongFor(t, code, 0)).invalid("code")
	ada.changesPhone(t, bob.phone, code).fails(409, "CONFLICT")
	ada.get(t, profile).is(200).shows(object{"phone": ada.phone})
	s.anyone().gets(t, ada)
	s.anyone().gets(t, bob)
}

func wrongPhones(t *testing.T, s *server) {
	ada := s.member(t)
	code := ada.code(t, "change_phone", newcomer(1))
	ada.send(t, "PUT", phonePath, object{}).invalid("username", "code", "password")
	for _, other := range []string{"+86-013700000001", "+999-13700000001", "ada", "+8-613700000001"} {
		ada.changesPhone(t, other, code).invalid("username")
	}
}
