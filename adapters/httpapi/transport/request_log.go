package transport

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"plaza/domain/fault"
	"plaza/domain/user"
)

// requestLog is what the log says about a request. Only the goroutine of the request changes
// it; others may log lines with it. It is the context of the request without its deadline.
type requestLog struct {
	context.Context // of the connection, perhaps with a span; nil: none
	log             *slog.Logger
	id              string
	Client          netip.Addr // the caller's address; zero: none, as on a Unix socket
	isLimited       bool       // limits by address hold for the client
	Route           string     // pattern of the matched route; empty: none
	User            user.ID    // zero: no valid token
	code            string     // of the error; empty: none
	fields          string     // names of the refused fields; empty: none
	detail          string     // the sentence of a 404 or 409; empty: none

	sending sender             // the response; zero before LimitRequests
	limited func(limit string) // counts a refusal (Metrics); nil: nothing counts
	ended   func()             // counts the request as ended, although its response goes on

	trace trace.TraceID
	span  trace.Span // nil: none
}

// maxLoggedFields bounds the names of refused fields in a line, some of which a client chooses, in bytes.
const maxLoggedFields = 200

// refused notes why the request was refused. Values of fields are not logged: they may be secrets.
func (l *requestLog) refused(e envelope) {
	l.code = e.Code
	switch why := e.Data.(type) {
	case fault.Fields:
		l.fields = strings.Join(slices.Sorted(maps.Keys(why)), ",")
		l.fields = strings.ToValidUTF8(l.fields[:min(len(l.fields), maxLoggedFields)], "")
	case detail:
		if e.Code == fault.NotFound.Code() || e.Code == fault.Conflict.Code() {
			l.detail = why.Detail
		}
	}
}

type requestLogKey struct{}

// Value returns the log itself for its key. No rule may depend on it: the actor of a request is an argument.
func (l *requestLog) Value(key any) any {
	if key == (requestLogKey{}) {
		return l
	}
	return l.Context.Value(key)
}

// RequestLogOf returns the log of the context's request. Without a request, as in tests, it
// returns one that is never written.
func RequestLogOf(ctx context.Context) *requestLog {
	if l, ok := ctx.Value(requestLogKey{}).(*requestLog); ok {
		return l
	}
	return &requestLog{}
}

// Logger returns the logger of the context's request. Its lines have the request's ID
// (GEN-10). Without a request it returns the default logger.
func Logger(ctx context.Context) *slog.Logger { return LoggerOr(ctx, slog.Default()) }

// LoggerOr is like Logger, but returns otherwise without a request. It makes the logger on
// demand, because few requests log more than one line.
func LoggerOr(ctx context.Context, otherwise *slog.Logger) *slog.Logger {
	if l, ok := ctx.Value(requestLogKey{}).(*requestLog); ok {
		if l.trace.IsValid() {
			return l.log.With("request_id", l.id, "trace_id", l.trace.String())
		}
		return l.log.With("request_id", l.id)
	}
	return otherwise
}

// pattern returns the pattern of the matched route, or none. The path itself is not logged: it
// may have secrets.
func (l *requestLog) pattern() string { return cmp.Or(l.Route, "none") }

// milliseconds returns the duration in milliseconds, to the microsecond.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// recorder remembers the status and the size of a response.
type recorder struct {
	http.ResponseWriter
	isHead bool
	base   string // what clients see before the paths of this server
	status int    // zero before the response begins
	bytes  int
	log    requestLog
}

// WriteHeader sends the status. The router redirects HEAD as it does POST; WriteHeader
// answers it as GET (GEN-09).
func (r *recorder) WriteHeader(status int) {
	if r.isHead && status == http.StatusTemporaryRedirect {
		status = http.StatusMovedPermanently
	}
	if r.status == 0 && status >= http.StatusOK {
		r.status = status
		if r.base != "" && strings.HasPrefix(r.Header().Get("Location"), "/") {
			r.Header().Set("Location", r.base+r.Header().Get("Location"))
		}
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

// note logs the request in one line. It calls the handler directly, because the logger would
// look up the source line each time.
func (r *recorder) note(ctx context.Context, req *http.Request, took time.Duration) {
	l := &r.log
	handler := l.log.Handler()
	if !handler.Enabled(ctx, slog.LevelInfo) {
		return
	}
	line := slog.NewRecord(time.Now(), slog.LevelInfo, "request", 0)
	attrs := []slog.Attr{
		slog.String("request_id", l.id), slog.String("method", req.Method), slog.String("route", l.pattern()),
		slog.Int("status", r.status), slog.Int("bytes", r.bytes), slog.Float64("duration_ms", milliseconds(took)),
	}
	if l.Client.IsValid() {
		attrs = append(attrs, slog.String("client", l.Client.String()))
	}
	if l.User != 0 {
		attrs = append(attrs, slog.Int64("user", int64(l.User)))
	}
	for _, why := range [...]slog.Attr{slog.String("code", l.code), slog.String("fields", l.fields), slog.String("detail", l.detail)} {
		if why.Value.String() != "" {
			attrs = append(attrs, why)
		}
	}
	// The origin of a preflight is logged if it is not listed.
	if origin := req.Header.Get("Origin"); req.Method == http.MethodOptions && origin != "" && r.status >= http.StatusBadRequest {
		attrs = append(attrs, slog.String("origin", strings.ToValidUTF8(origin[:min(len(origin), maxLoggedFields)], "")))
	}
	if l.trace.IsValid() {
		attrs = append(attrs, slog.String("trace_id", l.trace.String()))
	}
	line.AddAttrs(attrs...)
	_ = handler.Handle(ctx, line) // a failure to log can't be reported
}

// end ends the span of the request, if there is one. It is named by the route: a path may
// have secrets.
func (r *recorder) end(req *http.Request) {
	span := r.log.span
	if span == nil {
		return
	}
	span.SetName(req.Method + " " + r.log.pattern())
	span.SetAttributes(attribute.String("http.route", r.log.pattern()), attribute.Int("http.response.status_code", r.status))
	if r.log.code != "" {
		span.SetAttributes(attribute.String("error.type", r.log.code))
	}
	if r.status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, r.log.code)
	}
	span.End()
}
