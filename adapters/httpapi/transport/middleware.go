package transport

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"plaza/domain/ratelimit"
)

// Config holds the settings of all requests.
type Config struct {
	// TrustedProxies are the peers whose X-Forwarded-For is trusted. Without any, the
	// caller's address is always the peer's (AUT-11).
	TrustedProxies []netip.Prefix
	// Origins are the origins whose pages may call the interface from a browser (GEN-15).
	// Each is exact, or * for any.
	Origins []string
	// MaxRequests is how many requests are worked on at once; zero means any number. Further
	// ones are refused at once. A request does not count while its body arrives (GEN-14).
	MaxRequests int
	// AddressLimit limits the requests without a valid token from one address (GEN-14). The
	// zero Limit is none.
	AddressLimit ratelimit.Limit
	Now          func() time.Time // required with an AddressLimit
	// BasePath is what clients see before the paths of this server, like /plaza, because a proxy
	// removes it. Empty: nothing.
	BasePath string
	// HasDemo tells that accounts have the public password of the demo data.
	HasDemo bool
	// Tracer begins spans of requests. Nil: none begin, at no cost.
	Tracer  trace.Tracer
	Log     *slog.Logger
	Metrics Metrics
}

// Wrap returns the handler within all that every request passes: the middleware, CORS, and the
// limit on requests that are worked on at once.
func Wrap(next http.Handler, c Config) http.Handler {
	return NewMiddleware(WithCORS(LimitRequests(next, c.MaxRequests), c.Origins), c)
}

// middleware wraps every request, including redirects and unknown paths. It sets the
// request's ID, logger and deadline and the response's headers. It logs each request and
// recovers from panics.
type middleware struct {
	Config
	next   http.Handler
	warned struct {
		internal, public sync.Once // of an untrusted peer that forwards
		unreadable       sync.Once // of a trusted one
	}
}

func NewMiddleware(next http.Handler, c Config) *middleware {
	if c.Metrics.Begun == nil {
		c.Metrics = Metrics{func() {}, func(string, string, int, time.Duration) {}, func(string) {}}
	}
	return &middleware{Config: c, next: next}
}

func (f *middleware) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	out := &recorder{ResponseWriter: w, isHead: r.Method == http.MethodHead, base: f.BasePath}
	client, isReadable := clientAddr(r, f.TrustedProxies)
	forwarder := untrustedForwarder(r, f.TrustedProxies)
	out.log = requestLog{
		log: f.Log, id: RequestID(r.Header.Get(requestIDHeader)), Client: client, limited: f.Metrics.Limited,
		// An internal peer that forwards is most likely a proxy that the configuration lacks: a limit would be one for all clients
		// behind it. A peer on the internet stays limited although it sends X-Forwarded-For, because any client can send that.
		isLimited: client.IsValid() && !isInternal(forwarder),
	}
	out.log.begin(f.Tracer, r)
	ctx, cancel := context.WithDeadline(&out.log, began.Add(paceOf(r).whole))
	defer cancel()
	r = r.WithContext(ctx)
	if r.ContentLength != 0 { // a body that no handler reads, as of a preflight, is read by the server
		_ = http.NewResponseController(w).SetReadDeadline(began.Add(paceOf(r).whole))
	}
	delete(r.Header, "X-Forwarded-Prefix") // the router would redirect by it
	r.URL.Scheme, r.URL.Host = "", ""      // a target may be a whole URL; the router would redirect by that too
	f.warnOf(ctx, forwarder)
	if !isReadable {
		f.warned.unreadable.Do(func() {
			Logger(ctx).Warn("X-Forwarded-For of a trusted proxy can't be read: all clients count as one address, the proxy's", "peer", client)
		})
	}

	setCommonHeaders(out.Header())
	out.Header().Set(requestIDHeader, out.log.id)
	f.Metrics.Begun()
	out.log.ended = sync.OnceFunc(func() { f.Metrics.Ended(r.Method, out.log.pattern(), out.status, time.Since(began)) })
	defer func() {
		took := time.Since(began)
		out.log.ended()
		out.note(ctx, r, took)
		out.end(r)
	}()
	defer recoverPanic(out, r)
	f.next.ServeHTTP(out, r)
}

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
		Fail(out, r, fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
	}
}

// warnOf warns when an untrusted peer names another caller's address: the peer lies, or a proxy is missing from the
// configuration and every caller counts as the proxy (AUT-11). It warns once of an internal
// peer and once of one on the internet, so that a lie does not hide the missing proxy.
func (f *middleware) warnOf(ctx context.Context, peer netip.Addr) {
	switch {
	case !peer.IsValid():
	case isInternal(peer):
		f.warned.internal.Do(func() {
			Logger(ctx).Warn("ignoring X-Forwarded-For from an untrusted peer, and the limit by address for it: "+
				"if the peer is a proxy, add it to PLAZA_TRUSTED_PROXIES", "peer", peer)
			if f.HasDemo {
				Logger(ctx).Warn("demo accounts have their public password, and a proxy leads other machines here")
			}
		})
	default:
		f.warned.public.Do(func() {
			Logger(ctx).Warn("ignoring X-Forwarded-For from an untrusted peer: "+
				"if the peer is a proxy, add it to PLAZA_TRUSTED_PROXIES, because all its clients count as one address", "peer", peer)
		})
	}
}

// Metrics receives what the interface counts. Many requests call the functions at once, so
// they must return quickly. Without Begun nothing is counted.
type Metrics struct {
	// Begun counts a request that has arrived.
	Begun func()
	// Ended counts a request after its handler has returned. The method is the client's own
	// text. The route and the status are those of the log line: the route is a pattern of
	// this program, or "none" for an unknown path.
	Ended func(method, route string, status int, took time.Duration)
	// Limited counts a request that the named limit has refused (fault.Error.Limit).
	Limited func(limit string)
}

// callerSpan returns the span that the request's traceparent names. It is invalid without a
// well-formed header.
func callerSpan(h http.Header) trace.SpanContext {
	if h["Traceparent"] == nil {
		return trace.SpanContext{}
	}
	ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.HeaderCarrier(h))
	return trace.SpanContextFromContext(ctx)
}

// begin begins the span of the request, which the caller's span is the parent of, and sets the log's
// context. Without a tracer it only records the trace that the caller names.
func (l *requestLog) begin(tracer trace.Tracer, r *http.Request) {
	l.Context = r.Context()
	caller := callerSpan(r.Header)
	l.trace = caller.TraceID()
	if tracer == nil {
		return
	}
	if caller.IsValid() {
		l.Context = trace.ContextWithRemoteSpanContext(l.Context, caller)
	}
	l.Context, l.span = tracer.Start(l.Context, r.Method, trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.String("http.request.method", r.Method), attribute.String("plaza.request_id", l.id)))
	l.trace = l.span.SpanContext().TraceID()
}
