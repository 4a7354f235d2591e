package postgres

import (
	"errors"
	"fmt"
	"testing"
)

// Standby starts a streaming replica of the server, which answers reads and ends with the test.
// Its methods are those of a server: a standby that is started again catches up.
func (s *Server) Standby(t testing.TB, settings ...string) *Server {
	t.Helper()
	c, err := s.cluster.standby(append(surviving(), settings...))
	must(t, err)
	t.Cleanup(func() {
		if err := c.remove(); err != nil {
			t.Errorf("removing the test's standby: %v", err)
		}
	})
	standby := &Server{t: t, cluster: c}
	standby.Start()
	return standby
}

// standby returns a copy of the running cluster that follows it once it is started.
func (c *cluster) standby(settings []string) (*cluster, error) {
	dir, err := NewFolder()
	if err != nil {
		return nil, fmt.Errorf("a folder for the standby: %w", err)
	}
	copied := &cluster{Folder: dir, bin: c.bin, settings: settings}
	said, err := copied.command("pg_basebackup", "-d", "host="+c.path+" port="+port+" user=postgres", "-D", copied.data(),
		"-X", "stream", "-c", "fast", "--write-recovery-conf", "--no-sync").CombinedOutput()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("pg_basebackup: %w: %s", err, said), copied.remove())
	}
	return copied, nil
}

// Freeze stops all processes of the server in their tracks, as a machine does that hangs: its
// connections stay open, and nothing comes back. Thaw, or the end of the test, lets them go on.
func (s *Server) Freeze() {
	s.t.Helper()
	s.t.Cleanup(s.Thaw) // before the server is removed
	s.cluster.freeze()
}

// Thaw lets the processes go on.
func (s *Server) Thaw() { s.cluster.thaw() }
