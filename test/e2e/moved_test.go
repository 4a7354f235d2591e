package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAServerWhoseDatabaseFileIsMovedAway(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	dir := t.TempDir()
	settings := []string{"--data-dir=" + dir}
	path, away := filepath.Join(dir, "plaza.db"), filepath.Join(dir, "away.db")
	key := people(t, 0, settings).writers[0].key
	r := serve(t, settings...)
	write := func(r *running) int {
		t.Helper()
		status, _, err := newCaller(r.url).send(key, http.MethodPost, eventsPath, diaryEntry{Title: "An event"})
		require.NoError(t, err)
		return status
	}
	require.Equal(t, http.StatusCreated, write(r))
	require.NoError(t, os.Rename(path, away))
	assert.Equal(t, http.StatusServiceUnavailable, write(r))
	assert.Equal(t, http.StatusServiceUnavailable, status(t, r.admin))
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGTERM))
	r.ends(t)

	for _, args := range [][]string{{"serve", "--addr=127.0.0.1:0", "--admin-addr=127.0.0.1:0"}, {"user", "list"}, {"migrate", "up"}} {
		_, errOut, code := run(t, nil, append(args, settings...)...)
		assert.Equal(t, 1, code, args)
		assert.Contains(t, errOut, "the database is not where it was", args)
		assert.Contains(t, errOut, path+".id", args)
		assert.NoFileExists(t, path, args)
	}
	require.NoError(t, os.Rename(away, path))
	again := serve(t, settings...)
	assert.Equal(t, http.StatusCreated, write(again))
	assert.Equal(t, http.StatusOK, status(t, again.admin))
	assert.Len(t, all[eventShown](t, newCaller(again.url), key, eventsPath+"?"), 2)
	require.NoError(t, again.cmd.Process.Signal(syscall.SIGTERM))
	assert.Zero(t, again.ends(t), "%s", again.log)
}
