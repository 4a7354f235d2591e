package verification

import (
	"maps"
	"net/netip"
	"time"

	"plaza/domain/fault"
	"plaza/domain/user"
)

// Grouping selects the requests, or the tries, that are counted together, over all purposes.
type Grouping int

// The groupings of AUT-15. Of IPv6, providers give each customer a /56, and many a /48.
const (
	ByNumber Grouping = iota
	ByPrefix          // Number.Prefix
	BySource          // access.Source
	By56
	By48
)

// Group returns the name of the group in which the number and the address count. It is empty if they count in none:
// without a number, and for a /56 or /48 of IPv4. From is as in Request.
func (g Grouping) Group(n Number, from netip.Addr) string {
	bits := map[Grouping]int{BySource: 64, By56: 56, By48: 48}[g]
	switch {
	case g == ByNumber:
		return n.digits
	case g == ByPrefix:
		return n.Prefix()
	case g == BySource && !from.Is6():
		bits = 32
	case !from.Is6():
		return ""
	}
	network, _ := from.Prefix(bits) // fails only for the zero Addr, whose network is zero
	return network.String()
}

// Limit is the maximum of requests or tries of a grouping within any window of the length.
type Limit struct {
	Grouping Grouping
	Max      int
	Window   time.Duration
}

// RequestLimits returns the limits on requests for codes (AUT-15). Those of a number are within the
// limits of providers, whose clocks and counts differ by seconds. Those of a prefix, which ten
// thousand numbers share, exceed what one address may ask for, within an hour and within a day, so that
// no single address uses them up.
func RequestLimits() []Limit {
	return []Limit{
		{ByNumber, 1, ResendAfter},
		{ByNumber, 5, time.Hour},
		{ByNumber, 10, 24 * time.Hour},
		{ByPrefix, 50, time.Hour},
		{ByPrefix, 200, 24 * time.Hour},
		{BySource, 20, time.Hour},
		{BySource, 100, 24 * time.Hour},
		{By56, 80, time.Hour},
		{By56, 400, 24 * time.Hour},
		{By48, 320, time.Hour},
		{By48, 1600, 24 * time.Hour},
	}
}

// ResendAfter is the time between two requests of a number.
const ResendAfter = 65 * time.Second

// TryLimits returns the limits on tries that were wrong (AUT-15). A try counts as wrong until its
// code is spent. Without a code that it could hit, it counts for the address alone: otherwise any
// caller could lock any number by guessing where there is nothing to guess.
func TryLimits() []Limit {
	return []Limit{
		{ByNumber, 20, 24 * time.Hour},
		{BySource, 60, time.Hour},
	}
}

// Kept is how long requests and tries are kept, for their limits.
const Kept = 24 * time.Hour

// Wait returns how long the limits admit nothing more; zero: they admit now. Filling has for each
// limit the time of the Max-th latest request or try of its grouping, or zero if it has fewer.
func Wait(limits []Limit, filling []time.Time, now time.Time) (longest time.Duration) {
	for i, l := range limits {
		if !filling[i].IsZero() {
			longest = max(longest, filling[i].Add(l.Window).Sub(now))
		}
	}
	return longest
}

// ErrTooManyRequests returns the fault of too many requests for codes.
func ErrTooManyRequests(after time.Duration) error {
	return fault.RetryAfter(fault.Throttled, after, "Too many codes were requested. Try again later.").AtLimit("code_requests")
}

// ErrTooManyTries returns the fault of too many wrong codes.
func ErrTooManyTries(after time.Duration) error {
	return fault.RetryAfter(fault.Throttled, after, "Too many wrong codes were tried. Try again later.").AtLimit("code_tries")
}

// Budget bounds the messages of a day, in UTC, of all servers together. A fifth of it, in all and of
// each dialling code, is kept for callers with a key. The zero Budget bounds nothing.
type Budget struct {
	Messages int64 // in all; zero: any number
	// Codes are the dialling codes served, with the messages of each; zero: any number within
	// Messages. No Codes: all are served.
	Codes map[string]int64
}

// ErrNotServed is the fault of a number with a dialling code that is not served.
var ErrNotServed = fault.New(fault.Invalid, "Codes are not sent to numbers with this dialling code.")

// Serves returns nil if messages may be sent to the number. Otherwise it returns ErrNotServed, if the budget has none
// for the dialling code, or the fault of user.Phone.MessageProblem.
func (b Budget) Serves(p user.Phone) error {
	if _, is := b.Codes[p.DiallingCode()]; !is && len(b.Codes) > 0 {
		return ErrNotServed
	}
	return p.MessageProblem()
}

// keptShare is the share of a budget, as its divisor, that is kept for callers with a key.
const keptShare = 5

// WithoutKey returns what of the budget callers without a key may take.
func (b Budget) WithoutKey() Budget {
	b.Messages, b.Codes = b.Messages-b.Messages/keptShare, maps.Clone(b.Codes)
	for code, messages := range b.Codes {
		b.Codes[code] = messages - messages/keptShare
	}
	return b
}

// Expense is what messages take of the budget of a day, in all and of the dialling code.
type Expense struct {
	Budget       Budget
	DiallingCode string
	Messages     int64 // one; none, which only judges the budget; or -1 to give one back, without a budget
	Now          time.Time
}

// DayOf returns the day whose budget a message at the instant takes.
func DayOf(now time.Time) time.Time { return now.UTC().Truncate(24 * time.Hour) }

// ErrBudgetSpent returns the fault of a request at the instant whose day has no message left.
func ErrBudgetSpent(now time.Time) error {
	after := DayOf(now).Add(24 * time.Hour).Sub(now)
	return fault.RetryAfter(fault.Throttled, after, "No more codes are sent today. Try again tomorrow.").AtLimit("code_budget")
}
