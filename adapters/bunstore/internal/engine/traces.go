package engine

import (
	"context"
	"runtime"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// callTraced is callUntraced with a span around it, which covers all tries, if the call is
// part of a sampled trace: those of health checks and background jobs are not. The span is named
// by the method of the port. It has no statements, because bun writes values into their text,
// and no error, because those of drivers quote values.
func (s *DB) callTraced(ctx context.Context, limit time.Duration, fn func(ctx context.Context) error) error {
	if !trace.SpanContextFromContext(ctx).IsSampled() {
		return s.callUntraced(ctx, limit, fn)
	}
	ctx, span := s.tracer.Start(ctx, calledMethod(), trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("db.system.name", s.Pick(Text{Postgres: "postgresql", SQLite: "sqlite"}))))
	defer func() { span.End() }() // called directly, it would add the text of a panic
	err := s.callUntraced(ctx, limit, fn)
	if err != nil && s.Dialect.Classify(err) != internalError {
		span.SetStatus(codes.Error, "the database failed")
	}
	return err
}

// maxDepth exceeds the number of functions between a method of a port and its call.
const maxDepth = 24

// calledMethod returns the exported method of the store that is running, like
// Tokens.Session.
func calledMethod() string {
	var counters [maxDepth]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(3, counters[:])])
	for {
		frame, more := frames.Next()
		if name, is := exportedMethod(frame.Function); is {
			return name
		}
		if !more {
			return "database"
		}
	}
}

// exportedMethod returns the method of a function's full name, like Tokens.Session of
// plaza/adapters/bunstore/people.(*Tokens).Session.func1.
func exportedMethod(function string) (name string, is bool) {
	_, local, is := strings.Cut(function, "adapters/bunstore")
	if !is || strings.HasPrefix(local, "/internal/") {
		return "", false
	}
	_, local, _ = strings.Cut(local, ".")
	receiver, rest, is := strings.Cut(strings.NewReplacer("(*", "", ")", "").Replace(local), ".")
	method, _, _ := strings.Cut(rest, ".")
	if !is || method == "" || method[0] < 'A' || method[0] > 'Z' {
		return "", false
	}
	return receiver + "." + method, true
}
