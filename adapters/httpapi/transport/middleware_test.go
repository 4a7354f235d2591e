package transport

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
)

func framed(r *http.Request, next http.HandlerFunc) (*httptest.ResponseRecorder, string) {
	var log bytes.Buffer
	w := httptest.NewRecorder()
	NewMiddleware(next, Config{Log: slog.New(slog.NewTextHandler(&log, nil))}).ServeHTTP(w, r)
	return w, log.String()
}

func TestEvery_response_has_the_security_headers_and_a_deadline(t *testing.T) {
	w, log := framed(httptest.NewRequest(http.MethodGet, "/", nil), func(w http.ResponseWriter, r *http.Request) {
		ends, set := r.Context().Deadline()
		assert.True(t, set)
		assert.LessOrEqual(t, time.Until(ends), deadline)
		w.Write(nil)
	})
	for name, value := range map[string]string{
		"Cache-Control": "private, no-store", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
		"X-Content-Type-Options": "nosniff",
	} {
		assert.Equal(t, []string{value}, w.Header()[name], name)
	}
	assert.Contains(t, log, "route=none status=200 bytes=0")
}

func TestA_panic_is_a_mistake_of_ours(t *testing.T) {
	w, log := framed(httptest.NewRequest(http.MethodGet, "/", nil), func(http.ResponseWriter, *http.Request) {
		panic("the sky fell")
	})
	assert.Equal(t, http.StatusInternalServerError, w.Code)
	assert.JSONEq(t, `{"error":true,"code":"SERVER_ERROR","data":{"detail":"Internal server error."}}`, w.Body.String())
	assert.Contains(t, log, "the sky fell")
	assert.Contains(t, log, "middleware_test.go", "the stack leads to the place")
	assert.Contains(t, log, "status=500")
}

func TestA_panic_amid_a_response_cuts_it_off(t *testing.T) {
	assert.PanicsWithValue(t, http.ErrAbortHandler, func() {
		framed(httptest.NewRequest(http.MethodGet, "/", nil), func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte(`{"data":`))
			panic("the sky fell")
		})
	})
}

func TestAUT_11_a_peer_that_plays_the_proxy_is_warned_of_once(t *testing.T) {
	var log bytes.Buffer
	f := NewMiddleware(http.NotFoundHandler(), Config{
		Log:            slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
	})
	send := func(peer string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = peer
		r.Header.Set("X-Forwarded-For", "192.0.2.9")
		f.ServeHTTP(httptest.NewRecorder(), r)
	}
	for _, peer := range []string{"10.1.2.3:1", "[::ffff:10.1.2.3]:1", "@"} {
		send(peer)
	}
	assert.Empty(t, log.String())
	for range 2 {
		send("192.0.2.1:1")
	}
	assert.Regexp(t, `^[^\n]*request_id=\w+ peer=192\.0\.2\.1\n$`, log.String())
	for _, peer := range []string{"192.168.1.2:1", "127.0.0.1:1"} {
		send(peer)
	}
	assert.Equal(t, 2, strings.Count(log.String(), "\n"), "the warning of a peer on the internet hides none of an internal one")
	assert.Regexp(t, `request_id=\w+ peer=192\.168\.1\.2`, log.String())
	assert.NotContains(t, log.String(), "demo accounts")
	f = NewMiddleware(http.NotFoundHandler(), Config{Log: f.Log, HasDemo: true})
	for range 2 {
		send("127.0.0.1:1")
	}
	assert.Equal(t, 1, strings.Count(log.String(), "demo accounts have their public password"))
}

func TestAUT_11_a_trusted_proxy_writes_addresses_in_many_ways(t *testing.T) {
	const v4, v6, proxy = "203.0.113.7", "2001:db8::7", "10.1.2.3"
	for header, want := range map[string]string{
		"": proxy, " ": proxy, ",": proxy, v4: v4, v4 + ":4711": v4, `"` + v4 + `"`: v4, `"` + v4 + `:4711"`: v4, "::ffff:" + v4: v4,
		v6: v6, "[" + v6 + "]": v6, "[" + v6 + "]:4711": v6, `"[` + v6 + `]:4711"`: v6,
		v4 + ",": v4, v4 + ", ,": v4, "192.0.2.9, " + v4 + ":1 , 10.9.9.9:80": v4, "10.0.0.9,10.9.9.9": "10.0.0.9", "unknown, " + v4: v4,
		"unknown": "", v4 + ":": "", v4 + ":port": "", "fe80::1%eth0": "", v4 + ", _hidden": "", "192.0.2.9, for=" + v4 + ", 10.9.9.9": "",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr, r.Header["X-Forwarded-For"] = proxy+":1", []string{header}
		var log bytes.Buffer
		f := NewMiddleware(http.NotFoundHandler(), Config{
			Log: slog.New(slog.NewTextHandler(&log, nil)), TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
		})
		for range 2 {
			f.ServeHTTP(httptest.NewRecorder(), r)
		}
		client, warnings := want, 0
		if want == "" {
			client, warnings = proxy, 1
		}
		assert.Equal(t, 2, strings.Count(log.String(), " client="+client+"\n"), "%q: %s", header, &log)
		assert.Equal(t, warnings, strings.Count(log.String(), "X-Forwarded-For of a trusted proxy can't be read"), "%q, once", header)
	}
}
