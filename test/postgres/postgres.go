// Package postgres gives tests databases of a real PostgreSQL server.
//
// A test process has one server, started when a test first asks for a database: a
// throw-away cluster behind a Unix socket, or the server that PLAZA_TEST_DATABASE_URL
// names. What always holds: no two tests see the same database; a test that cannot
// have its database fails, it is never skipped; and nothing outlives the process
// that asked for it, however that process ends, but files that the next one removes.
package postgres

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// Prepare fills the database at the URL. It must have closed its connections when
// it returns.
type Prepare = func(ctx context.Context, url string) error

// New returns the URL of a fresh database, which is dropped when the test ends. It
// is a copy of a template that prepare fills once per process: pass a function that
// stays the same, because every new closure gets a template of its own.
func New(t testing.TB, prepare Prepare) string {
	t.Helper()
	host, err := shared()
	if err != nil {
		t.Fatalf("no database for this test: %v", err)
	}
	template, err := host.template(prepare)
	if err != nil {
		t.Fatalf("no database for this test: %v", err)
	}
	return host.lend(t, template)
}

// Empty returns the URL of a fresh database without any tables, which is dropped
// when the test ends.
func Empty(t testing.TB) string {
	t.Helper()
	host, err := shared()
	if err != nil {
		t.Fatalf("no database for this test: %v", err)
	}
	return host.lend(t, pristine)
}

// Main runs the tests, then ends what they shared, and returns the exit code:
//
//	func TestMain(m *testing.M) { os.Exit(postgres.Main(m)) }
func Main(m *testing.M) int {
	code := m.Run()
	if err := endShared(); err != nil {
		fmt.Fprintf(os.Stderr, "the tests' PostgreSQL: %v\n", err)
		return max(code, 1)
	}
	return code
}

// Server is a server of a test's own, which the test may stop, kill and start again.
// Its methods fail the test, thus they are for the test's goroutine. It ends with
// the test.
type Server struct {
	t       testing.TB
	cluster *cluster
}

// Start starts a server of the test's own. What it has committed survives Stop and
// Kill. The settings, such as "fsync=on", are of postgresql.conf.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	c, err := newCluster(append(surviving(), settings...))
	if err != nil {
		t.Fatalf("no server for this test: %v", err)
	}
	t.Cleanup(func() {
		if err := c.remove(); err != nil {
			t.Errorf("removing the test's server: %v", err)
		}
	})
	s := &Server{t: t, cluster: c}
	s.Start()
	return s
}

// URL is where the database of that name is; a new server has one, "postgres".
func (s *Server) URL(database string) string { return s.cluster.url(database) }

// Log is what the server has logged since it was started last.
func (s *Server) Log() string {
	s.t.Helper()
	text, err := os.ReadFile(s.cluster.log())
	s.must("reading the log of", err)
	return string(text)
}

// Start starts the server after Stop or Kill, at the same URL, and returns when it
// takes connections.
func (s *Server) Start() {
	s.t.Helper()
	s.must("starting", s.cluster.start())
}

// Stop ends all sessions with a word to the client, and the server in good order.
func (s *Server) Stop() {
	s.t.Helper()
	s.must("stopping", s.cluster.stop(fast))
}

// Kill ends the server as a power cut does: no word to anybody, nothing tidied.
func (s *Server) Kill() {
	s.t.Helper()
	s.must("killing", s.cluster.kill())
}

func (s *Server) must(what string, err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("%s the test's server: %v", what, err)
	}
}
