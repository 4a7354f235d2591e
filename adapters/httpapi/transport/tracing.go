package transport

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

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
