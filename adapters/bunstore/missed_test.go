package bunstore

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	testserver "plaza/test/postgres"
)

func TestRunRefusesUnguardedSteps(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Options{URL: testserver.New(t, MigrateAt)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	d := s.dialect.(postgres)
	_, err = s.db.ExecContext(t.Context(), "CREATE TABLE fruit (name text PRIMARY KEY, eaten int NOT NULL DEFAULT 0)")
	require.NoError(t, err)
	eat := step{statement: d.mustMatch("UPDATE fruit SET eaten = eaten + 1 WHERE name = $1", "name"), args: []any{"plum"}, mustMatch: true}
	add := step{statement: "INSERT INTO fruit (name) " + d.values("$1"), args: []any{"fig"}}
	bare := step{statement: "INSERT INTO fruit (name) VALUES ($1)", args: []any{"pear"}}
	for _, steps := range [][]step{{eat, bare}, {eat, add, bare}, {eat, eat}, {add, commit, eat}, {bare, eat, commit}} {
		require.ErrorIs(t, s.writeAll(t.Context(), steps), errUnguarded)
	}
	count := func() (n int) {
		require.NoError(t, s.db.NewRaw("SELECT count(*) FROM fruit").Scan(t.Context(), &n))
		return n
	}
	require.ErrorIs(t, s.writeAll(t.Context(), []step{eat, add}), errMissed)
	assert.Zero(t, count(), "nothing is written behind a miss")
	lock := step{statement: d.lockName("$1"), args: []any{"fruit"}, readsOnly: true}
	none := step{statement: d.mustFind("SELECT 1 WHERE FALSE"), mustMatch: true, missed: access.ErrNoAccount, readsOnly: true}
	require.Same(t, access.ErrNoAccount, s.writeAll(t.Context(), []step{lock, none, add}))
	for _, steps := range [][]step{{bare, eat}, {add, eat}} {
		require.ErrorIs(t, s.writeAll(t.Context(), steps), errMissed)
	}
	assert.Zero(t, count(), "what was written before a miss is undone")
	require.NoError(t, s.writeAll(t.Context(), []step{add, bare}), "the miss has ended with its transaction")
	assert.Equal(t, 2, count())
	eat.args, add.args = []any{"fig"}, []any{"lime"}
	var name string
	eat.row = func(scan func(...any) error) error { return scan(&name, new(int64)) }
	require.NoError(t, s.writeAll(t.Context(), []step{eat, add}))
	assert.Equal(t, "fig", name)
	assert.Equal(t, 3, count())
}
