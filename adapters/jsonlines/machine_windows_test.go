package jsonlines_test

import "testing"

// fifo skips the test.
func fifo(t *testing.T, _ string) string {
	t.Helper()
	t.Skip("a named pipe in a folder, which Windows does not have")
	return ""
}

// withLittleRoom skips the test.
func withLittleRoom(t *testing.T, _ int64, _ func()) {
	t.Helper()
	t.Skip("a limit on the size of files, which Windows does not have")
}
