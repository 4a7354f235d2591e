package access

import (
	"context"
	"net/netip"
	"time"

	"plaza/domain/fault"
	"plaza/domain/user"
)

// Source is the origin of a login: an IPv4 address, or the /64 network of an IPv6
// address, because one owner controls all of it (AUT-11).
type Source struct{ prefix netip.Prefix }

// SourceOf returns the source that the address belongs to.
func SourceOf(addr netip.Addr) Source {
	addr = addr.Unmap().WithZone("")
	bits := 32
	if addr.Is6() {
		bits = 64
	}
	p, _ := addr.Prefix(bits) // fails only for the zero Addr; all zero Addrs are one source
	return Source{prefix: p}
}

func (s Source) String() string { return s.prefix.String() }

// First returns the first address of the source, which no other source has.
func (s Source) First() netip.Addr { return s.prefix.Addr() }

// Attempt is one login attempt. Attempts on phones without an account count alike.
type Attempt struct {
	Phone  user.Phone
	Source Source
}

// Grouping selects the failed attempts that are counted together.
type Grouping int

// The groupings of AUT-11.
const (
	ByPair      Grouping = iota // one phone from one source
	ByUnusual                   // one phone from sources without a recent login of it
	BySourceAny                 // one source, any phone
)

// SparesUsual reports whether a full grouping still admits a phone at one of its usual
// sources. At a usual source only ByPair limits the phone.
func (g Grouping) SparesUsual() bool { return g == ByUnusual || g == BySourceAny }

// Limit is the maximum of failed attempts of a grouping within a window.
type Limit struct {
	Grouping Grouping
	Max      int
	Window   time.Duration
}

// Limits returns the limits of AUT-11. They slow down guessing, and an attacker
// cannot use them to lock a user out of the user's usual sources.
func Limits() []Limit {
	return []Limit{
		{ByPair, 5, 15 * time.Minute},
		{ByUnusual, 100, time.Hour},
		{BySourceAny, 300, 15 * time.Minute},
	}
}

// UsualFor is how long after a login its source counts as usual for the phone.
const UsualFor = 30 * 24 * time.Hour

// Throttle counts failed logins. Every implementation passes test/ports.Throttle.
type Throttle interface {
	// Begin counts the attempt as failed in every grouping of Limits that it belongs
	// to. If one of them is full, Begin must count nothing and return ErrThrottled with
	// the time until all of them admit an attempt again. At a usual source of the phone,
	// a full grouping that SparesUsual must not stop the attempt; BySourceAny still
	// counts it. Checking and counting must be one step, so that concurrent attempts
	// cannot exceed a limit. Limits ignore what a server has counted whose clock ran
	// ahead, by more than ratelimit.Skew.
	Begin(ctx context.Context, a Attempt, now time.Time) error
	// IsUsual reports whether the attempt comes from a usual source of the phone: one that
	// it logged in from within UsualFor.
	IsUsual(ctx context.Context, a Attempt, now time.Time) (bool, error)
	// Succeed removes the attempt, clears the ByPair count, and makes the source a
	// usual one of the phone, unless no account has the phone any more: it may have
	// been erased since the attempt began.
	Succeed(ctx context.Context, a Attempt, now time.Time) error
	// Abandon removes one attempt that was not decided.
	Abandon(ctx context.Context, a Attempt, now time.Time) error
	// Forget removes what is counted of the phone, in all groupings and from all sources. Its usual
	// sources stay.
	Forget(ctx context.Context, phone user.Phone) error
}

// ErrThrottled returns the fault of too many failed logins.
func ErrThrottled(after time.Duration) error {
	return fault.RetryAfter(fault.Throttled, after, "Too many failed logins. Try again later.").AtLimit("failed_logins")
}
