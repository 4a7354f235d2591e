package e2e

import (
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"plaza/migrations"
	"plaza/test/postgres"
)

// manyServers start at once.
const manyServers = 3

func TestServers_that_start_at_once_migrate_once_and_share_a_database(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Run("SQLite", func(t *testing.T) {
		dir := t.TempDir()
		startAtOnce(t, "sqlite", filepath.Join(dir, "plaza.db"), "--data-dir="+dir)
	})
	t.Run("Postgres", func(t *testing.T) {
		url := postgres.Empty(t)
		startAtOnce(t, "pgx", url, "--data-dir="+t.TempDir(), "--database-url="+url)
	})
}

func startAtOnce(t *testing.T, driver, source string, settings ...string) {
	t.Helper()
	_, err := plaza()
	require.NoError(t, err, "built before the first starts, so that all start at once")
	servers := make([]*running, manyServers)
	for i := range servers {
		servers[i] = begin(t, settings...)
	}
	for _, r := range servers {
		r.listens(t)
	}
	steps := assertMigrated(t, driver, source)
	shareEvents(t, servers, settings)
	for _, r := range servers {
		require.NoError(t, r.cmd.Process.Signal(syscall.SIGTERM))
	}
	for _, r := range servers {
		assert.Zero(t, r.ends(t), "%s", r.log)
		r.assertSilentOn(t, "DATA RACE", "level=ERROR", "level=WARN")
	}
	for _, step := range steps { // a server that has ended has logged everything
		applied := 0
		for _, r := range servers {
			applied += strings.Count(r.log.String(), step)
		}
		assert.Equal(t, 1, applied, "one has done %s, the others have waited for it", step)
	}
}

// assertMigrated asserts that every step is recorded once, and returns the steps.
func assertMigrated(t *testing.T, driver, source string) (recorded []string) {
	t.Helper()
	files, err := migrations.SQLite.ReadDir("sqlite")
	require.NoError(t, err)
	db, err := sql.Open(driver, source)
	require.NoError(t, err)
	defer db.Close()
	var steps, names int
	require.NoError(t, db.QueryRowContext(t.Context(),
		"SELECT count(*), count(DISTINCT name) FROM schema_migrations").Scan(&steps, &names))
	assert.Equal(t, len(files), steps)
	assert.Equal(t, len(files), names)
	for _, file := range files {
		recorded = append(recorded, strings.TrimSuffix(file.Name(), ".sql"))
	}
	return recorded
}

// shareEvents has each server store an event, and asserts that each shows those of
// all.
func shareEvents(t *testing.T, servers []*running, settings []string) {
	t.Helper()
	key := people(t, 0, settings).writers[0].key
	for i, r := range servers {
		c := newCaller(r.url)
		read(t, newCaller(r.admin), "", "", nil)
		status, raw, err := c.send(key, http.MethodPost, eventsPath, diaryEntry{Title: fmt.Sprint("From server ", i)})
		require.NoError(t, err)
		require.Equal(t, http.StatusCreated, status, "%s", raw)
	}
	for _, r := range servers {
		assert.Len(t, all[eventShown](t, newCaller(r.url), key, eventsPath+"?"), manyServers)
	}
}
