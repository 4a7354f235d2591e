// Package e2e runs the built program as a person would: it starts, serves, stops, and says what is wrong with its settings.
package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/postgres"
	"plaza/test/process"
)

// patience bounds everything here that waits for the program.
const patience = 60 * time.Second

// programPath names the program to run: an absolute path. The tests' own cache looks at the file when it is within the module.
const programPath = "PLAZA_TEST_PROGRAM"

// plaza returns the path of the program: the one that is named, or else one that is built once, in the way in which the tests were.
var plaza = sync.OnceValues(func() (string, error) {
	if path := os.Getenv(programPath); path != "" {
		if !filepath.IsAbs(path) {
			return "", fmt.Errorf("%s must be an absolute path, not %q", programPath, path)
		}
		_, err := os.Stat(path)
		return path, err
	}
	dir, err := os.MkdirTemp("", "plaza-e2e-")
	if err != nil {
		return "", err
	}
	builtIn = dir
	path := filepath.Join(dir, "plaza")
	flags, cgo := []string{"build", "-tags", "nomsgpack,nodynamic", "-trimpath", "-o", path}, "0"
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		flags, cgo = append(flags, "-race"), "1"
	}
	build := exec.Command("go", append(flags, "plaza/bootstrap/cmd/plaza")...)
	build.Env = append(os.Environ(), "CGO_ENABLED="+cgo)
	if out, err := build.CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

// builtIn is the folder that the program is built in; empty while it was not built.
var builtIn string

func TestMain(m *testing.M) {
	_ = flag.Set("test.parallel", "4") // unless -parallel is given: tests wait for processes most of the time
	status := postgres.Main(m)
	if builtIn != "" {
		os.RemoveAll(builtIn)
	}
	os.Exit(status)
}

func command(t *testing.T, ctx context.Context, args ...string) *exec.Cmd {
	t.Helper()
	path, err := plaza()
	require.NoError(t, err)
	cmd := exec.CommandContext(ctx, path, args...)
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "PLAZA_") {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	// Commands that change data ask who runs them. A server that is killed leaves temporary files.
	cmd.Env = append(cmd.Env, "SUDO_USER=maria", "TMPDIR="+t.TempDir())
	cmd.Dir = t.TempDir()
	return cmd
}

func run(t *testing.T, env []string, args ...string) (out, errOut string, status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := command(t, ctx, args...)
	cmd.Env = append(cmd.Env, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		require.NoError(t, err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

type running struct {
	cmd     *exec.Cmd
	url     string
	admin   string // of /readyz
	process *process.Process
	log     *process.Output
}

var address = regexp.MustCompile(`msg=serving addr=(\S+) admin=(\S+)`)

var demo = []string{"--demo", "--database-url=memory:", "--wallet-sandbox-addr=127.0.0.1:0"}

// serve starts a server on free ports.
func serve(t *testing.T, args ...string) *running {
	t.Helper()
	args = append([]string{"serve", "--addr=127.0.0.1:0", "--admin-addr=127.0.0.1:0"}, args...)
	return begin(t, command(t, context.Background(), args...))
}

// begin starts a server, and waits until it has said where it is.
func begin(t *testing.T, cmd *exec.Cmd) *running {
	t.Helper()
	said := process.NewAnnouncer(address)
	r := &running{cmd: cmd, log: &process.Output{}}
	cmd.Stderr = io.MultiWriter(said, r.log)
	var err error
	r.process, err = process.Start(cmd, syscall.SIGKILL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	for _, into := range []*string{&r.url, &r.admin} {
		select {
		case at := <-said.Found:
			*into = "http://" + at
		case <-r.process.Ended():
			t.Fatalf("the server ended: %v\n%s", r.cmd.ProcessState, r.log)
		case <-time.After(patience):
			t.Fatalf("the server said nothing\n%s", r.log)
		}
	}
	r.admin += "/readyz"
	return r
}

func (r *running) ends(t *testing.T) int {
	t.Helper()
	select {
	case <-r.process.Ended():
		return r.cmd.ProcessState.ExitCode()
	case <-time.After(patience):
		t.Fatalf("the server does not end\n%s", r.log)
		return -1
	}
}

func login(t *testing.T, url string) string {
	t.Helper()
	return loginAs(t, url, "+86-13800000001")
}

func loginAs(t *testing.T, url, phone string) string {
	t.Helper()
	c := newCaller(url)
	defer c.client.CloseIdleConnections()
	status, body, err := c.send("", http.MethodPost, "/api/auth/login/", map[string]string{"username": phone, "password": "plaza-demo"})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status, "%s", body)
	var answer struct{ Data struct{ Key string } }
	require.NoError(t, json.Unmarshal(body, &answer))
	return answer.Data.Key
}

func TestA_demo_server_serves_and_stops_with_status_0(t *testing.T) {
	r := serve(t, "--demo", "--wallet-sandbox-addr=127.0.0.1:0")
	key := login(t, r.url)
	read(t, newCaller(r.url), key, eventsPath, nil)
	for path, want := range map[string]string{"/livez": "ok\n", "/readyz": "ok\n", "/metrics": "plaza_translation_misses_total 0\n"} {
		res, err := http.Get(strings.TrimSuffix(r.admin, "/readyz") + path)
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, res.StatusCode, path)
		assert.Contains(t, string(body), want, path)
	}
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGTERM))
	assert.Zero(t, r.ends(t), "%s", r.log)
	assert.NotContains(t, r.log.String(), key, "keys are never logged")
	assert.Regexp(t, `msg=serving .* database=\S+`, r.log.String())
	assert.NotContains(t, r.log.String(), "DATA RACE")
}

// slowRequest sends the head of a request and keeps its body back.
func slowRequest(t *testing.T, r *running) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	_, err = io.WriteString(conn, "POST /api/auth/login/ HTTP/1.1\r\nHost: plaza\r\nContent-Type: application/json\r\n"+
		"Content-Length: 61\r\nExpect: 100-continue\r\n\r\n")
	require.NoError(t, err)
	reply, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, reply, "100 Continue", "the handler is reading the body now")
	return conn
}

func TestA_server_outlives_who_reads_its_log_and_ends_with_its_terminal(t *testing.T) {
	cmd := command(t, context.Background(), "serve", "--addr=127.0.0.1:0", "--admin-addr=127.0.0.1:0", "--database-url=memory:",
		"--log-level=debug")
	log, stderr, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stderr = stderr
	p, err := process.Start(cmd, syscall.SIGKILL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	require.NoError(t, stderr.Close())
	var found []string
	for lines := bufio.NewScanner(log); found == nil; {
		require.True(t, lines.Scan())
		found = address.FindStringSubmatch(lines.Text())
	}
	require.NoError(t, log.Close())
	public, admin := &running{url: "http://" + found[1]}, &running{url: "http://" + found[2]}
	require.Eventually(t, func() bool {
		assert.Equal(t, http.StatusBadRequest, ask(public, "", http.MethodPost, "/api/auth/login/", nil,
			map[string]string{"username": "+86-13800000001", "password": "a guess"}).status)
		return !strings.Contains(ask(admin, "", http.MethodGet, "/metrics", nil, nil).body, "plaza_log_lines_lost_total 0\n")
	}, patience, 10*time.Millisecond)
	require.NoError(t, p.Signal(syscall.SIGHUP))
	assert.NoError(t, p.Wait(patience), "as after SIGTERM")
}

func TestAn_address_in_use_is_told(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	_, errOut, status := run(t, nil, "serve", "--addr="+taken.Addr().String(), "--admin-addr=127.0.0.1:0")
	assert.Equal(t, 1, status)
	assert.Contains(t, errOut, "PLAZA_ADDR")
	assert.Contains(t, errOut, "in use")
}
