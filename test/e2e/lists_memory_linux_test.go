//go:build soak

package e2e

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // to fill the database
)

func inUse(t *testing.T, r *running) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.cmd.Process.Pid))
	require.NoError(t, err)
	kB, err := strconv.Atoi(string(peak.FindSubmatch(status)[1]))
	require.NoError(t, err)
	return kB >> 10
}

var peak = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// TestIMG06_TheWorstListsFitIntoMemory has 64 clients ask for the largest lists at once: all images of a user with as many as there may be,
// and a page of a hundred of the longest events. The clients ask for every coding.
func TestIMG06_TheWorstListsFitIntoMemory(t *testing.T) {
	folder := t.TempDir()
	args := []string{"--demo", "--wallet=none", "--sms=none", "--data-dir=" + folder}
	r := serve(t, args...)
	writeLongEvents(t, r.url, login(t, r.url))
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGTERM))
	require.Zero(t, r.ends(t))
	storeManyImages(t, filepath.Join(folder, "plaza.db"))
	for name, path := range map[string]string{"images": "/api/user/user-image/?uid=1", "events": "/api/xfile/event/?page_size=100"} {
		t.Run(name, func(t *testing.T) {
			r := serve(t, args...)
			key := login(t, r.url)
			before := inUse(t, r)
			var served, refused, bytes atomic.Int64
			var all sync.WaitGroup
			one := func(i int) {
				coding := http.Header{"Accept-Encoding": {[]string{"identity", "gzip", "zstd"}[i%3]}}
				switch a := ask(r, key, http.MethodGet, path, coding, nil); a.status {
				case http.StatusOK:
					served.Add(1)
					bytes.Store(max(int64(len(a.body)), bytes.Load()))
				case http.StatusGatewayTimeout: // where the machine has much else to do
					refused.Add(1)
				default:
					refused.Add(1)
					assert.Equal(t, http.StatusServiceUnavailable, a.status, a.body)
					assert.NotEmpty(t, a.header.Get("Retry-After"))
				}
			}
			for i := range 64 {
				all.Go(func() { one(i) })
			}
			all.Wait()
			for served.Load() == 0 && !t.Failed() { // a machine that has much else to do serves one alone
				one(0)
			}
			added := inUse(t, r) - before
			t.Logf("%d lists of %d KiB sent, %d refused; %d MiB in use, then %d more", served.Load(), bytes.Load()>>10, refused.Load(), before,
				added)
			assert.LessOrEqual(t, added, 200)
		})
	}
}

// writeLongEvents fills the first pages of the diary of uid 1.
func writeLongEvents(t *testing.T, url, key string) {
	t.Helper()
	c := newCaller(url)
	defer c.client.CloseIdleConnections()
	for range 100 {
		status, raw, err := c.send(key, http.MethodPost, eventsPath, map[string]any{
			"title": strings.Repeat("长", 200), "content": strings.Repeat("长", 20_000), "html_content": strings.Repeat("x", 60_000),
		})
		require.NoError(t, err)
		require.Equal(t, http.StatusCreated, status, "%s", raw)
	}
}

// storeManyImages gives uid 1 as many images as there may be, each with as many tags as it may have, of the longest.
func storeManyImages(t *testing.T, path string) {
	t.Helper()
	var tags []string
	for n := range 50 {
		tags = append(tags, fmt.Sprintf("%02d%s", n, strings.Repeat("长", 62)))
	}
	list, err := json.Marshal(tags)
	require.NoError(t, err)
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(context.Background(), `PRAGMA busy_timeout = 10000; PRAGMA foreign_keys = ON;
		DELETE FROM images WHERE owner_id = 1;
		INSERT INTO images (owner_id, key, width, height, tags, created)
		WITH RECURSIVE series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < 5000)
		SELECT 1, 'public/ab/' || n || '.jpg', 640, 480, ?, 1000000 * n FROM series`, string(list))
	require.NoError(t, err)
}
