package httpapi

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"maps"
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

// middleware is around every request, redirects and unknown paths included: it gives
// the request an id, a logger and a deadline, and the response its headers; it
// logs how it went, and outlives panics.
type middleware struct {
	next    http.Handler
	log     *slog.Logger
	trusted []netip.Prefix
	warning sync.Once
}

func newMiddleware(next http.Handler, c Config) *middleware {
	return &middleware{next: next, log: c.Log, trusted: c.TrustedProxies}
}

// always are the headers of every response, unless a handler knows better. All
// responses share the values. With those that a tagged answer of JSON gets in addition
// they are eight, which is what the smallest map holds: one more costs a response as
// much as its JSON.
var always = http.Header{
	"Cache-Control":           {"private, no-store"},
	"Content-Security-Policy": {"default-src 'none'; frame-ancestors 'none'"},
	"X-Content-Type-Options":  {"nosniff"},
}

func (f *middleware) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	id := requestID(r.Header.Get(requestIDHeader))
	ctx, cancel := context.WithTimeout(withLogger(r.Context(), f.log, id), allowed(r))
	defer cancel()
	r = r.WithContext(ctx)
	f.distrust(r)

	out := &recorder{ResponseWriter: w, isHead: r.Method == http.MethodHead}
	maps.Copy(out.Header(), always)
	out.Header()[requestIDHeader] = []string{id}
	defer func() { f.note(ctx, id, r, out, began) }()
	defer survive(out, r)
	f.next.ServeHTTP(out, r)
}

// note logs how the request went. It goes past the logger, which would find out every
// time which line of the program calls it.
func (f *middleware) note(ctx context.Context, id string, r *http.Request, out *recorder, began time.Time) {
	handler, now := f.log.Handler(), time.Now()
	if !handler.Enabled(ctx, slog.LevelInfo) {
		return
	}
	line := slog.NewRecord(now, slog.LevelInfo, "request", 0)
	line.AddAttrs(slog.String(requestIDKey, id), slog.String("method", r.Method), slog.String("route", routeOf(r)),
		slog.Int("status", out.status), slog.Int("bytes", out.bytes), slog.Duration("duration", now.Sub(began)))
	_ = handler.Handle(ctx, line) // whom could it be told?
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
func (f *middleware) distrust(r *http.Request) {
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
		Logger(r.Context()).Warn("ignoring X-Forwarded-For from a peer that is not among the trusted proxies", "peer", peer.Addr())
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

// requestIDHeader is the header of the id of a request, in the form in which maps have
// it.
const requestIDHeader = "X-Request-Id"

// requestIDKey is what the id of a request is called in the log.
const requestIDKey = "request_id"

// identified is a logger whose lines are to bear the id of a request. Few requests
// log more than how they went, so it is made when it is asked for.
type identified struct {
	log *slog.Logger
	id  string
}

// withLogger lets the context carry the logger of the request: its id, and
// nothing about who makes it.
func withLogger(ctx context.Context, log *slog.Logger, id string) context.Context {
	return context.WithValue(ctx, loggerKey{}, identified{log, id})
}

// Logger is the logger of the request that the context belongs to: its lines bear
// the request's id (GEN-10). Without a request it is the default one.
func Logger(ctx context.Context) *slog.Logger { return LoggerOr(ctx, slog.Default()) }

// LoggerOr is Logger, with another one for what belongs to no request.
func LoggerOr(ctx context.Context, otherwise *slog.Logger) *slog.Logger {
	if l, ok := ctx.Value(loggerKey{}).(identified); ok {
		return l.log.With(requestIDKey, l.id)
	}
	return otherwise
}

// recorder remembers how a response went.
type recorder struct {
	http.ResponseWriter
	isHead bool
	status int // zero until the response has begun
	bytes  int
}

// WriteHeader sends the status. The router redirects HEAD as it does POST; it is answered
// as GET is, however (GEN-09).
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

// Unwrap lets http.ResponseController reach what is underneath.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
