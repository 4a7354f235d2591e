package bunstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/test/faultproxy"
	"plaza/test/postgres"
)

func TestA_database_that_says_nothing_costs_no_more_than_the_limit(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	line, url := postgres.Behind(t, postgres.Empty(t))
	const limit = time.Second
	s := bunstore.Opened(t, bunstore.Options{URL: url, Limit: limit})
	_, err := s.Migrate(t.Context())
	require.NoError(t, err)

	line.Break(faultproxy.BlackHole)
	for name, call := range map[string]func(context.Context) error{
		"reading": func(ctx context.Context) error { _, err := s.Accounts.List(ctx, 0, 1); return err },
		"writing": func(ctx context.Context) error { return s.Tokens.Revoke(ctx, 1) },
		"a ping":  s.Ping,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		assert.ErrorIs(t, call(ctx), engine.ErrAway, name)
		assert.NoError(t, ctx.Err(), name)
		cancel()
	}
	line.Mend()
	require.Eventually(t, func() bool { return s.Ping(t.Context()) == nil }, eventually, 10*time.Millisecond)
	_, err = s.Accounts.List(t.Context(), 0, 1)
	assert.NoError(t, err)
}

// The network may lose connections without a word, as when a firewall forgets them. The
// store's other connections are as dead as the first one that it finds out about.
func TestConnections_that_died_silently_cost_one_limit_and_one_ping(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	database := postgres.Empty(t)
	line, url := postgres.Behind(t, database)
	s := bunstore.Opened(t, bunstore.Options{URL: url, Limit: 4 * time.Second, Connections: 10})
	_, err := s.Migrate(t.Context())
	require.NoError(t, err)
	connectMany(t, s, database)
	line.Break(faultproxy.HalfOpen)
	require.GreaterOrEqual(t, line.Links(), 8)
	tries := 0
	require.Eventually(t, func() bool {
		tries++
		_, err := s.Accounts.List(t.Context(), 0, 1)
		return err == nil
	}, eventually, time.Millisecond)
	assert.LessOrEqual(t, tries, 2, "one finds out")
}
