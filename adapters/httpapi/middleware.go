package httpapi

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// middleware wraps every request, including redirects and unknown paths. It sets the
// request's ID, logger and deadline and the response's headers. It logs each request and
// recovers from panics.
type middleware struct {
	next    http.Handler
	log     *slog.Logger
	metrics Metrics
	trusted []netip.Prefix

	warned struct{ internal, public sync.Once } // of an untrusted peer that forwards
}

func newMiddleware(next http.Handler, c Config) *middleware {
	return &middleware{next: next, log: c.Log, metrics: c.Metrics.complete(), trusted: c.TrustedProxies}
}

// commonHeaders are the headers of every response. A handler may override them. All responses share
// the values. With the headers that tagged JSON adds they are eight, the size of the
// smallest map; a ninth would cost as much memory as the JSON of a response.
var commonHeaders = http.Header{
	"Cache-Control":           {"private, no-store"},
	"Content-Security-Policy": {"default-src 'none'; frame-ancestors 'none'"},
	"X-Content-Type-Options":  {"nosniff"},
}

func (f *middleware) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	id := requestID(r.Header.Get(requestIDHeader))
	ctx, cancel := context.WithTimeout(withLogger(r.Context(), identified{f.log, id, f.metrics.Limited}), paceOf(r).whole)
	defer cancel()
	r = r.WithContext(ctx)
	f.dropProxyHeaders(r)

	out := &recorder{ResponseWriter: w, isHead: r.Method == http.MethodHead}
	maps.Copy(out.Header(), commonHeaders)
	out.Header()[requestIDHeader] = []string{id}
	f.metrics.Begun()
	defer func() {
		now := time.Now()
		f.metrics.Ended(r.Method, routeOf(r), out.status, now.Sub(began))
		f.note(ctx, id, r, out, began, now)
	}()
	defer recoverPanic(out, r)
	f.next.ServeHTTP(out, r)
}

// note logs the request. It calls the handler directly, because the logger would look up the
// source line each time.
func (f *middleware) note(ctx context.Context, id string, r *http.Request, out *recorder, began, now time.Time) {
	handler := f.log.Handler()
	if !handler.Enabled(ctx, slog.LevelInfo) {
		return
	}
	line := slog.NewRecord(now, slog.LevelInfo, "request", 0)
	line.AddAttrs(slog.String(requestIDKey, id), slog.String("method", r.Method), slog.String("route", routeOf(r)),
		slog.Int("status", out.status), slog.Int("bytes", out.bytes), slog.Duration("duration", now.Sub(began)))
	_ = handler.Handle(ctx, line) // a failure to log can't be reported
}

// routeOf returns the pattern of the matched route. The path itself is neither logged nor
// counted.
func routeOf(r *http.Request) string { return cmp.Or(r.Pattern, "none") }

// recoverPanic turns a panic into an internal error. It aborts a response that has begun, so that
// the client does not take it for complete.
func recoverPanic(out *recorder, r *http.Request) {
	cause := recover()
	switch {
	case cause == nil:
	case cause == http.ErrAbortHandler:
		panic(cause)
	case out.status != 0:
		Logger(r.Context()).ErrorContext(r.Context(), "panic after the response began", "cause", cause, "stack", string(debug.Stack()))
		panic(http.ErrAbortHandler)
	default:
		fail(out, r, fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
	}
}

// dropProxyHeaders removes headers that only a proxy may set. It warns when an untrusted peer
// names another caller's address: the peer lies, or a proxy is missing from the
// configuration and every caller counts as the proxy (AUT-11). It warns once of an internal
// peer and once of one on the internet, so that a lie does not hide the missing proxy.
func (f *middleware) dropProxyHeaders(r *http.Request) {
	r.Header.Del("X-Forwarded-Prefix") // the router would redirect by it
	r.URL.Scheme, r.URL.Host = "", ""  // a target may be a whole URL; the router would redirect by that too
	peer := untrustedForwarder(r, f.trusted)
	switch {
	case !peer.IsValid():
	case isInternal(peer):
		f.warned.internal.Do(func() {
			Logger(r.Context()).Warn("ignoring X-Forwarded-For from an untrusted peer, and the limit by address for it: "+
				"if the peer is a proxy, add it to PLAZA_TRUSTED_PROXIES", "peer", peer)
		})
	default:
		f.warned.public.Do(func() {
			Logger(r.Context()).Warn("ignoring X-Forwarded-For from an untrusted peer: "+
				"if the peer is a proxy, add it to PLAZA_TRUSTED_PROXIES, because all its clients count as one address", "peer", peer)
		})
	}
}

// requestID returns the ID that the caller sent if it is well-formed, else a new one
// (GEN-10).
func requestID(given string) string {
	isOdd := func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\'' }
	if given == "" || len(given) > 128 || strings.ContainsFunc(given, isOdd) {
		return rand.Text()
	}
	return given
}

type loggerKey struct{}

// requestIDHeader is the request ID's header in canonical form.
const requestIDHeader = "X-Request-Id"

// requestIDKey is the request ID's key in the log.
const requestIDKey = "request_id"

// identified makes the logger with the request's ID on demand, because few requests log more
// than one line.
type identified struct {
	log     *slog.Logger
	id      string
	limited func(limit string) // counts a refusal (Metrics)
}

// withLogger puts the logger with the request's ID into the context. The context carries
// nothing about the caller.
func withLogger(ctx context.Context, l identified) context.Context {
	return context.WithValue(ctx, loggerKey{}, l)
}

// Logger returns the logger of the context's request. Its lines have the request's ID
// (GEN-10). Without a request it returns the default logger.
func Logger(ctx context.Context) *slog.Logger { return LoggerOr(ctx, slog.Default()) }

// LoggerOr is like Logger, but returns otherwise without a request.
func LoggerOr(ctx context.Context, otherwise *slog.Logger) *slog.Logger {
	if l, ok := ctx.Value(loggerKey{}).(identified); ok {
		return l.log.With(requestIDKey, l.id)
	}
	return otherwise
}

// recorder remembers the status and the size of a response.
type recorder struct {
	http.ResponseWriter
	isHead bool
	status int // zero before the response begins
	bytes  int
}

// WriteHeader sends the status. The router redirects HEAD as it does POST; WriteHeader
// answers it as GET (GEN-09).
func (r *recorder) WriteHeader(status int) {
	if r.isHead && status == http.StatusTemporaryRedirect {
		status = http.StatusMovedPermanently
	}
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

// Unwrap gives http.ResponseController access to the wrapped writer.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
