package contract

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
)

// throttleRows show AUT-11 wherever the failures are counted. That processes count
// together is for sharingRows to show.
var throttleRows = []row{
	{"AUT-11 five failures from an address close it to the username", fiveFailures, everyStore},
	{"AUT-11 unknown usernames count alike", unknownCountAlike, oneStore},
	{"AUT-11 other addresses stay open", otherAddressesStayOpen, oneStore},
	{"AUT-11 X-Forwarded-For of a stranger is not believed and warned of", strangersForward, oneStore},
	{"AUT-11 of several forwarded addresses the last not trusted counts", forwardedChain, oneStore},
}

// behindProxy is a server that believes its proxy, from where the tests talk: no balancer is between.
func (on store) behindProxy(t *testing.T) *server {
	on.balance = nil
	t.Helper()
	return on.startWith(t, trustTests)
}

// trustTests makes the address of the tests, and others, those of trusted proxies.
func trustTests(c *settings.Config) {
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.0.0.0/8")}
}

// from is a client at the address.
func (s *server) from(address string) *client { return s.anyone().saying("X-Forwarded-For", address) }

// throttled asserts a 429 and returns how long to wait.
func (a answer) throttled() time.Duration {
	a.t.Helper()
	a.fails(429, "THROTTLED")
	seconds, err := strconv.Atoi(a.header.Get("Retry-After"))
	require.NoError(a.t, err, "Retry-After: %q", a.header.Get("Retry-After"))
	assert.Positive(a.t, seconds)
	return time.Duration(seconds) * time.Second
}

// failsTimes tries to log in wrongly, n times.
func (c *client) failsTimes(t *testing.T, n int, phone string) {
	t.Helper()
	for range n {
		c.wrongly(t, phone).invalid("non_field_errors")
	}
}

func fiveFailures(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	for range 5 {
		s.anyone().wrongly(t, ada.phone).invalid("non_field_errors")
		s.clock.advance(time.Minute)
	}
	for range 3 { // the right password too, and it does not make it longer
		assert.Equal(t, 10*time.Minute, s.anyone().logsIn(t, ada.phone, password).throttled())
	}
	s.anyone().gets(t, bob)
	ada.get(t, profile).is(200)
	s.clock.advance(10*time.Minute - time.Second)
	assert.Equal(t, time.Second, s.anyone().wrongly(t, ada.phone).throttled())
	s.clock.advance(time.Second)
	s.anyone().failsTimes(t, 1, ada.phone)
	assert.Equal(t, time.Minute, s.anyone().wrongly(t, ada.phone).throttled(), "the window slides")
	s.clock.advance(time.Minute)
	s.anyone().gets(t, ada)
}

func unknownCountAlike(t *testing.T, s *server) {
	ada := s.member(t)
	const nobody = "+86-13999999999"
	s.anyone().failsTimes(t, 5, ada.phone)
	s.anyone().failsTimes(t, 5, nobody)
	known, unknown := s.anyone().wrongly(t, ada.phone), s.anyone().wrongly(t, nobody)
	assert.Equal(t, known.throttled(), unknown.throttled())
	assert.JSONEq(t, string(known.body), string(unknown.body))
}

func otherAddressesStayOpen(t *testing.T, s *server) {
	s = s.on.behindProxy(t)
	ada := s.member(t)
	s.from("192.0.2.1").failsTimes(t, 5, ada.phone)
	s.from("192.0.2.1").logsIn(t, ada.phone, password).throttled()
	s.from("::ffff:192.0.2.1").logsIn(t, ada.phone, password).throttled()
	s.from("192.0.2.2").gets(t, ada)
	s.from("192.0.2.1").logsIn(t, ada.phone, password).throttled()
}

func strangersForward(t *testing.T, s *server) {
	s = s.direct(t)
	ada := s.member(t)
	for i := range 5 {
		s.from(fmt.Sprintf("192.0.2.%d", i)).failsTimes(t, 1, ada.phone)
	}
	s.from("192.0.2.99").logsIn(t, ada.phone, password).throttled()
	s.anyone().logsIn(t, ada.phone, password).throttled()
	s.stop()
	assert.Equal(t, len(s.apps), strings.Count(s.log.String(), `level=WARN msg="ignoring X-Forwarded-For`), "each process once")

	trusting := s.on.behindProxy(t)
	trusting.from("192.0.2.1").wrongly(t, ada.phone)
	trusting.stop()
	assert.NotContains(t, trusting.log.String(), "ignoring X-Forwarded-For")
}

func forwardedChain(t *testing.T, s *server) {
	s = s.on.behindProxy(t)
	ada := s.member(t)
	for i := range 5 { // what stands before it is only what the caller says
		s.from(fmt.Sprintf("203.0.113.%d, 192.0.2.1, 10.1.2.3", i)).failsTimes(t, 1, ada.phone)
	}
	s.from("192.0.2.1").logsIn(t, ada.phone, password).throttled()
	s.from("203.0.113.77, 192.0.2.1").logsIn(t, ada.phone, password).throttled()
	s.from("192.0.2.1, 203.0.113.1").gets(t, ada)
}
