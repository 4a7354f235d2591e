package e2e

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/postgres"
)

// newerSteps are the steps that a newer program has beside those of this one.
var newerSteps = map[string]string{
	"9000_note.sql":       "ALTER TABLE events ADD COLUMN note text;\n",
	"9001_note_index.sql": "-- transaction: none\nCREATE INDEX CONCURRENTLY events_note ON events (note) WHERE note IS NOT NULL;\n",
}

// newerPlaza returns the path of the program with newerSteps, which is built once.
var newerPlaza = sync.OnceValues(func() (string, error) {
	folder, err := filepath.Abs(filepath.Join("..", "..", "migrations", "postgres"))
	if err != nil {
		return "", err
	}
	dir, err := buildFolder()
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range newerSteps {
		replace[filepath.Join(folder, name)] = filepath.Join(dir, name)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "plaza-newer")
	build := exec.Command("go", "build", "-tags", "nomsgpack,nodynamic", "-trimpath",
		"-overlay", filepath.Join(dir, "overlay.json"), "-o", path, "plaza/bootstrap/cmd/plaza")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building a newer program: %w\n%s", err, out)
	}
	return path, nil
})

// load is what clients do meanwhile.
type load struct {
	t    *testing.T
	key  string
	done atomic.Int64
	stop chan struct{}
	all  sync.WaitGroup
}

// loadPace is how long a client waits between two requests, so that what is tested beside the load gets on.
const loadPace = 10 * time.Millisecond

// on writes and reads at the server until the load ends.
func (l *load) on(c caller) {
	for i := range 3 {
		l.all.Go(func() {
			pace := time.NewTicker(loadPace)
			defer pace.Stop()
			for n := 0; ; n++ {
				select {
				case <-l.stop:
					return
				case <-pace.C:
				}
				status, raw, err := c.send(l.key, http.MethodPost, eventsPath, diaryEntry{Title: fmt.Sprint("Nº ", i, " ", n)})
				if assert.NoError(l.t, err) {
					assert.Equal(l.t, http.StatusCreated, status, "%s", raw)
				}
				status, raw, err = c.send(l.key, http.MethodGet, eventsPath+"?page_size=2", nil)
				if assert.NoError(l.t, err) {
					assert.Equal(l.t, http.StatusOK, status, "%s", raw)
				}
				l.done.Add(1)
			}
		})
	}
}

// more waits until more was done.
func (l *load) more() {
	l.t.Helper()
	before := l.done.Load()
	require.Eventually(l.t, func() bool { return l.done.Load() > before+50 }, patience, 10*time.Millisecond)
}

func TestANewerServerMigratesBesideAnOlderOne(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	newer, err := newerPlaza()
	require.NoError(t, err)
	at := postgres.Empty(t)
	settings := []string{"--data-dir=" + t.TempDir(), "--database-url=" + at, unlimited}
	l := &load{t: t, key: people(t, 0, settings).writers[0].key, stop: make(chan struct{})}
	end := sync.OnceFunc(func() { close(l.stop); l.all.Wait() })
	defer end()
	first := serve(t, settings...)
	l.on(newCaller(first.url))
	l.more()

	db, err := sql.Open("pgx", at)
	require.NoError(t, err)
	defer db.Close()
	reader, err := db.BeginTx(t.Context(), &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	require.NoError(t, err)
	defer reader.Rollback()
	_, err = reader.ExecContext(t.Context(), "SELECT count(*) FROM events")
	require.NoError(t, err)

	cmd := command(t, context.Background(), append([]string{"serve", "--addr=127.0.0.1:0", "--admin-addr=127.0.0.1:0"}, settings...)...)
	cmd.Path, cmd.Args[0] = newer, newer
	second := beginAs(t, cmd)
	const tries = "the schema cannot be changed yet"
	require.Eventually(t, func() bool { return strings.Count(second.log.String(), tries) >= 2 }, patience, 10*time.Millisecond,
		"it waits for the reader")
	l.more()
	require.NoError(t, reader.Rollback())
	second.listens(t)
	l.on(newCaller(second.url))
	l.more()

	third := serve(t, settings...) // the older program starts again beside the newer schema
	l.on(newCaller(third.url))
	l.more()
	end()
	var applied int
	require.NoError(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM schema_migrations WHERE name >= '9000'").Scan(&applied))
	assert.Equal(t, len(newerSteps), applied)
	var indexed bool
	require.NoError(t, db.QueryRowContext(t.Context(),
		"SELECT indisvalid FROM pg_index WHERE indexrelid = 'events_note'::regclass").Scan(&indexed))
	assert.True(t, indexed)
	out, errOut, status := run(t, nil, append([]string{"migrate", "status"}, settings...)...)
	assert.Zero(t, status, "%s", errOut)
	assert.Contains(t, out, "which can work with it")
	for _, r := range []*running{first, second, third} {
		require.NoError(t, r.cmd.Process.Signal(syscall.SIGTERM))
		assert.Zero(t, r.ends(t), "%s", r.log)
	}
	t.Logf("%d writes and as many reads were answered", l.done.Load())
}

func TestTwo_servers_share_an_embedded_database(t *testing.T) {
	settings := []string{"--data-dir=" + t.TempDir(), unlimited}
	l := &load{t: t, key: people(t, 0, settings).writers[0].key, stop: make(chan struct{})}
	end := sync.OnceFunc(func() { close(l.stop); l.all.Wait() })
	defer end()
	for range 2 {
		l.on(newCaller(serve(t, settings...).url))
	}
	l.more()
	end()
	_, errOut, status := run(t, nil, append([]string{"check"}, settings...)...)
	assert.Zero(t, status, "%s", errOut)
}
