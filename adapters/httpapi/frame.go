package httpapi

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
)

// Deadlines are how long a request may take, all told.
const (
	deadline = 20 * time.Second
	// uploadDeadline leaves a telephone the time to send a picture.
	uploadDeadline = time.Minute
)

// allowed is how long the request may take. What brings more than a body of JSON,
// or does not say how much it brings, is taken for an upload.
func allowed(r *http.Request) time.Duration {
	if r.ContentLength > maxBody || r.ContentLength < 0 {
		return uploadDeadline
	}
	return deadline
}

// frame is around every request, redirects and unknown paths included: it gives
// the request an id, a logger and a deadline, and the response its headers; it
// logs how it went, and outlives panics.
type frame struct {
	next    http.Handler
	log     *slog.Logger
	trusted []netip.Prefix
	warning sync.Once
}

func newFrame(next http.Handler, c Config) *frame {
	return &frame{next: next, log: c.Log, trusted: c.TrustedProxies}
}

// always are the headers of every response, unless a handler knows better.
var always = map[string]string{
	"Cache-Control":           "private, no-store",
	"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
	"Referrer-Policy":         "no-referrer",
	"X-Content-Type-Options":  "nosniff",
	"X-Frame-Options":         "DENY",
}

func (f *frame) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	id := requestID(r.Header.Get("X-Request-ID"))
	log := f.log.With("request_id", id)
	ctx, cancel := context.WithTimeout(withLogger(r.Context(), log), allowed(r))
	defer cancel()
	r = r.WithContext(ctx)
	f.distrust(r, log)

	out := &recorder{ResponseWriter: w}
	out.Header().Set("X-Request-ID", id)
	for name, value := range always {
		out.Header().Set(name, value)
	}
	defer func() {
		log.InfoContext(ctx, "request", "method", r.Method, "route", routeOf(r),
			"status", out.status, "bytes", out.bytes, "duration", time.Since(began))
	}()
	defer survive(out, r)
	f.next.ServeHTTP(out, r)
}

// routeOf is the pattern of the route that the router took the request to. The
// path itself is no business of the log's.
func routeOf(r *http.Request) string {
	if r.Pattern == "" {
		return "none"
	}
	return r.Pattern
}

// survive makes a panic a mistake of ours like any other. A response that had
// begun can't be taken back: it is cut off, so that nobody takes it for whole.
func survive(out *recorder, r *http.Request) {
	cause := recover()
	switch {
	case cause == nil:
	case cause == http.ErrAbortHandler:
		panic(cause)
	case out.status != 0:
		Logger(r.Context()).ErrorContext(r.Context(), "panic amid a response", "cause", cause, "stack", string(debug.Stack()))
		panic(http.ErrAbortHandler)
	default:
		fail(out, r, fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
	}
}

// distrust takes away what only a proxy should say, and warns, once, when a peer
// that is no trusted proxy names another caller's address: then either somebody
// is lying, or every caller counts as the proxy (AUT-11).
func (f *frame) distrust(r *http.Request, log *slog.Logger) {
	r.Header.Del("X-Forwarded-Prefix") // the router would redirect by it, whoever sent it
	r.URL.Scheme, r.URL.Host = "", ""  // and by these, when the target is a whole address
	if r.Header.Get("X-Forwarded-For") == "" {
		return
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || slices.ContainsFunc(f.trusted, func(p netip.Prefix) bool { return p.Contains(peer.Addr().Unmap()) }) {
		return
	}
	f.warning.Do(func() {
		log.Warn("ignoring X-Forwarded-For from a peer that is not among the trusted proxies", "peer", peer.Addr())
	})
}

// requestID is the id that the caller gave the request, if it is well-formed, else
// a new one (GEN-10).
func requestID(given string) string {
	isOdd := func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\'' }
	if given == "" || len(given) > 128 || strings.ContainsFunc(given, isOdd) {
		return rand.Text()
	}
	return given
}

type loggerKey struct{}

// withLogger lets the context carry the logger of the request: its id, and
// nothing about who makes it.
func withLogger(ctx context.Context, log *slog.Logger) context.Context {
	return context.WithValue(ctx, loggerKey{}, log)
}

// Logger is the logger of the request that the context belongs to: its lines bear
// the request's id (GEN-10). Without a request it is the default one.
func Logger(ctx context.Context) *slog.Logger {
	if log, ok := ctx.Value(loggerKey{}).(*slog.Logger); ok {
		return log
	}
	return slog.Default()
}

// recorder remembers how a response went.
type recorder struct {
	http.ResponseWriter
	status int // zero until the response has begun
	bytes  int
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= http.StatusOK {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += n
	return n, err
}

// Unwrap lets http.ResponseController reach what is underneath.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
