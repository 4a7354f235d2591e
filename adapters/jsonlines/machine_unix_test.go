//go:build unix

package jsonlines_test

import (
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// fifo makes a named pipe without a writer.
func fifo(t *testing.T, folder string) string {
	t.Helper()
	path := filepath.Join(folder, "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	return path
}

// withLittleRoom runs the work with a limit on the size of files.
func withLittleRoom(t *testing.T, size int64, work func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var before syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(size), Max: before.Max}))
	defer func() { require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before)) }()
	work()
}
