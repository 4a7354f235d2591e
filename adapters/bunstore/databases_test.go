package bunstore

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	testserver "plaza/test/postgres"
	testfile "plaza/test/sqlite"
)

// Waiting counts the sessions in the database of a test that wait for a lock.
const Waiting = "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()"

// OnEach runs the test on a database of each kind, with -short on SQLite alone, beside other tests. The test must
// leave the schema as it is.
func OnEach(t *testing.T, test func(t *testing.T, url string)) {
	onEachOf(t, test, MigratedSQLite, MigratedPostgres)
}

// OnEachEmpty runs the test on a database of each kind that has no tables, beside other tests.
func OnEachEmpty(t *testing.T, test func(t *testing.T, url string)) {
	onEachOf(t, test, emptySQLite, func(t *testing.T) string { return testserver.Empty(t) })
}

func onEachOf(t *testing.T, test func(t *testing.T, url string), sqlite, postgres func(t *testing.T) string) {
	t.Parallel()
	for name, url := range map[string]func(t *testing.T) string{"SQLite": sqlite, "Postgres": postgres} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name == "Postgres" {
				t.Skip("make test-all runs this")
			}
			t.Parallel()
			test(t, url(t))
		})
	}
}

func MigratedSQLite(t *testing.T) string { return copyOfSQLite(t, scratch(t)) }

var copyOfSQLite = testfile.Copies(MigrateAt)

// MigratedPostgres lends a database that has the schema. The test must leave the schema as it is.
func MigratedPostgres(t *testing.T) string { return testserver.Lend(t, MigrateAt) }

func emptySQLite(t *testing.T) string { return "sqlite:" + filepath.Join(scratch(t), "plaza.db") }

// scratch returns a folder in memory if possible: synced writes are slow on a disk, and
// no test here cuts the power.
func scratch(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "plaza-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// Opened opens a store until the test ends.
func Opened(t *testing.T, o engine.Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// MigrateAt gives the database the schema.
func MigrateAt(ctx context.Context, url string) error {
	s, err := Open(ctx, engine.Options{URL: url})
	if err != nil {
		return err
	}
	_, err = s.Migrate(ctx)
	return errors.Join(err, s.Close())
}

// OpenAtEveryPing makes each ping look whether Postgres takes new connections.
func (s *Store) OpenAtEveryPing() { s.Dialect.(engine.Postgres).Opening.Every = 0 }
