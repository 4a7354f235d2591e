package httpapi

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"plaza/adapters/httpapi/transport"
	"plaza/domain/fault"
)

// logged serves one request with the whole interface and returns the fields of its line.
func logged(t *testing.T, r *http.Request, rows ...route) map[string]any {
	t.Helper()
	var log bytes.Buffer
	router, err := newRouter(&api{}, rows)
	require.NoError(t, err)
	c := transport.Config{Log: slog.New(slog.NewJSONHandler(&log, nil)), TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	transport.NewMiddleware(transport.LimitRequests(router, 1), c).ServeHTTP(httptest.NewRecorder(), r)
	var line map[string]any
	require.NoError(t, json.Unmarshal(log.Bytes(), &line), "one line: %s", log.String())
	for _, name := range []string{"time", "level", "msg", "request_id"} {
		assert.Contains(t, line, name)
		delete(line, name)
	}
	assert.IsType(t, 0.0, line["duration_ms"])
	delete(line, "duration_ms")
	return line
}

func TestGEN10_the_line_of_a_request(t *testing.T) {
	found := row(http.MethodGet, "/things/{id}/", OptionalAuth, func(_ *api, c *transport.Call) (transport.Reply, error) {
		transport.RequestLogOf(c.Context()).User = 7 // as after authentication
		return transport.Data(c.Name()), nil
	})
	wrong := row(http.MethodPost, "/things/", OptionalAuth, func(*api, *transport.Call) (transport.Reply, error) {
		return transport.Reply{}, fault.Fields{"title": {"“secret” is wrong."}, "content": {"This field is required."}}.Err()
	})
	r := httptest.NewRequest(http.MethodGet, "/things/4711/", nil)
	r.RemoteAddr = "10.0.0.1:99"
	r.Header.Set("X-Forwarded-For", "192.0.2.7")
	assert.Equal(t, map[string]any{"method": "GET", "route": "/things/:id/", "status": 200.0, "bytes": 16.0, "client": "192.0.2.7",
		"user": 7.0},
		logged(t, r, found))
	r = httptest.NewRequest(http.MethodPost, "/things/", nil)
	r.RemoteAddr = "[2001:db8::1]:99"
	line := logged(t, r, wrong)
	assert.Equal(t, []any{"/things/", "2001:db8::1", "VALIDATION_EXCEPTION", "content,title"},
		[]any{line["route"], line["client"], line["code"], line["fields"]})
	for path, code := range map[string]string{"/things/": "METHOD_NOT_ALLOWED", "/nowhere/secret/": "RESOURCE_NOT_FOUND"} {
		line = logged(t, httptest.NewRequest(http.MethodPut, path, nil), wrong)
		assert.Equal(t, []any{"none", code}, []any{line["route"], line["code"]})
	}
}

const (
	traceID    = "0af7651916cd43dd8448eb211c80319c"
	callerID   = "b7ad6b7169203331"
	wellFormed = "00-" + traceID + "-" + callerID + "-01"
)

func TestSpans_of_a_request(t *testing.T) {
	recorded := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorded))
	var log bytes.Buffer
	c := transport.Config{Log: slog.New(slog.NewTextHandler(&log, nil)), Tracer: provider.Tracer("")}
	router, err := newRouter(&api{tracer: c.Tracer, pages: newPages(Config{Config: c})}, table)
	require.NoError(t, err)
	f := transport.NewMiddleware(transport.LimitRequests(router, 1), c)
	send := func(method, path string, headers ...string) []sdktrace.ReadOnlySpan {
		recorded.Reset()
		f.ServeHTTP(httptest.NewRecorder(), newRequest(method, path, headers...))
		return recorded.Ended()
	}

	spans := send(http.MethodGet, "/api/openapi.json?key=secret", "traceparent", wellFormed)
	require.Len(t, spans, 2)
	handler, request := spans[0], spans[1]
	assert.Equal(t, "document", handler.Name())
	assert.Equal(t, "GET /api/openapi.json", request.Name())
	assert.Equal(t, request.SpanContext().SpanID(), handler.Parent().SpanID())
	assert.Equal(t, callerID, request.Parent().SpanID().String())
	assert.Equal(t, traceID, request.SpanContext().TraceID().String())
	assert.Contains(t, request.Attributes(), attribute.Int("http.response.status_code", 200))
	assert.Equal(t, codes.Unset, request.Status().Code)

	spans = send(http.MethodGet, "/nowhere/secret/")
	require.Len(t, spans, 1)
	assert.Equal(t, "GET none", spans[0].Name())
	assert.False(t, spans[0].Parent().IsValid())
	assert.Contains(t, spans[0].Attributes(), attribute.String("error.type", "RESOURCE_NOT_FOUND"))
	assert.Contains(t, log.String(), "trace_id="+spans[0].SpanContext().TraceID().String())

	spans = send(http.MethodGet, "/media/portrait/secret") // panics: there is no source
	require.Len(t, spans, 2)
	assert.Equal(t, codes.Error, spans[1].Status().Code)
	for _, span := range spans {
		assert.NotContains(t, span.Name(), "secret")
		assert.NotContains(t, span.Attributes(), "secret")
		assert.Empty(t, span.Events())
	}
}
