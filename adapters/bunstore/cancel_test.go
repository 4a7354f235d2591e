package bunstore

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
)

// When a client hangs up, its request's context ends. The statement is cancelled, and
// its connection serves the next request.
func TestCancelledStatementsKeepTheirConnections(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	url := MigratedPostgres(t)
	s, _ := openWithUser(t, engine.Options{URL: url})
	observer, err := pgxpool.New(t.Context(), url)
	require.NoError(t, err)
	defer observer.Close()
	isRunning := func() bool {
		var running int
		require.NoError(t, observer.QueryRow(t.Context(),
			"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' "+
				"AND query = 'SELECT pg_sleep(30)'").Scan(&running))
		return running > 0
	}
	for name, sleep := range map[string]func(ctx context.Context) error{
		"a hot read": func(ctx context.Context) error {
			return s.Dialect.Query(ctx, engine.Step{Statement: "SELECT pg_sleep(30)"})
		},
		"a query of the builder": func(ctx context.Context) error {
			_, err := s.Reader.NewRaw("SELECT pg_sleep(30)").Exec(ctx)
			return err
		},
		"a transaction": func(ctx context.Context) error {
			return s.Write(ctx, func(tx *engine.Tx) error {
				_, err := tx.NewRaw("SELECT pg_sleep(30)").Exec(ctx)
				return err
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			pool := s.Dialect.(engine.Postgres).Pool
			before := pool.Stat().NewConnsCount()
			for range 5 { // each takes 100 ms: the driver waits for the cancellation to arrive
				ctx, hangUp := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- sleep(ctx) }()
				require.Eventually(t, isRunning, 10*time.Second, time.Millisecond)
				hangUp()
				require.Error(t, <-ended)
				assert.False(t, isRunning(), "Postgres does not go on with it")
			}
			assert.LessOrEqual(t, pool.Stat().NewConnsCount()-before, int64(2))
			require.NoError(t, s.Ping(t.Context()))
		})
	}
}

// Behind a pooler a statement is never cancelled: it finishes, and its connection
// serves the next request.
func TestCancelledStatementsEndBehindAPooler(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	s, _ := openWithUser(t, engine.Options{URL: MigratedPostgres(t), Uncached: true})
	pool := s.Dialect.(engine.Postgres).Pool
	before := pool.Stat().NewConnsCount()
	for range 20 {
		ctx, hangUp := context.WithCancel(t.Context())
		time.AfterFunc(5*time.Millisecond, hangUp)
		_ = s.Dialect.Query(ctx, engine.Step{Statement: "SELECT pg_sleep(0.02)"})
		hangUp()
	}
	assert.LessOrEqual(t, pool.Stat().NewConnsCount()-before, int64(2))
	require.NoError(t, s.Ping(t.Context()))
}

func TestConnections(t *testing.T) {
	t.Parallel()
	url := MigratedPostgres(t) + "&pool_max_conns=5"
	for connections, want := range map[int]int32{0: 5, 3: 3} {
		s := Opened(t, engine.Options{URL: url, Connections: connections})
		assert.Equal(t, want, s.Dialect.(engine.Postgres).Pool.Config().MaxConns)
	}
}

// database/sql closes a connection whose statement was not sent because the context had ended. The transaction must
// not use it any more: the driver would panic in a goroutine of its own.
func TestTransactionsLeaveConnectionsThatAreClosed(t *testing.T) {
	t.Parallel()
	s, _ := openWithUser(t, engine.Options{URL: MigratedPostgres(t)})
	for range 60 { // one in ten panicked
		ctx, end := context.WithCancel(t.Context())
		require.ErrorIs(t, s.Write(ctx, func(tx *engine.Tx) error {
			end()
			_, err := tx.NewRaw("SELECT 1").Exec(ctx)
			return err
		}), context.Canceled)
	}
	_, _, err := s.Begin(t.Context(), "a chore")
	require.NoError(t, err)
}
