package signin

import (
	"errors"
	"sync/atomic"

	"plaza/domain/access"
	"plaza/domain/fault"
)

// LoginCounts counts logins since this server started by their outcome.
type LoginCounts struct {
	Succeeded     int64
	WrongPassword int64 // access.ErrBadLogin: also of an unknown user or a disabled account (AUT-02); or a wrong code (OFF-04)
	Throttled     int64 // too many that failed, or that succeeded (AUT-11, GEN-14)
	Invalid       int64 // a malformed request, or a scope that the account lacks
	Failed        int64 // the server did not decide: it was busy, the database was away, or the client left
}

// LoginCounts returns the current counts.
func (s *Signin) LoginCounts() LoginCounts {
	c := &s.logins
	return LoginCounts{c.succeeded.Load(), c.wrongPassword.Load(), c.throttled.Load(), c.invalid.Load(), c.failed.Load()}
}

// loginCounters are the counters behind LoginCounts.
type loginCounters struct {
	succeeded, wrongPassword, throttled, invalid, failed atomic.Int64
}

// count counts a login that has ended with the error.
func (c *loginCounters) count(err error) {
	switch {
	case err == nil:
		c.succeeded.Add(1)
	case errors.Is(err, access.ErrBadLogin), errors.Is(err, access.ErrWrongOTP):
		c.wrongPassword.Add(1)
	case fault.Is(err, fault.Throttled):
		c.throttled.Add(1)
	case fault.Is(err, fault.Invalid), fault.Is(err, fault.TooLarge), fault.Is(err, fault.Unsupported):
		c.invalid.Add(1)
	default:
		c.failed.Add(1)
	}
}
