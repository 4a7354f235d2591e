package bunstore_test

import (
	"database/sql"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/migrations"
)

// rawSQL opens the database without the store, as an administrator does.
func rawSQL(t *testing.T, url string) *sql.DB {
	t.Helper()
	driver, source := "pgx", url
	if path, is := strings.CutPrefix(url, "sqlite:"); is {
		driver, source = "sqlite", "file:"+path+"?_pragma=busy_timeout(5000)&_pragma=foreign_keys(on)"
	}
	db, err := sql.Open(driver, source)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// unmigrated opens a store without migrating its schema.
func unmigrated(t *testing.T, url string) *bunstore.Store {
	t.Helper()
	s, err := bunstore.Open(t.Context(), bunstore.Options{URL: url})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func execute(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), statement)
	require.NoError(t, err, statement)
}

func column[T any](t *testing.T, db *sql.DB, query string, args ...any) []T {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query, args...)
	require.NoError(t, err, query)
	defer rows.Close()
	all := []T{}
	for rows.Next() {
		var one T
		require.NoError(t, rows.Scan(&one))
		all = append(all, one)
	}
	require.NoError(t, rows.Err())
	return all
}

func stepsIn(t *testing.T, folder fs.FS, name string) []string {
	t.Helper()
	files, err := fs.Glob(folder, name+"/*")
	require.NoError(t, err)
	for i, file := range files {
		files[i] = strings.TrimPrefix(file, name+"/")
	}
	return files
}

func TestBoth_databases_have_the_same_steps(t *testing.T) {
	steps := stepsIn(t, migrations.Postgres, "postgres")
	require.NotEmpty(t, steps)
	assert.Equal(t, steps, stepsIn(t, migrations.SQLite, "sqlite"))
	form := regexp.MustCompile(`^[0-9]{4}_[a-z0-9_]+\.sql$`)
	numbers := map[string]bool{}
	for _, step := range steps {
		assert.Regexp(t, form, step)
		assert.False(t, numbers[step[:4]], "%s has the number of another step: which comes first?", step)
		numbers[step[:4]] = true
	}
}

func TestBoth_databases_end_in_the_same_tables(t *testing.T) {
	t.Parallel()
	found := map[string]map[string]schemaTable{
		"SQLite": schemaOf(t, bunstore.MigratedSQLite(t)), "Postgres": schemaOf(t, bunstore.MigratedPostgres(t)),
	}
	require.NotEmpty(t, found["Postgres"])
	require.Contains(t, found["Postgres"], "events")
	assert.NotEmpty(t, found["Postgres"]["events"].Columns)
	for name, table := range found["Postgres"] {
		assert.Equal(t, table, found["SQLite"][name], name)
	}
	for name := range found["SQLite"] {
		assert.Contains(t, found["Postgres"], name)
	}
}

func TestMigrating_twice_changes_nothing(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	bunstore.OnEachEmpty(t, func(t *testing.T, url string) {
		s := unmigrated(t, url)
		require.ErrorIs(t, s.CheckSchema(t.Context()), engine.ErrOutdated)
		applied, err := s.Migrate(t.Context())
		require.NoError(t, err)
		assert.Len(t, applied, len(stepsIn(t, migrations.Postgres, "postgres")))
		require.NoError(t, s.CheckSchema(t.Context()))
		steps, err := s.Migrations(t.Context())
		require.NoError(t, err)
		tables := schemaOf(t, url)

		applied, err = s.Migrate(t.Context())
		require.NoError(t, err)
		assert.Empty(t, applied)
		again, err := s.Migrations(t.Context())
		require.NoError(t, err)
		assert.Equal(t, steps, again, "not even the time has changed")
		assert.Equal(t, tables, schemaOf(t, url))
	})
}

func TestA_database_of_before_the_present_schema_is_refused_with_what_to_do(t *testing.T) {
	bunstore.OnEachEmpty(t, func(t *testing.T, url string) {
		execute(t, rawSQL(t, url), "CREATE TABLE schema_migrations (name text NOT NULL PRIMARY KEY, applied integer NOT NULL, minimum text)")
		execute(t, rawSQL(t, url), "INSERT INTO schema_migrations (name, applied) VALUES ('0001_initial', 0)")
		s := unmigrated(t, url)
		_, err := s.Migrate(t.Context())
		for _, err := range []error{err, s.CheckSchema(t.Context())} {
			require.ErrorIs(t, err, engine.ErrFormer)
			assert.ErrorContains(t, err, "plaza import")
		}
	})
}

// holdSchema are the statements that prevent other migrations while a transaction is
// open.
var holdSchema = map[bool][2]string{
	true:  {"BEGIN IMMEDIATE", "SELECT 1"},
	false: {"BEGIN", "SELECT pg_advisory_xact_lock(hashtextextended('plaza schema', 0))"},
}

func TestWho_migrates_waits_for_another_however_long_that_takes(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	const limit = 100 * time.Millisecond
	bunstore.OnEachEmpty(t, func(t *testing.T, url string) {
		s, err := bunstore.Open(t.Context(), bunstore.Options{URL: url, Limit: limit})
		require.NoError(t, err)
		defer s.Close()
		other, err := rawSQL(t, url).Conn(t.Context())
		require.NoError(t, err)
		defer other.Close()
		for _, statement := range holdSchema[strings.HasPrefix(url, "sqlite:")] {
			_, err := other.ExecContext(t.Context(), statement)
			require.NoError(t, err)
		}
		migrated := make(chan error, 1)
		go func() {
			_, err := s.Migrate(t.Context())
			migrated <- err
		}()
		select {
		case err := <-migrated:
			require.Fail(t, "another server may need long for a large table", "%v", err)
		case <-time.After(10 * limit):
		}
		_, err = other.ExecContext(t.Context(), "ROLLBACK")
		require.NoError(t, err)
		require.NoError(t, <-migrated)
		assert.NoError(t, s.CheckSchema(t.Context()))
	})
}
