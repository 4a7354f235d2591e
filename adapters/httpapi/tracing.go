package httpapi

import (
	"context"
	"net/http"
	"reflect"
	"runtime"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"plaza/domain/fault"
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

// begin begins the span of the request, which the caller's span is the parent of, and returns
// the context with it. Without a tracer it only records the trace that the caller names.
func (l *requestLog) begin(ctx context.Context, tracer trace.Tracer, r *http.Request) context.Context {
	caller := callerSpan(r.Header)
	l.trace = caller.TraceID()
	if tracer == nil {
		return ctx
	}
	if caller.IsValid() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, caller)
	}
	ctx, l.span = tracer.Start(ctx, r.Method, trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.String("http.request.method", r.Method), attribute.String("plaza.request_id", l.id[0])))
	l.trace = l.span.SpanContext().TraceID()
	return ctx
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

// traced returns the handler of a route with a span around it, named like the handler. The
// time before it is spent on the token and the policy, the time after it on sending.
func (a *api) traced(r route) func(*api, *call) (reply, error) {
	if a.tracer == nil {
		return r.handle
	}
	name := runtime.FuncForPC(reflect.ValueOf(r.handle).Pointer()).Name()
	name = name[strings.LastIndexByte(name, '.')+1:]
	return func(a *api, c *call) (reply, error) {
		request := c.gin.Request
		ctx, span := a.tracer.Start(request.Context(), name)
		defer func() { span.End() }() // called directly, it would add the text of a panic
		c.gin.Request = request.WithContext(ctx)
		defer func() { c.gin.Request = request }()
		answer, err := r.handle(a, c)
		if err != nil {
			span.SetAttributes(attribute.String("error.type", fault.KindOf(err).Code()))
		}
		return answer, err
	}
}
