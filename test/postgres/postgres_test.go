package postgres

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) { os.Exit(Main(m)) }

func connect(t *testing.T, at string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), at)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func run(t *testing.T, conn *pgx.Conn, statement string) {
	t.Helper()
	_, err := conn.Exec(t.Context(), statement)
	require.NoError(t, err)
}

func ask[A any](t *testing.T, conn *pgx.Conn, question string) A {
	t.Helper()
	var answer A
	require.NoError(t, conn.QueryRow(t.Context(), question).Scan(&answer))
	return answer
}

const tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"

var fruits = filling("CREATE TABLE fruit (name text); INSERT INTO fruit VALUES ('plum')")

func filling(statements string) Prepare {
	return func(ctx context.Context, at string) error {
		conn, err := pgx.Connect(ctx, at)
		if err != nil {
			return err
		}
		_, err = conn.Exec(ctx, statements)
		return errors.Join(err, conn.Close(ctx))
	}
}

func TestA_copy_has_what_prepare_made_and_is_the_tests_own(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	prepared := 0
	prepare := func(ctx context.Context, at string) error { prepared++; return fruits(ctx, at) }
	one, other := connect(t, New(t, prepare)), connect(t, New(t, prepare))
	assert.Equal(t, "plum", ask[string](t, one, "SELECT name FROM fruit"))
	run(t, one, "DELETE FROM fruit")
	assert.Equal(t, 1, ask[int](t, other, "SELECT count(*) FROM fruit"))
	assert.Equal(t, 1, prepared, "once for both")
}

func TestEvery_prepare_has_a_template_of_its_own(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	for _, table := range []string{"a", "b"} { // closures from one place
		conn := connect(t, New(t, filling("CREATE TABLE "+table+" ()")))
		assert.Equal(t, table, ask[string](t, conn, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"))
	}
}

func TestAn_empty_database_is_empty(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	New(t, fruits)
	assert.Equal(t, 0, ask[int](t, connect(t, Empty(t)), tables))
}

func TestCopies_are_made_side_by_side(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	for range 8 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, 1, ask[int](t, connect(t, New(t, fruits)), tables))
		})
	}
}

func TestA_database_goes_with_its_test(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	var at string
	t.Run("a test that leaves a session open", func(t *testing.T) {
		at = Empty(t)
		_, err := pgx.Connect(t.Context(), at)
		require.NoError(t, err)
	})
	_, err := pgx.Connect(t.Context(), at)
	assert.ErrorContains(t, err, "does not exist")
}

func TestThe_order_of_text_is_not_that_of_bytes(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	conn := connect(t, Start(t).URL("postgres"))
	const canOrder = "SELECT current_setting('server_version_num')::int >= 150000 AND EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i')"
	if ask[bool](t, conn, canOrder) {
		assert.True(t, ask[bool](t, conn, "SELECT 'a' < 'B'"), "a query without COLLATE must show")
	}
	assert.False(t, ask[bool](t, conn, `SELECT 'a' < 'B' COLLATE "C"`))
}

// refusal is what a test is told that can't have its database.
type refusal struct {
	testing.TB
	fatal string
}

func (r *refusal) Helper() {}
func (r *refusal) Fatalf(format string, args ...any) {
	for _, arg := range args {
		if err, isError := arg.(error); isError {
			r.fatal = err.Error()
		}
	}
	panic(r)
}

func TestA_test_without_its_database_fails(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	runs := 0
	broken := func(context.Context, string) error { runs++; return errors.New("no such column") }
	for range 2 {
		r := &refusal{TB: t}
		assert.PanicsWithValue(t, r, func() { New(r, broken) })
		assert.Contains(t, r.fatal, "no such column")
	}
	assert.Equal(t, 1, runs)
}

func TestWhat_was_committed_survives_stop_and_kill(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	server := Start(t, "max_connections=20")
	conn := connect(t, server.URL("postgres"))
	assert.Equal(t, "20", ask[string](t, conn, "SHOW max_connections"))
	run(t, conn, "CREATE TABLE fruit (name text)")
	for _, c := range []struct {
		fruit    string
		end      func()
		recovers bool
	}{{"plum", server.Stop, false}, {"pear", server.Kill, true}, {"fig", server.Kill, true}} {
		run(t, conn, "INSERT INTO fruit VALUES ('"+c.fruit+"')")
		keepBusy(t, conn, server.URL("postgres"))
		c.end()
		assert.Error(t, conn.Ping(t.Context()), "the session is over")
		assert.Empty(t, server.cluster.processes())
		_, err := pgx.Connect(t.Context(), server.URL("postgres"))
		assert.Error(t, err)
		server.Start()
		log, err := os.ReadFile(server.cluster.log())
		require.NoError(t, err)
		assert.Equal(t, c.recovers, strings.Contains(string(log), "was not properly shut down"))
		conn = connect(t, server.URL("postgres"))
	}
	assert.Equal(t, 3, ask[int](t, conn, "SELECT count(*) FROM fruit"))
}

// keepBusy has a second session at work, which notices nothing until it's done.
func keepBusy(t *testing.T, conn *pgx.Conn, at string) {
	t.Helper()
	busy := connect(t, at).PgConn()
	busy.Frontend().SendQuery(&pgproto3.Query{String: "SELECT count(*) FROM generate_series(1, 40000), generate_series(1, 40000) AS more"})
	require.NoError(t, busy.Frontend().Flush())
	works := fmt.Sprintf("SELECT state = 'active' FROM pg_stat_activity WHERE pid = %d", busy.PID())
	for !ask[bool](t, conn, works) {
	}
}

func TestA_server_that_refuses_to_start_says_why(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	r := &refusal{TB: t}
	assert.PanicsWithValue(t, r, func() { Start(r, "no_such_setting=on") })
	assert.Contains(t, r.fatal, `unrecognized configuration parameter "no_such_setting"`)
}

func TestAnother_server_gives_the_same(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	at := Start(t).URL("postgres")
	h, err := newHost(at)
	require.NoError(t, err)
	twin, err := newHost(at)
	require.NoError(t, err)
	template, err := h.template(fruits)
	require.NoError(t, err)
	_, err = pgx.Connect(t.Context(), strings.Replace(at, "/postgres?", "/"+template+"?", 1))
	assert.ErrorContains(t, err, "not currently accepting connections", "who is connected to a template holds up its copies")
	t.Run("", func(t *testing.T) {
		one := connect(t, h.copy(t, template))
		assert.Equal(t, "plum", ask[string](t, one, "SELECT name FROM fruit"))
		assert.Equal(t, 0, ask[int](t, connect(t, twin.copy(t, pristine)), tables), "another process, another name")
	})
	t.Run("lent", func(t *testing.T) {
		empty, err := h.template(shelves)
		require.NoError(t, err)
		_, err = h.lend(t, empty)
		require.NoError(t, err)
	})
	require.NoError(t, errors.Join(h.close(), twin.close()))
	assert.Equal(t, 3, ask[int](t, connect(t, at), "SELECT count(*) FROM pg_database"), "nothing stays")
}

func TestA_database_of_another_server(t *testing.T) {
	for _, c := range []struct{ at, want string }{
		{"postgres://ann:p%40ss@db.example:5433/postgres?sslmode=require", "postgres://ann:p%40ss@db.example:5433/x?sslmode=require"},
		{"postgresql://ann@db.example", "postgresql://ann@db.example/x"},
		{"postgres:///?host=/run/pg&dbname=postgres", "postgres:///x?host=%2Frun%2Fpg"},
	} {
		got, err := withDatabase(c.at, "x")
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
		config, err := pgx.ParseConfig(got)
		require.NoError(t, err)
		assert.Equal(t, "x", config.Database)
	}
	for _, at := range []string{"host=db user=ann password=secret", "mysql://ann:secret@db/x", "postgres://ann:secret@db:port/x"} {
		_, err := newHost(at)
		require.Error(t, err, at)
		assert.NotContains(t, err.Error(), "secret")
	}
}

func TestThe_highest_version_is_taken(t *testing.T) {
	bins := []string{"/usr/lib/postgresql/9.6/bin", "/usr/lib/postgresql/15/bin", "/usr/lib/postgresql/local/bin", "/usr/lib/postgresql/9.10/bin"}
	assert.Equal(t, bins[1], slices.MaxFunc(bins, byVersion))
	slices.SortFunc(bins, byVersion)
	assert.Equal(t, "/usr/lib/postgresql/9.10/bin", bins[2])
}

func TestPG_BIN_is_taken_at_its_word(t *testing.T) {
	t.Setenv("PG_BIN", t.TempDir())
	_, err := installed(packaged)
	require.ErrorContains(t, err, "PG_BIN")
	assert.NotErrorIs(t, err, errNotInstalled)
}

const victim = "PLAZA_TEST_POSTGRES_VICTIM"

// TestA_killed_process_leaves_no_server is its own victim: it starts itself again,
// lets that start a server, and kills it.
func TestA_killed_process_leaves_no_server(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	if os.Getenv(victim) != "" {
		beKilled(t)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestA_killed_process_leaves_no_server$")
	cmd.Env = append(os.Environ(), victim+"=yes")
	in, err := cmd.StdinPipe() // stays open for as long as the victim lives
	require.NoError(t, err)
	defer in.Close()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	f := &Folder{path: strings.TrimSpace(line)}
	require.NotEmpty(t, f.processes())

	require.Nil(t, leftover(f.path), "a folder in use")
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	assert.Eventually(t, func() bool { return len(f.processes()) == 0 }, 10*time.Second, time.Millisecond, "the server ends with its process")
	assert.True(t, isSwept(f.path))
}

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

func beKilled(t *testing.T) {
	server := Start(t)
	os.Stdout.WriteString(server.cluster.path + "\n")
	os.Stdin.Read(make([]byte, 1))
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
	assert.Empty(t, server.cluster.processes())
	server.cluster.lock, _ = os.Open(os.DevNull)
}

func TestThe_path_of_a_socket_is_short(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	at, err := url.Parse(Start(t).URL("postgres"))
	require.NoError(t, err)
	assert.Less(t, len(filepath.Join(at.Query().Get("host"), ".s.PGSQL."+port)), 60)
}
