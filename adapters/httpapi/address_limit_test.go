package httpapi

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/transport"
	"plaza/domain/ratelimit"
)

type limited struct {
	http.Handler
	log bytes.Buffer
}

func newLimited(t *testing.T) *limited {
	t.Helper()
	l := &limited{}
	c := transport.Config{
		AddressLimit: ratelimit.Limit{Count: 3, Period: time.Minute}, Now: func() time.Time { return noon },
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
		Log:            slog.New(slog.NewTextHandler(&l.log, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	a := &api{addresses: transport.NewAddressLimit(c)}
	router, err := newRouter(a, table)
	require.NoError(t, err)
	l.Handler = transport.NewMiddleware(router, c)
	return l
}

const documentPath = "/api/openapi.json"

func (l *limited) send(method, path, peer string, headers ...string) *httptest.ResponseRecorder {
	r := newRequest(method, path, headers...)
	r.RemoteAddr = netip.AddrPortFrom(netip.MustParseAddr(peer), 4711).String()
	w := httptest.NewRecorder()
	l.ServeHTTP(w, r)
	return w
}

func (l *limited) statuses(n int, method, path, peer string, headers ...string) (all []int) {
	for range n {
		all = append(all, l.send(method, path, peer, headers...).Code)
	}
	return all
}

func TestGEN_14_the_limit_is_off_for_what_an_internal_untrusted_peer_forwards(t *testing.T) {
	for peer, isLimited := range map[string]bool{
		"127.0.0.1": false, "192.168.1.2": false, "172.16.3.4": false, "100.64.0.9": false, "169.254.1.1": false,
		"::1": false, "fd00::1": false, "fe80::1": false, "::ffff:192.168.1.2": false,
		"192.0.2.1": true, "100.128.0.1": true, "2001:db8::1": true, "::ffff:192.0.2.1": true,
	} {
		l := newLimited(t)
		got := l.statuses(4, "GET", documentPath, peer, "X-Forwarded-For", "203.0.113.7")
		assert.Equal(t, isLimited, got[3] == 429, peer)
		assert.Equal(t, 1, strings.Count(l.log.String(), "level=WARN"), peer)
		l = newLimited(t)
		got = l.statuses(4, "GET", documentPath, peer)
		assert.Equal(t, 429, got[3], "%s, without the header", peer)
	}
}

func TestGEN_14_clients_without_an_address_are_not_limited(t *testing.T) {
	l := newLimited(t)
	for range 4 {
		r, w := newRequest("GET", documentPath), httptest.NewRecorder()
		r.RemoteAddr = "@" // of a Unix socket
		l.ServeHTTP(w, r)
		assert.Equal(t, 200, w.Code)
	}
}
