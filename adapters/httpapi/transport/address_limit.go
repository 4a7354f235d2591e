package transport

import (
	"net/http"
	"net/netip"
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
	limit   ratelimit.Limit
	trusted []netip.Prefix // proxies
	now     func() time.Time

	mu      sync.Mutex
	charged *ratelimit.Sketch
}

// NewAddressLimit returns the limit of the configuration, or nil if it is off.
func NewAddressLimit(c Config) *AddressLimit {
	if c.AddressLimit.IsOff() {
		return nil
	}
	return &AddressLimit{limit: c.AddressLimit, trusted: c.TrustedProxies, now: c.Now, charged: ratelimit.NewSketch(c.Now())}
}

// Charge counts the request. It returns a Throttled fault if the limit does not admit it. A
// nil limit and a client without an address, as on a Unix socket, admit everything.
//
// A request that an internal peer forwards is not limited while that peer is not among the
// trusted proxies: the peer is most likely a proxy that the configuration lacks, and then
// the limit would be one for all clients behind it. A peer on the internet stays limited
// although it sends X-Forwarded-For, because any client can send that.
func (l *AddressLimit) Charge(r *http.Request, addr netip.Addr) error {
	if l == nil || !addr.IsValid() || isInternal(untrustedForwarder(r, l.trusted)) {
		return nil
	}
	key := access.SourceOf(addr).First().As16()
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.charged.Charge(key[:], ratelimit.Charge{Limit: l.limit, Units: 1, Now: l.now()})
	if refused, is := fault.As(err); is {
		return fault.RetryAfter(fault.Throttled, refused.RetryAfter,
			"Too many requests without a valid token from your address. Log in, or try again later.").AtLimit("address")
	}
	return err
}
