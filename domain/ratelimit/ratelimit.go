// Package ratelimit limits how often an account may write (GEN-14).
//
// The algorithm is GCRA, the generic cell rate algorithm, which is a token bucket that needs
// one stored time for each limit: when the account will have paid for all that it has done.
// A limit of 60 an hour admits 60 writes at once, and then one a minute. Stores apply a
// charge in the transaction of the write that it pays for, so servers that share a store
// share the limits, and a write that fails is not charged.
package ratelimit

import (
	"time"

	"plaza/domain/fault"
	"plaza/domain/user"
)

// Action is what is limited. Its value is stored.
type Action string

// The limited actions of an account.
const (
	Comment     Action = "comment"
	Like        Action = "like"
	Follow      Action = "follow"
	Event       Action = "event"
	Upload      Action = "upload"
	UploadBytes Action = "upload_bytes"
	Login       Action = "login"
)

// Limit admits Count units within Period: all at once, or evenly spread. The zero Limit
// admits everything.
type Limit struct {
	Count  int64
	Period time.Duration
}

// IsOff reports whether the limit admits everything.
func (l Limit) IsOff() bool { return l.Count <= 0 || l.Period <= 0 }

// Charge is what a write costs its account.
type Charge struct {
	Account user.ID
	Action  Action
	Limit   Limit
	Cost    int64 // units
	Now     time.Time
}

// Price returns the time that the charge takes up. A charge of more than the limit takes up
// all of it.
func (c Charge) Price() time.Duration {
	if c.Limit.IsOff() {
		return 0
	}
	cost := float64(min(c.Cost, c.Limit.Count))
	return time.Duration(cost / float64(c.Limit.Count) * float64(c.Limit.Period)).Round(time.Microsecond)
}

// Apply returns until when the account has paid after the charge, where it had paid until
// paid before. If the limit does not admit the charge, Apply returns the fault with the time
// after which it would.
func (c Charge) Apply(paid time.Time) (time.Time, error) {
	if paid.Before(c.Now) {
		paid = c.Now
	}
	after := paid.Add(c.Price())
	if wait := after.Sub(c.Now) - c.Limit.Period; wait > 0 && !c.Limit.IsOff() {
		return time.Time{}, fault.RetryAfter(fault.Throttled, wait, "You are doing this too often. Try again later.")
	}
	return after, nil
}
