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
)

// framed serves one request through the middleware and returns the log.
func framed(r *http.Request, next http.HandlerFunc) (*httptest.ResponseRecorder, string) {
	var log bytes.Buffer
	w := httptest.NewRecorder()
	newMiddleware(next, Config{Log: slog.New(slog.NewTextHandler(&log, nil))}).ServeHTTP(w, r)
	return w, log.String()
}

func TestGEN_10_the_response_and_every_log_line_have_the_request_id(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/secret/path?phone=8613900000001", strings.NewReader("secret body"))
	r.Header.Set("X-Request-ID", "abc-123")
	r.Header.Set("Authorization", "Token secret key")
	w, log := framed(r, func(w http.ResponseWriter, r *http.Request) {
		requestLogOf(r.Context()).route = "/path/:id"
		Logger(r.Context()).Info("something of the handler's")
		w.WriteHeader(http.StatusTeapot)
		w.Write([]byte("short"))
	})
	assert.Equal(t, "abc-123", w.Header().Get("X-Request-ID"))
	lines := strings.Split(strings.TrimSpace(log), "\n")
	require.Len(t, lines, 2)
	for _, line := range lines {
		assert.Contains(t, line, "request_id=abc-123")
	}
	assert.Contains(t, lines[1], "method=POST route=/path/:id status=418 bytes=5 duration_ms=")
	assert.NotContains(t, log, "secret")
	assert.NotContains(t, log, "13900000001")
}

func TestEvery_response_has_the_security_headers_and_a_deadline(t *testing.T) {
	w, log := framed(httptest.NewRequest(http.MethodGet, "/", nil), func(w http.ResponseWriter, r *http.Request) {
		ends, set := r.Context().Deadline()
		assert.True(t, set)
		assert.LessOrEqual(t, time.Until(ends), deadline)
		w.Write(nil)
	})
	for _, common := range commonHeaders {
		assert.Equal(t, common.value, w.Header()[common.name], common.name)
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
	f := newMiddleware(http.NotFoundHandler(), Config{
		Log:            slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
	})
	send := func(peer, forwarded string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = peer
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
		f.ServeHTTP(httptest.NewRecorder(), r)
	}
	send("192.0.2.1:1", "")
	send("10.1.2.3:1", "192.0.2.9")
	send("[::ffff:10.1.2.3]:1", "192.0.2.9")
	send("@", "192.0.2.9")
	assert.Empty(t, log.String())
	send("192.0.2.1:1", "192.0.2.9")
	send("192.0.2.1:1", "192.0.2.9")
	assert.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
	assert.Regexp(t, `request_id=\w+ peer=192\.0\.2\.1`, log.String())
	send("192.168.1.2:1", "192.0.2.9")
	send("127.0.0.1:1", "192.0.2.9")
	assert.Equal(t, 2, strings.Count(log.String(), "\n"), "the warning of a peer on the internet hides none of an internal one")
	assert.Regexp(t, `request_id=\w+ peer=192\.168\.1\.2`, log.String())
}
