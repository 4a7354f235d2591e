package bunstore

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/access"
	"plaza/domain/user"
)

func TestEvery_call_of_a_port_is_a_span(t *testing.T) {
	OnEach(t, callsAreSpans)
}

func callsAreSpans(t *testing.T, url string) {
	system := "postgresql"
	if strings.HasPrefix(url, "sqlite:") {
		system = "sqlite"
	}
	recorded := tracetest.NewSpanRecorder()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorded)).Tracer("")
	s, who := openWithUser(t, engine.Options{URL: url, Tracer: tracer})
	recorded.Reset()
	require.NoError(t, s.Ping(t.Context()))
	assert.Empty(t, recorded.Ended(), "it is part of no trace")
	ctx, request := tracer.Start(t.Context(), "request")
	_, err := s.Tokens.Session(ctx, access.KeyHash{})
	require.ErrorIs(t, err, access.ErrNoSession)
	require.NoError(t, s.Accounts.Change(ctx, who, func(a *access.Account) error {
		a.Disabled = true
		return nil
	}))
	_, err = s.Directory.Members(ctx, []user.ID{who})
	require.NoError(t, err)
	var names []string
	for _, span := range recorded.Ended() {
		names = append(names, span.Name())
		assert.Equal(t, request.SpanContext().SpanID(), span.Parent().SpanID(), span.Name())
		assert.Equal(t, []attribute.KeyValue{attribute.String("db.system.name", system)}, span.Attributes())
		assert.Equal(t, codes.Unset, span.Status().Code, "the client's mistakes are none of the database")
	}
	assert.Equal(t, []string{"Tokens.Session", "Accounts.Change", "Accounts.Members"}, slices.Compact(names),
		"on Postgres a Change reads and writes apart")
}
