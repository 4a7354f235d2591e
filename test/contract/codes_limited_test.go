package contract

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/verification"
)

// codeLimitRows show the limits of AUT-15, and that they tell nothing about accounts.
var codeLimitRows = []row{
	{"AUT-15 a number gets one code in 65 seconds five an hour and ten a day", codesOfNumber, everyStore},
	{"AUT-15 numbers that begin alike get fifty codes an hour", codesOfPrefix, everyStore},
	{"AUT-15 an address gets twenty codes an hour and a hundred a day", codesOfAddress, everyStore},
	{"AUT-15 a day has a budget in all and for a dialling code", codesOfDay, everyServer},
	{"AUT-15 codes that are not sent leave the budget to others", unsentCodes, everyStore},
	{"AUT-15 an address has sixty wrong tries an hour over all numbers", triesOfAddress, everyStore},
	{"AUT-15 AUT-17 known and unknown numbers are answered and counted alike", numbersAlike, everyStore},
}

// fromAnother is a client at an address of its own.
func (s *server) fromAnother(n int) *client {
	return s.from(fmt.Sprintf("198.51.%d.%d", n/250, n%250+1))
}

func codesOfNumber(t *testing.T, s *server) {
	s = s.on.behindProxy(t)
	asked := 0
	ask := func() answer {
		asked++
		purpose := []string{"sign_up", "reset_password"}[asked%2] // they count together
		return s.fromAnother(asked).asks(t, purpose, newcomer(1))
	}
	began := s.clock.Now()
	since := func() time.Duration { return s.clock.Now().Sub(began) }
	for range 4 {
		ask().is(202)
		s.clock.advance(64 * time.Second)
		assert.Equal(t, time.Second, ask().throttled())
		s.clock.advance(time.Second)
	}
	ask().is(202)
	assert.Equal(t, time.Hour-since(), ask().throttled())
	s.fromAnother(0).asks(t, "sign_up", newcomer(2)).is(202)
	s.clock.advance(time.Hour - since())
	for range 5 {
		ask().is(202)
		s.clock.advance(verification.ResendAfter)
	}
	assert.Equal(t, day-since(), ask().throttled())
	s.clock.advance(day - since())
	ask().is(202)
}

func codesOfPrefix(t *testing.T, s *server) {
	s = s.on.behindProxy(t)
	for n := range 50 {
		s.fromAnother(n).asks(t, "sign_up", newcomer(n)).is(202)
	}
	assert.Equal(t, time.Hour, s.fromAnother(50).asks(t, "sign_up", newcomer(9999)).throttled())
	s.fromAnother(50).asks(t, "sign_up", newcomer(10_000)).is(202)
	s.clock.advance(time.Hour)
	s.fromAnother(50).asks(t, "sign_up", newcomer(9999)).is(202)
}

func codesOfAddress(t *testing.T, s *server) {
	s = s.on.behindProxy(t)
	for n := range 20 {
		s.from(fmt.Sprintf("2001:db8:1:2::%x", n+1)).asks(t, "reset_password", newcomer(n)).is(202)
	}
	assert.Equal(t, time.Hour, s.from("2001:db8:1:2::ffff").asks(t, "sign_up", newcomer(20)).throttled())
	s.from("2001:db8:1:3::1").asks(t, "sign_up", newcomer(20)).is(202)
	s.clock.advance(time.Hour)
	s.from("2001:db8:1:2::ffff").asks(t, "sign_up", newcomer(10_000)).is(202)
}

func codesOfDay(t *testing.T, s *server) {
	s = s.on.startWith(t, func(c *settings.Config) {
		c.SMSBudget, c.SMSCodes = new(int64(5)), settings.DiallingCodes{"86": 0, "44": 1}
	})
	ada := s.member(t)
	const midnight = 12 * time.Hour
	ask := func(username string) answer { return s.anyone().asks(t, "sign_up", username) }
	ask("+44-7400000001").is(202)
	assert.Equal(t, midnight, ask("+44-7400000002").throttled())
	for n := range 3 {
		ask(newcomer(n)).is(202)
	}
	assert.Equal(t, midnight, ask(newcomer(3)).throttled())
	assert.Equal(t, midnight, s.anyone().asks(t, "reset_password", newcomer(3)).throttled())
	assert.Equal(t, verification.ResendAfter, ask(newcomer(0)).throttled(), "limits are judged first")
	ada.asks(t, "change_phone", newcomer(4)).is(202) // a fifth is kept for callers with a key
	assert.Equal(t, midnight, ada.asks(t, "erase", "").throttled())
	s.staff(t).get(t, overview).is(200).shows(object{"messages.limit": 5, "messages.spent": 5, "messages.left": 0})
	s.clock.advance(midnight)
	ask(newcomer(3)).is(202)
	ask("+44-7400000002").is(202)
}

// unsentCodes asks for codes of numbers without an account, and then for some that the provider refuses.
func unsentCodes(t *testing.T, s *server) {
	var refused atomic.Bool
	on := s.on
	on.balance = nil // a balancer would name its own address for all callers
	s = on.startAs(t, func(c *settings.Config) {
		trustTests(c)
		c.SMSBudget = new(int64(5))
	}, bootstrap.Parts{Sender: senderFunc(func(context.Context) error {
		if refused.Load() {
			return &verification.RefusedError{Reason: verification.SetUp, Said: "status 403"}
		}
		return nil
	})})
	for n := range 20 {
		s.fromAnother(n).asks(t, "reset_password", newcomer(n)).is(202)
	}
	handedOver := func() {
		for _, app := range s.apps {
			app.Signin.Close()
		}
	}
	handedOver()
	refused.Store(true)
	for n := range 4 {
		s.fromAnother(n).asks(t, "sign_up", newcomer(100+n)).is(202)
	}
	handedOver()
	refused.Store(false)
	for n := range 4 {
		s.fromAnother(n).asks(t, "sign_up", newcomer(200+n)).is(202)
	}
	s.fromAnother(5).asks(t, "sign_up", newcomer(300)).throttled()
}

func triesOfAddress(t *testing.T, s *server) {
	s = s.on.behindProxy(t)
	code := s.fromAnother(1).code(t, "sign_up", newcomer(100))
	home := s.from("192.0.2.1")
	for n := range 30 {
		home.signs(t, newcomer(n), "000000").invalid("code")
		home.resets(t, newcomer(n), "000000").invalid("code")
	}
	assert.Equal(t, time.Hour, home.signs(t, newcomer(100), code).throttled())
	assert.Equal(t, time.Hour, home.resets(t, newcomer(100), code).throttled())
	s.from("192.0.2.2").signs(t, newcomer(100), code).is(201)
	s.clock.advance(time.Hour)
	home.resets(t, newcomer(1), "000000").invalid("code")
}

// numbersAlike asks and tries with a number without an account, one with an account, and one whose account is disabled.
func numbersAlike(t *testing.T, s *server) {
	s = s.on.behindProxy(t)
	ada, shut := s.member(t), s.member(t)
	require.NoError(t, s.app.Signin.SetDisabled(t.Context(), shut.id, true))
	taken := func() int64 {
		budget, err := s.app.Stores.Codes.Taken(t.Context(), verification.DayOf(s.clock.Now()))
		require.NoError(t, err)
		return budget.Messages
	}
	var want []answer
	for n, username := range []string{newcomer(1), ada.phone, shut.phone} {
		c, before := s.fromAnother(n).saying("Accept-Language", "en"), taken()
		var got []answer
		for range 3 { // five wrong tries end each of two codes, and twenty are too many
			got = append(got, c.asks(t, "sign_up", username), c.asks(t, "sign_up", username))
			toJoin, toReset := s.receives(t, username).Code.Reveal(), "000000"
			s.clock.advance(verification.ResendAfter)
			got = append(got, c.asks(t, "reset_password", username), c.asks(t, "reset_password", username))
			if n > 0 {
				toReset = s.receives(t, username).Code.Reveal()
			}
			for i := range 6 {
				got = append(got, c.signs(t, username, wrongFor(t, toJoin, i)), c.resets(t, username, wrongFor(t, toReset, i)),
					c.post(t, resetPath, object{"username": username, "code": "000000", "password": "short"}))
			}
			s.clock.advance(time.Hour)
		}
		assert.Equal(t, 429, got[len(got)-2].status, "20 tries")
		received := s.received(t, username)
		assert.EqualValues(t, received, taken()-before, "what is sent")
		if n == 0 {
			want = got
			assert.Equal(t, 3, received, "to join")
		}
		for i := range want {
			sameAnswer(t, want[i], got[i], n, i)
		}
	}
	assert.Equal(t, 6, s.received(t, ada.phone))
}
