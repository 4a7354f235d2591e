package people_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/application/signin"
	"plaza/domain/fault"
)

func TestLoginsAreCountedByOutcome(t *testing.T) {
	w := newSigninFixture(t)
	try := func(l signin.Login, readErr error) { _, _ = w.Login(t.Context(), l, readErr) }
	counts := func(want signin.LoginCounts) {
		t.Helper()
		assert.Equal(t, want, w.LoginCounts())
	}
	counts(signin.LoginCounts{})
	try(newLogin(signinPhone, signinPassword), nil)
	counts(signin.LoginCounts{Succeeded: 1})
	try(newLogin("+86-13900000009", signinPassword), nil)
	try(newLogin(signinPhone, "not-my-password"), nil)
	counts(signin.LoginCounts{Succeeded: 1, WrongPassword: 2})
	try(newLogin("ada", signinPassword), nil)
	try(newLogin(signinPhone, signinPassword, "no_such_scope"), nil)
	try(newLogin(signinPhone, signinPassword), fault.New(fault.TooLarge, "The body is too large."))
	counts(signin.LoginCounts{Succeeded: 1, WrongPassword: 2, Invalid: 3})
	w.hasher.fail = fault.RetryAfter(fault.Unavailable, time.Second, "busy")
	try(newLogin(signinPhone, signinPassword), nil)
	counts(signin.LoginCounts{Succeeded: 1, WrongPassword: 2, Invalid: 3, Failed: 1})
	w.hasher.fail = nil
	for range 4 {
		try(newLogin(signinPhone, "not-my-password"), nil)
	}
	try(newLogin(signinPhone, signinPassword), nil)
	counts(signin.LoginCounts{Succeeded: 1, WrongPassword: 6, Invalid: 3, Failed: 1, Throttled: 1})
}
