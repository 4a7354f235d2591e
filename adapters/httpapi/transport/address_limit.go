package transport

import (
	"context"
	"sync"
	"time"

	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/ratelimit"
)

// AddressLimit limits the requests without a valid token that come from one address
// (GEN-14). The network of an IPv6 address counts as one (AUT-11). Each process counts for
// itself, in fixed memory, so a limit costs no round trip; a client that several servers
// answer has the limit at each of them.
type AddressLimit struct {
	limit ratelimit.Limit
	now   func() time.Time

	mu      sync.Mutex
	charged *ratelimit.Sketch
}

// NewAddressLimit returns the limit of the configuration, or nil if it is off.
func NewAddressLimit(c Config) *AddressLimit {
	if c.AddressLimit.IsOff() {
		return nil
	}
	return &AddressLimit{limit: c.AddressLimit, now: c.Now, charged: ratelimit.NewSketch(c.Now())}
}

// Charge counts the request of the context. It returns a Throttled fault if the limit does not admit it. A nil limit admits
// everything.
func (l *AddressLimit) Charge(ctx context.Context) error {
	log := RequestLogOf(ctx)
	if l == nil || !log.isLimited {
		return nil
	}
	key := access.SourceOf(log.Client).First().As16()
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.charged.Charge(key[:], ratelimit.Charge{Limit: l.limit, Units: 1, Now: l.now()})
	if refused, is := fault.As(err); is {
		return fault.RetryAfter(fault.Throttled, refused.RetryAfter,
			"Too many requests without a valid token from your address. Log in, or try again later.").AtLimit("address")
	}
	return err
}
