package postgres

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
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

func ask[A any](t *testing.T, conn *pgx.Conn, question string) A {
	t.Helper()
	var answer A
	require.NoError(t, conn.QueryRow(t.Context(), question).Scan(&answer))
	return answer
}

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
