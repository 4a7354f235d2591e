package httpapi

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"plaza/adapters/httpapi/transport"
)

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
