package postgres

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/process"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

// isSwept waits for another process that may be at it.
func isSwept(path string) bool {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		sweep()
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			return true
		}
	}
	return false
}

func TestAn_orphaned_server_is_ended_and_swept(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	server := Start(t)
	path := server.cluster.path
	sweep()
	require.DirExists(t, path, "its process lives")
	require.NoError(t, server.cluster.lock.Close()) // as when its process ends
	assert.True(t, isSwept(path))
	assert.NotErrorIs(t, server.cluster.postmaster.Wait(patience), process.ErrRuns)
	server.cluster.lock, _ = os.Open(os.DevNull)
}
