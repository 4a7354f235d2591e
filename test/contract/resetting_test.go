package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var resettingRows = []row{
	{"AUT-17 a code replaces the password and ends every key", codeReplacesPassword, everyServer},
	{"AUT-17 a password is judged before the code is spent", resetsJudgedFirst, oneStore},
	{"AUT-17 an account that is disabled or does not exist is answered as a wrong code", resetOfNobody, everyStore},
	{"AUT-17 a reset never reaches staff", resetOfStaff, everyStore},
	{"AUT-17 of two at once with one code one sets its password", oneReset, everyServer},
}

const resetPath = "/api/auth/reset-password/"

// resets tries to set newPassword.
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
	for _, unusable := range []any{nil, 5, "", "short", "password1", ada.phone} {
		for range 2 {
			s.anyone().post(t, resetPath, object{"username": ada.phone, "code": code, "password": unusable}).invalid("password")
		}
	}
	ada.get(t, profile).is(200)
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

func oneReset(t *testing.T, s *server) {
	ada := s.member(t)
	code := s.anyone().code(t, "reset_password", ada.phone)
	assert.Equal(t, map[int]int{204: 1, 400: 4}, statusesAtOnce(5, func(int) answer { return s.anyone().resets(t, ada.phone, code) }))
	s.anyone().logsIn(t, ada.phone, newPassword).is(200)
}
