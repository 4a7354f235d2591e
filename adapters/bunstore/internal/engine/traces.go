package engine

import (
	"context"
	"regexp"
	"runtime"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// beginSpan begins the span of a call, which covers all its tries. It is named by the method of the port. It has no statements,
// because bun writes values into their text, and no error, because those of drivers quote values.
func (s *DB) beginSpan(ctx context.Context) (_ context.Context, end func(err error)) {
	ctx, span := s.tracer.Start(ctx, calledMethod(), trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("db.system.name", s.Pick(Text{Postgres: "postgresql", SQLite: "sqlite"}))))
	return ctx, func(err error) {
		if err != nil && s.Dialect.Classify(err) != internalError {
			span.SetStatus(codes.Error, "the database failed")
		}
		span.End() // not deferred: it would add the text of a panic
	}
}

// maxDepth exceeds the number of functions between a method of a port and its call.
const maxDepth = 24

// portMethod matches the full name of an exported method of the stores, and of what it calls within itself, like
// plaza/adapters/bunstore/people.(*Tokens).Session.func1.
var portMethod = regexp.MustCompile(`adapters/bunstore(?:/\w+)?\.(?:\(\*(\w+)\)|(\w+))\.([A-Z]\w*)`)

// calledMethod returns the exported method of a store that is running, like Tokens.Session.
func calledMethod() string {
	var counters [maxDepth]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(3, counters[:])])
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		if found := portMethod.FindStringSubmatch(frame.Function); found != nil {
			return found[1] + found[2] + "." + found[3]
		}
	}
	return "database"
}
