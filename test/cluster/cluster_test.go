//go:build soak

package cluster

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNoProcessIsLeft starts a cluster in a test that fails, and looks for its processes.
func TestNoProcessIsLeft(t *testing.T) {
	var folder string
	f := &failing{TB: t}
	t.Run("a failing test", func(t *testing.T) {
		f.TB = t
		c := Start(f, nil)
		folder = c.folder.Path()
		conn, err := pgx.Connect(t.Context(), c.App("app1").DatabaseAt(c.App("app2").Pooler()))
		require.NoError(t, err)
		var timeout string
		require.NoError(t, conn.QueryRow(t.Context(), "SHOW statement_timeout", pgx.QueryExecModeSimpleProtocol).Scan(&timeout))
		assert.Equal(t, "10s", timeout, "the limits of plaza.sql hold behind PgBouncer")
		require.NoError(t, conn.Close(t.Context()))
		c.Primary().KillPostgres()
		assert.NotEmpty(t, processesOf(folder))
	})
	require.NotEmpty(t, folder)
	assert.Empty(t, processesOf(folder))
	assert.NoDirExists(t, folder)
}

// failing is a test that has failed.
type failing struct{ testing.TB }

func (failing) Failed() bool { return true }

// processesOf returns the command lines that name the folder.
func processesOf(folder string) (lines []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range files {
		if line, err := os.ReadFile(path); err == nil && bytes.Contains(line, []byte(folder)) {
			lines = append(lines, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return lines
}
