package contract

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/domain/verification"
)

var changingPhoneRows = []row{
	{"AUT-18 another number logs in and the other keys end", anotherNumber, everyServer},
	{"AUT-18 the former number is told in the language of the person", formerNumberIsTold, everyStore},
	{"AUT-18 a number in use is told to who has the code", otherNumberInUse, everyStore},
	{"AUT-18 a wrong password counts as a failed login and spends no code", phoneNeedsPassword, oneStore},
	{"AUT-18 of two accounts at once with one code one gets the number", oneNumber, everyServer},
}

const phonePath = "/api/user/phone/"

// changesPhone tries to give the caller's account another number.
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

func phoneNeedsPassword(t *testing.T, s *server) {
	ada := s.member(t)
	code := ada.code(t, "change_phone", newcomer(1))
	ada.send(t, "PUT", phonePath, object{}).invalid("username", "code", "password")
	for _, other := range []string{"+86-013700000001", "+999-13700000001", "ada", "+8-613700000001"} {
		ada.changesPhone(t, other, code).invalid("username")
	}
	guess := object{"username": newcomer(1), "code": code, "password": "not-this-one"}
	for range 5 {
		ada.send(t, "PUT", phonePath, guess).invalid("password")
	}
	ada.changesPhone(t, newcomer(1), code).throttled()
	s.anyone().logsIn(t, ada.phone, password).throttled()
	s.clock.advance(15 * time.Minute)
	ada.changesPhone(t, newcomer(1), ada.code(t, "change_phone", newcomer(1))).is(204)
}

func oneNumber(t *testing.T, s *server) {
	both := []person{s.member(t), s.member(t)}
	code := both[0].code(t, "change_phone", newcomer(1))
	statuses := statusesAtOnce(2, func(i int) answer { return both[i].changesPhone(t, newcomer(1), code) })
	assert.Equal(t, map[int]int{204: 1, 400: 1}, statuses)
	s.anyone().logsIn(t, newcomer(1), password).is(200)
}
