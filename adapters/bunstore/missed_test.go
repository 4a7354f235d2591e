package bunstore

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/access"
	testserver "plaza/test/postgres"
)

func TestRunRefusesUnguardedSteps(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), engine.Options{URL: testserver.New(t, MigrateAt)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	d := s.Dialect.(engine.Postgres)
	_, err = s.Writer.ExecContext(t.Context(), "CREATE TABLE fruit (name text PRIMARY KEY, eaten int NOT NULL DEFAULT 0)")
	require.NoError(t, err)
	eat := engine.Step{Statement: d.MustMatch("UPDATE fruit SET eaten = eaten + 1 WHERE name = $1", "name"), Args: []any{"plum"}, MustMatch: true}
	add := engine.Step{Statement: "INSERT INTO fruit (name) " + d.Values("$1"), Args: []any{"fig"}}
	bare := engine.Step{Statement: "INSERT INTO fruit (name) VALUES ($1)", Args: []any{"pear"}}
	for _, steps := range [][]engine.Step{{eat, bare}, {eat, add, bare}, {eat, eat}, {add, engine.Commit, eat}, {bare, eat, engine.Commit}} {
		require.ErrorIs(t, s.writeAll(t.Context(), steps), engine.ErrUnguarded)
	}
	count := func() (n int) {
		require.NoError(t, s.Writer.NewRaw("SELECT count(*) FROM fruit").Scan(t.Context(), &n))
		return n
	}
	require.ErrorIs(t, s.writeAll(t.Context(), []engine.Step{eat, add}), engine.ErrMissed)
	assert.Zero(t, count(), "nothing is written behind a miss")
	lock := engine.Step{Statement: d.LockName("$1"), Args: []any{"fruit"}, ReadsOnly: true}
	none := engine.Step{Statement: d.MustFind("SELECT 1 WHERE FALSE"), MustMatch: true, Missed: access.ErrNoAccount, ReadsOnly: true}
	require.Same(t, access.ErrNoAccount, s.writeAll(t.Context(), []engine.Step{lock, none, add}))
	for _, steps := range [][]engine.Step{{bare, eat}, {add, eat}} {
		require.ErrorIs(t, s.writeAll(t.Context(), steps), engine.ErrMissed)
	}
	assert.Zero(t, count(), "what was written before a miss is undone")
	require.NoError(t, s.writeAll(t.Context(), []engine.Step{add, bare}), "the miss has ended with its transaction")
	assert.Equal(t, 2, count())
	eat.Args, add.Args = []any{"fig"}, []any{"lime"}
	var name string
	eat.Row = func(scan func(...any) error) error { return scan(&name, new(int64)) }
	require.NoError(t, s.writeAll(t.Context(), []engine.Step{eat, add}))
	assert.Equal(t, "fig", name)
	assert.Equal(t, 3, count())
}
