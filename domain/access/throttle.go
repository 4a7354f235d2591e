package access

import (
	"context"
	"net/netip"
	"time"

	"plaza/domain/fault"
	"plaza/domain/user"
)

// Source is where a login comes from: an IPv4 address, or the /64 network of an
// IPv6 one, whose owner has all of it (AUT-11).
type Source struct{ prefix netip.Prefix }

// SourceOf returns the source of an address.
func SourceOf(addr netip.Addr) Source {
	addr = addr.Unmap().WithZone("")
	bits := 32
	if addr.Is6() {
		bits = 64
	}
	p, _ := addr.Prefix(bits) // fails only for the zero Addr: then all of those are one source
	return Source{prefix: p}
}

func (s Source) String() string { return s.prefix.String() }

// Attempt is one try to log in. The phone may be nobody's: those count alike.
type Attempt struct {
	Phone  user.Phone
	Source Source
}

// Grouping says which failed attempts count together.
type Grouping int

// The groupings of AUT-11.
const (
	ByPair      Grouping = iota // one phone from one source
	ByUnusual                   // one phone from sources that it did not log in from of late
	BySourceAny                 // one source, whatever the phone
)

// SparesUsual reports whether a phone may go on at a source that is a usual one of its
// own when the grouping is full. There, ByPair alone limits it.
func (g Grouping) SparesUsual() bool { return g == ByUnusual || g == BySourceAny }

// Limit is how many failed attempts of a grouping are taken within a window.
type Limit struct {
	Grouping Grouping
	Max      int
	Window   time.Duration
}

// Limits are those of AUT-11. They keep guessing slow, and nobody can use them
// to lock somebody out of the places that they log in from.
func Limits() []Limit {
	return []Limit{
		{ByPair, 5, 15 * time.Minute},
		{ByUnusual, 100, time.Hour},
		{BySourceAny, 300, 15 * time.Minute},
	}
}

// UsualFor is how long after a login its source is a usual one for the phone.
const UsualFor = 30 * 24 * time.Hour

// Throttle counts failed logins. Every implementation passes test/ports.Throttle.
type Throttle interface {
	// Begin counts the attempt as failed, in every grouping of Limits that it
	// belongs to, unless one of them is full: then nothing is counted and the
	// fault, made by ErrThrottled, tells when all of them will have a free place. At
	// a usual source of the phone, a full grouping that SparesUsual does not stop the
	// attempt; BySourceAny counts it nevertheless.
	// Looking and counting are one step, so that attempts at once can't slip by.
	Begin(ctx context.Context, a Attempt, now time.Time) error
	// Succeed takes the attempt back, forgets what counted ByPair, and makes the
	// source a usual one of the phone.
	Succeed(ctx context.Context, a Attempt, now time.Time) error
	// Abandon takes back one attempt that came to no decision.
	Abandon(ctx context.Context, a Attempt, now time.Time) error
}

// ErrThrottled is the fault of too many failed logins.
func ErrThrottled(after time.Duration) error {
	return fault.RetryAfter(fault.Throttled, after, "Too many failed logins. Try again later.")
}
