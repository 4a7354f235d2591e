package bunstore

import (
	"database/sql"
	"io/fs"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/migrations"
	testserver "plaza/test/postgres"
)

// schemaFiles returns a schema of the files, whose names are numbers.
func schemaFiles(files map[string]string) fs.FS {
	all := fstest.MapFS{}
	for name, text := range files {
		all[name+".sql"] = &fstest.MapFile{Data: []byte(text)}
	}
	return all
}

// secrets is the table that every schema has.
const secrets = "CREATE TABLE secrets (name text PRIMARY KEY, content text NOT NULL); "

// program opens a store like a program that knows these steps.
func program(t *testing.T, url string, files map[string]string) *Store {
	t.Helper()
	return Opened(t, engine.Options{URL: url, Schema: schemaFiles(files)})
}

// fruitStand returns a database of Postgres with a table of fruit, its steps, and the program that has made it.
func fruitStand(t *testing.T) (url string, files map[string]string, before *Store) {
	t.Helper()
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	url, files = testserver.Empty(t), map[string]string{"0001_a": secrets + "CREATE TABLE fruit (name text)"}
	before = program(t, url, files)
	_, err := before.Migrate(t.Context())
	require.NoError(t, err)
	return url, files, before
}

func namesOf(t *testing.T, s *Store) (names []string) {
	t.Helper()
	require.NoError(t, s.Writer.NewRaw("SELECT name FROM schema_migrations ORDER BY name").Scan(t.Context(), &names))
	return names
}

func do(t *testing.T, s *Store, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		_, err := s.Writer.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
}

var (
	comment     = regexp.MustCompile(`(?m)--.*\n`)
	anyMark     = regexp.MustCompile(`(?m)^--\s*(transaction|minimum)\s*:`)
	onIndexOnly = regexp.MustCompile(`^(CREATE (UNIQUE )?INDEX CONCURRENTLY \w+ ON|DROP INDEX CONCURRENTLY IF EXISTS \w+;)[^;]*;?\s*$`)
)

// TestMigrationFilesKeepTheirRules asserts what migrations/README.md says of the marks.
func TestMigrationFilesKeepTheirRules(t *testing.T) {
	for _, database := range []string{"postgres", "sqlite"} {
		files, err := (&engine.DB{Schema: migrations.Of(database)}).Files()
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for i, f := range files {
			marks := 0
			if f.NoTransaction {
				marks++
				assert.Equal(t, "postgres", database, "%s: only Postgres has such steps", f.Name)
				assert.Regexp(t, onIndexOnly, comment.ReplaceAllString(f.Text, ""), f.Name)
			}
			if f.Minimum != "" {
				marks++
				assert.True(t, slices.ContainsFunc(files[:i+1], func(m engine.Migration) bool { return engine.Number(m.Name) == f.Minimum }), f.Name)
			}
			assert.Len(t, anyMark.FindAllString(f.Text, -1), marks, "%s: -- transaction: none is the first line, and each mark stands once", f.Name)
		}
	}
}

func TestMigrating_twice_changes_nothing(t *testing.T) {
	OnEachEmpty(t, func(t *testing.T, url string) {
		s := Opened(t, engine.Options{URL: url})
		require.ErrorIs(t, s.CheckSchema(t.Context()), engine.ErrOutdated)
		applied, err := s.Migrate(t.Context())
		require.NoError(t, err)
		require.NoError(t, s.CheckSchema(t.Context()))
		steps, err := s.Migrations(t.Context())
		require.NoError(t, err)
		assert.Len(t, steps, len(applied))
		applied, err = s.Migrate(t.Context())
		require.NoError(t, err)
		assert.Empty(t, applied)
		again, err := s.Migrations(t.Context())
		require.NoError(t, err)
		assert.Equal(t, steps, again, "not even the time has changed")
	})
}

func TestWho_migrates_waits_for_another_however_long_that_takes(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	const limit = 100 * time.Millisecond
	OnEachEmpty(t, func(t *testing.T, url string) {
		s := Opened(t, engine.Options{URL: url, Limit: limit})
		other, err := Opened(t, engine.Options{URL: url}).Writer.BeginTx(t.Context(), nil)
		require.NoError(t, err)
		if !strings.HasPrefix(url, "sqlite:") {
			_, err = other.ExecContext(t.Context(), "SELECT pg_advisory_xact_lock(hashtextextended('plaza schema', 0))")
			require.NoError(t, err)
		}
		done := migrating(t, s)
		select {
		case err := <-done:
			require.Fail(t, "another server may need long for a large table", "%v", err)
		case <-time.After(10 * limit):
		}
		require.NoError(t, other.Rollback())
		require.NoError(t, <-done)
		assert.NoError(t, s.CheckSchema(t.Context()))
	})
}

func TestMigrateKeepsTheStepsBeforeAFailure(t *testing.T) {
	OnEachEmpty(t, func(t *testing.T, url string) {
		files := map[string]string{
			"0001_a": secrets + "CREATE TABLE fruit (name text PRIMARY KEY)",
			"0002_b": "CREATE TABLE nut (name text); INSERT INTO nowhere VALUES (1)",
			"0003_c": "CREATE TABLE berry (name text)",
		}
		s := program(t, url, files)
		applied, err := s.Migrate(t.Context())
		require.ErrorContains(t, err, "0002_b")
		assert.Equal(t, []string{"0001_a"}, applied)
		assert.Equal(t, applied, namesOf(t, s))
		_, err = s.Writer.ExecContext(t.Context(), "SELECT 1 FROM nut")
		require.ErrorContains(t, err, "nut", "the table is gone")
		s.Schema = schemaFiles(map[string]string{"0001_a": files["0001_a"], "0002_b": "CREATE TABLE nut (name text)", "0003_c": files["0003_c"]})
		applied, err = s.Migrate(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"0002_b", "0003_c"}, applied)
	})
}

func TestNewerSteps(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	old := map[string]string{"0001_a": secrets + "CREATE TABLE fruit (name text)", "0002_b": "ALTER TABLE fruit ADD COLUMN kind text"}
	OnEachEmpty(t, func(t *testing.T, at string) {
		_, err := program(t, at, old).Migrate(t.Context())
		require.NoError(t, err)
		grown := maps.Clone(old)
		for _, c := range []struct {
			step, mark string
			works      bool // the program that does not know the step
		}{
			{"0003_c", "", true}, {"0004_d", "-- minimum: 0002\n", true}, {"0005_e", "-- Why.\n-- minimum: 0005\n", false},
		} {
			grown[c.step] = c.mark + "ALTER TABLE fruit ADD COLUMN of_" + c.step + " integer"
			applied, err := program(t, at, grown).Migrate(t.Context())
			require.NoError(t, err)
			assert.Equal(t, []string{c.step}, applied)

			again := program(t, at, old)
			steps, err := again.Migrations(t.Context())
			require.Len(t, steps, len(grown))
			assert.True(t, steps[len(old)].Unknown)
			assert.False(t, steps[len(old)-1].Unknown)
			_, migrated := again.Migrate(t.Context())
			for _, err := range []error{err, migrated, again.CheckSchema(t.Context())} {
				if c.works {
					assert.NoError(t, err)
					continue
				}
				require.ErrorIs(t, err, engine.ErrNewer)
				assert.ErrorContains(t, err, c.step)
				assert.ErrorContains(t, err, "step 0005")
			}
		}
	})
}

// reader keeps a transaction open that has read the table.
func reader(t *testing.T, s *Store, level sql.IsolationLevel, table string) (release func()) {
	t.Helper()
	tx, err := s.Writer.BeginTx(t.Context(), &sql.TxOptions{Isolation: level})
	require.NoError(t, err)
	_, err = tx.ExecContext(t.Context(), "SELECT * FROM "+table)
	require.NoError(t, err)
	return func() { require.NoError(t, tx.Rollback()) }
}

// migrating migrates in the background.
func migrating(t *testing.T, s *Store) (done <-chan error) {
	t.Helper()
	result := make(chan error, 1)
	go func() {
		_, err := s.Migrate(t.Context())
		result <- err
	}()
	return result
}

func (s *Store) count(t *testing.T, query string) (n int) {
	t.Helper()
	require.NoError(t, s.Reader.NewRaw(query).Scan(t.Context(), &n))
	return n
}

// patience limits waiting, however busy the machine is.
const patience = 30 * time.Second

func TestMigrateHoldsUpNobodyForLong(t *testing.T) {
	at, files, before := fruitStand(t)
	release := reader(t, before, sql.LevelDefault, "fruit")
	files["0002_b"] = "ALTER TABLE fruit ADD COLUMN kind text"
	done := migrating(t, program(t, at, files))
	const waits = Waiting + " AND mode = 'AccessExclusiveLock'"
	require.Eventually(t, func() bool { return before.count(t, waits) > 0 }, patience, time.Millisecond)
	assert.Zero(t, before.count(t, "SELECT count(*) FROM fruit"), "it waits behind the step until that gives up for now")
	select {
	case err := <-done:
		require.Fail(t, "the reader still reads", "%v", err)
	default:
	}
	release()
	require.NoError(t, <-done)
	assert.Equal(t, []string{"0001_a", "0002_b"}, namesOf(t, before))
}

// concurrent is a step that runs outside of any transaction.
const concurrent = "-- transaction: none\n-- Fruit is looked for by its name.\nCREATE UNIQUE INDEX CONCURRENTLY fruit_name ON fruit " +
	"(name);\n"

const isValid = "SELECT count(*) FROM pg_index WHERE indexrelid = to_regclass('fruit_name') AND indisvalid"

// lines gets what is logged, as long as it has room.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	select {
	case l <- string(line):
	default:
	}
	return len(line), nil
}

func TestAStepAloneWaitsForReadersAndHoldsUpNone(t *testing.T) {
	at, files, before := fruitStand(t)
	release := reader(t, before, sql.LevelRepeatableRead, "fruit")
	files["0002_b"], files["0003_c"] = concurrent, "ALTER TABLE fruit ADD COLUMN kind text"
	var waiting []<-chan error
	said := make(lines, 100)
	for range 3 {
		one := engine.Options{URL: at, Schema: schemaFiles(files), Log: slog.New(slog.NewTextHandler(said, nil))}
		waiting = append(waiting, migrating(t, Opened(t, one)))
	}
	const waits = Waiting + " AND locktype = 'virtualxid'"
	require.Eventually(t, func() bool { return before.count(t, waits) == 1 }, patience, time.Millisecond, "one makes the index")
	for line := ""; !strings.Contains(line, "the schema waits for a transaction"); line = <-said {
		t.Log(line)
	}
	do(t, before, "INSERT INTO fruit VALUES ('plum')")
	assert.Equal(t, []string{"0001_a"}, namesOf(t, before))
	release()
	for _, done := range waiting {
		require.NoError(t, <-done)
	}
	assert.Equal(t, []string{"0001_a", "0002_b", "0003_c"}, namesOf(t, before))
	assert.Equal(t, 1, before.count(t, isValid))
}

func TestAStepAloneIsBegunAnew(t *testing.T) {
	_, files, s := fruitStand(t)
	files["0002_b"] = concurrent
	s.Schema = schemaFiles(files)
	do(t, s, "INSERT INTO fruit VALUES ('plum'), ('plum')")
	_, err := s.Migrate(t.Context())
	require.ErrorContains(t, err, "0002_b")
	require.Equal(t, 1, s.count(t, "SELECT count(*) FROM pg_index WHERE indexrelid = to_regclass('fruit_name') AND NOT indisvalid"))
	assert.Equal(t, []string{"0001_a"}, namesOf(t, s))

	do(t, s, "DELETE FROM fruit")
	applied, err := s.Migrate(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"0002_b"}, applied)
	assert.Equal(t, 1, s.count(t, isValid))

	do(t, s, "DELETE FROM schema_migrations WHERE name = '0002_b'") // as if the program was killed before it recorded the step
	number := s.count(t, "SELECT 'fruit_name'::regclass::oid::int")
	applied, err = s.Migrate(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"0002_b"}, applied)
	assert.Equal(t, number, s.count(t, "SELECT 'fruit_name'::regclass::oid::int"), "it is made once")
}

func TestAStepAloneHasNoLimitOfTime(t *testing.T) {
	at, files, before := fruitStand(t)
	do(t, before, "INSERT INTO fruit VALUES ('plum')",
		"CREATE FUNCTION slow(name text) RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT pg_sleep(0.5)::text || name $$")
	files["0002_b"] = "-- transaction: none\nCREATE INDEX CONCURRENTLY fruit_name ON fruit (slow(name));\n"
	s := Opened(t, engine.Options{URL: at, Limit: 200 * time.Millisecond, Schema: schemaFiles(files)})
	_, err := s.Migrate(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, s.count(t, isValid))
}

func TestA_database_of_before_the_present_schema_is_refused_with_what_to_do(t *testing.T) {
	OnEachEmpty(t, func(t *testing.T, url string) {
		s := Opened(t, engine.Options{URL: url})
		do(t, s,
			"CREATE TABLE schema_migrations (name text NOT NULL PRIMARY KEY, applied integer NOT NULL, minimum text)",
			"INSERT INTO schema_migrations (name, applied) VALUES ('0001_initial', 0)")
		_, err := s.Migrate(t.Context())
		for _, err := range []error{err, s.CheckSchema(t.Context())} {
			require.ErrorIs(t, err, engine.ErrFormer)
			assert.ErrorContains(t, err, "plaza import")
		}
	})
}
