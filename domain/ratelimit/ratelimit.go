// Package ratelimit limits how often an account may write (GEN-14).
//
// The algorithm is GCRA, the generic cell rate algorithm. It admits what a token bucket
// admits, and it needs only one stored instant for each account and action: until when the
// account has paid. So one conditional statement of a database both checks and charges a
// write, and nothing has to refill buckets.
//
// A limit of 60 an hour admits 60 writes at once, and then one a minute. Stores apply a
// charge in the transaction of the write that it pays for. So a write that fails is not
// charged, and servers that share a store share the limits. Limits that must cost no round
// trip are in a Sketch, which each process has for itself.
package ratelimit

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"plaza/domain/fault"
	"plaza/domain/instant"
)

// Action is what is limited. Its value is stored.
type Action string

// The limited actions of an account.
const (
	Comment     Action = "comment"
	Like        Action = "like" // and taking a like back
	Follow      Action = "follow"
	Event       Action = "event" // writing and changing events
	Upload      Action = "upload"
	UploadBytes Action = "upload_bytes"
	Login       Action = "login" // that succeeds
	Profile     Action = "profile"
	Search      Action = "search"       // for people, or for texts
	Export      Action = "export"       // of all that is stored of the person
	ExportStart Action = "export_start" // also of one that broke
)

// doing says in a refusal what the caller does too often.
var doing = map[Action]string{
	Comment:     "You are commenting too often. Try again later.",
	Like:        "You are liking too often. Try again later.",
	Follow:      "You are following too often. Try again later.",
	Event:       "You are changing events too often. Try again later.",
	Upload:      "You are uploading too many pictures. Try again later.",
	UploadBytes: "You are uploading too much data. Try again later.",
	Login:       "You are logging in too often. Try again later.",
	Profile:     "You are changing your profile too often. Try again later.",
	Search:      "You are searching too often. Try again later.",
	Export:      "You have just exported your data. Try again later.",
	ExportStart: "Too many of your exports broke. Try again later.",
}

// ErrThrottled returns the fault of an action that is admitted again after the duration.
func ErrThrottled(a Action, after time.Duration) error {
	return fault.RetryAfter(fault.Throttled, after, doing[a]).AtLimit(string(a))
}

// Limits are the limits of actions. An action without one is not limited.
type Limits map[Action]Limit

// Charge returns what one write costs the account. It is zero if the action is not limited.
func (l Limits) Charge(account int64, a Action, now time.Time) Charge {
	return l.charge(account, a, 1, now)
}

// Upload returns what an upload of so many bytes costs the account.
func (l Limits) Upload(account, bytes int64, now time.Time) []Charge {
	return []Charge{l.charge(account, Upload, 1, now), l.charge(account, UploadBytes, bytes, now)}
}

func (l Limits) charge(account int64, a Action, units int64, now time.Time) Charge {
	if l[a].IsOff() {
		return Charge{}
	}
	return Charge{Account: account, Action: a, Limit: l[a], Units: units, Now: instant.Normalise(now)}
}

// Charge is what a write costs its account. The zero Charge is free: stores ignore it.
type Charge struct {
	Account int64 // uid: package user imports this one
	Action  Action
	Limit   Limit
	Units   int64
	Now     time.Time

	givesBack time.Duration // instead of what the units cost
}

// IsFree reports whether the charge admits every write.
func (c Charge) IsFree() bool { return c.Limit.IsOff() }

// Undone returns the charge that undoes this one: it gives back the time that this one still takes up then.
func (c Charge) Undone(now time.Time) Charge {
	c.givesBack, c.Now = c.Cost()-max(0, now.Sub(c.Now)), instant.Normalise(now)
	if c.givesBack <= 0 {
		return Charge{}
	}
	return c
}

// Cost returns the time that the charge takes up, in whole microseconds. A charge of more
// than the limit takes up all of it. It is negative if the charge gives time back.
func (c Charge) Cost() time.Duration {
	switch {
	case c.IsFree():
		return 0
	case c.givesBack > 0:
		return -c.givesBack.Truncate(time.Microsecond)
	}
	high, low := bits.Mul64(uint64(min(max(c.Units, 1), c.Limit.Count)), uint64(c.Limit.Period.Microseconds()))
	micros, _ := bits.Div64(high, low, uint64(c.Limit.Count))
	return time.Duration(micros) * time.Microsecond
}

// Skew is how far the clocks of two servers may be apart. A time in the store that is later than a server with the right
// clock stores, by more than Skew, is of a server whose clock ran ahead. Limits ignore it, so that they lock no account out
// when that clock has been set back.
const Skew = time.Minute

// Window returns the bounds of what a limit on the uses within a window of the length counts: uses after the first
// instant, and not after the second.
func Window(length time.Duration, now time.Time) (after, last time.Time) {
	return now.Add(-length), now.Add(Skew)
}

// Apply returns until when the account has paid after the charge, where it had paid until
// paid before. If the limit does not admit the charge, Apply returns ErrThrottled with the
// time after which it would.
func (c Charge) Apply(paid time.Time) (time.Time, error) {
	if c.IsFree() {
		return paid, nil
	}
	if paid.Before(c.Now) || paid.After(c.Now.Add(c.Limit.Period+Skew)) {
		paid = c.Now
	}
	after := paid.Add(c.Cost())
	if wait := after.Sub(c.Now) - c.Limit.Period; wait > 0 {
		return time.Time{}, ErrThrottled(c.Action, wait)
	}
	return after, nil
}

// Limit admits Count units within Period: all at once, or evenly spread. The zero Limit
// admits everything.
type Limit struct {
	Count  int64
	Period time.Duration
}

// Off admits everything, as the zero Limit does. It tells a setting that says so from one
// that is missing.
var Off = Limit{Count: -1}

// IsOff reports whether the limit admits everything.
func (l Limit) IsOff() bool { return l.Count <= 0 || l.Period <= 0 }

// maxCount bounds the count of a limit: no text can overflow it.
const maxCount = 1 << 50

// periods are the periods of limits as texts.
var periods = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}

// units are the suffixes of a count.
var units = map[string]int64{"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

// UnmarshalText parses a limit like 300/h or 8GiB/d, or “off”. The periods are s, m, h and d.
func (l *Limit) UnmarshalText(text []byte) error {
	if string(text) == "off" {
		*l = Off
		return nil
	}
	number, period, _ := strings.Cut(string(text), "/")
	digits := strings.TrimRight(number, "KMGiB")
	unit, isUnit := units[number[len(digits):]]
	count, err := strconv.ParseInt(digits, 10, 64)
	length, isPeriod := periods[period]
	if err != nil || !isUnit || !isPeriod || count < 1 || count > maxCount/unit {
		return fmt.Errorf("%q is not a limit like 300/h or 8GiB/d, or off", text)
	}
	*l = Limit{Count: count * unit, Period: length}
	return nil
}
