// Package postgres gives tests databases of a real PostgreSQL server.
//
// A test process has one server, started when a test first asks for a database: a throw-away cluster behind a Unix socket, or the server
// that PLAZA_TEST_DATABASE_URL names. What always holds: no two tests see the same database at a time; a test is skipped where no
// PostgreSQL is installed, and fails where there is one that does not work; and nothing outlives the process that asked for it, however
// that process ends, but files that the next one removes.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"runtime/debug"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"plaza/test/faultproxy"
)

// Prepare fills the database at the URL. It must have closed its connections when it returns.
type Prepare = func(ctx context.Context, url string) error

// New returns the URL of a fresh database, which is dropped when the test ends. It is a copy of a template that prepare fills once per
// process: pass a function that stays the same, because every new closure gets a template of its own.
func New(t testing.TB, prepare Prepare) string {
	t.Helper()
	host, err := shared()
	must(t, err)
	template, err := host.template(prepare)
	must(t, err)
	return host.copy(t, template)
}

// Lend returns the URL of a database that prepare has filled and that has no rows. It is emptied when the test ends, and lent again: that
// takes a tenth of the time of New. The test must leave the schema as it is and close its sessions.
func Lend(t testing.TB, prepare Prepare) string {
	t.Helper()
	host, err := shared()
	must(t, err)
	return (&Lender{host}).Lend(t, prepare)
}

// Empty returns the URL of a fresh database without any tables, which is dropped when the test ends.
func Empty(t testing.TB) string {
	t.Helper()
	host, err := shared()
	must(t, err)
	return host.copy(t, pristine)
}

// Programs returns the folder of the server's programs.
func Programs(t testing.TB) string {
	t.Helper()
	bin, err := binaries()
	must(t, err)
	return bin
}

// must skips the test where no PostgreSQL is installed, and fails it for any other reason.
func must(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, errNotInstalled) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("no database for this test: %v", err)
	}
}

// Main runs the tests, with as little garbage collection as the server has, then ends what they shared, and returns the exit code:
//
//	func TestMain(m *testing.M) { os.Exit(postgres.Main(m)) }
func Main(m *testing.M) int {
	debug.SetGCPercent(400)
	code := m.Run()
	if err := endShared(); err != nil {
		fmt.Fprintf(os.Stderr, "the tests' PostgreSQL: %v\n", err)
		return max(code, 1)
	}
	return code
}

// Server is a server of a test's own, which the test may stop, kill and start again. Its methods fail the test, thus they are for the
// test's goroutine. It ends with the test.
type Server struct {
	t       testing.TB
	cluster *cluster
}

// Start starts a server of the test's own. What it has committed survives Stop and
// Kill. The settings, such as "fsync=on", are of postgresql.conf.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	c, err := newCluster(append(surviving(), settings...))
	must(t, err)
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

// Start starts the server after Stop or Kill, at the same URL, and returns when it takes connections.
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

// unusual are settings on which the meaning of a statement or of its answer depends, with values that
// operators of other programs use. Those of the second list can't be set behind a pooler.
var unusual = [2][][2]string{
	{{"standard_conforming_strings", "off"}, {"client_encoding", "GBK"}, {"DateStyle", "SQL, DMY"}, {"TimeZone", "'Asia/Kathmandu'"}},
	{
		{"IntervalStyle", "sql_standard"}, {"bytea_output", "escape"}, {"extra_float_digits", "-15"}, {"array_nulls", "off"},
		{"transform_null_equals", "on"}, {"gin_fuzzy_search_limit", "1"}, {"default_transaction_isolation", "serializable"},
	},
}

// MakeUnusual gives the database, for the sessions that begin afterwards, unusual settings: behind a
// pooler those alone that it keeps for each client.
func MakeUnusual(at string, behindPooler bool) error {
	all := unusual[0]
	if !behindPooler {
		all = append(all[:len(all):len(all)], unusual[1]...)
	}
	return set(at, all...)
}

// Set changes a setting of the database, for the sessions that begin afterwards.
func Set(at, setting, value string) error { return set(at, [2]string{setting, value}) }

func set(at string, settings ...[2]string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, at)
	if err != nil {
		return err
	}
	for _, s := range settings {
		if err == nil {
			_, err = conn.Exec(ctx, "ALTER DATABASE "+pgx.Identifier{conn.Config().Database}.Sanitize()+" SET "+s[0]+" = "+s[1])
		}
	}
	return errors.Join(err, conn.Close(ctx))
}

// Behind starts a proxy before the server of the database, and returns it with the URL of the database by way of it.
func Behind(t testing.TB, database string) (line *faultproxy.Proxy, through string) {
	t.Helper()
	network, address := Address(t, database)
	line = faultproxy.Start(t, network, address)
	return line, Through(t, database, line.Address())
}

// Address returns where the server of the database listens, as net.Dial takes it.
func Address(t testing.TB, database string) (network, address string) {
	t.Helper()
	config := parse(t, database)
	return pgconn.NetworkAddress(config.Host, config.Port)
}

// Through returns the URL of the database by way of a proxy before its server. The proxy listens on TCP.
func Through(t testing.TB, database, proxy string) string {
	t.Helper()
	config := parse(t, database)
	through := url.URL{
		Scheme: "postgres", User: url.UserPassword(config.User, config.Password),
		Host: proxy, Path: config.Database, RawQuery: "sslmode=disable",
	}
	return through.String()
}

func parse(t testing.TB, database string) *pgconn.Config {
	t.Helper()
	config, err := pgconn.ParseConfig(database)
	if err != nil {
		t.Fatalf("the URL of a test's database: %v", err)
	}
	return config
}
