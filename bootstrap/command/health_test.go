package command_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// admin serves /readyz, which is ready from the given question on. It returns its address.
func admin(t *testing.T, readyFrom int64) string {
	t.Helper()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method != http.MethodGet || r.URL.Path != "/readyz" || r.Host != "localhost": // which needs no PLAZA_ADMIN_HOSTS
			http.Error(w, "elsewhere", http.StatusNotFound)
		case asked.Add(1) < readyFrom:
			http.Error(w, "the database does not answer", http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func TestHealthcheck(t *testing.T) {
	sh := emptyShell(t)
	at := admin(t, 1)
	ready := sh.run("healthcheck", "--admin-addr="+at)
	assert.Equal(t, done, ready.status, ready.err)
	assert.Equal(t, "http://"+at+"/readyz: ready\n", ready.out)

	_, port, _ := net.SplitHostPort(at)
	assert.Equal(t, done, sh.run("healthcheck", "--admin-addr=0.0.0.0:"+port).status, "the address of all interfaces")
	t.Setenv("PLAZA_ADMIN_ADDR", at)
	t.Setenv("PLAZA_TOKEN_TTL", "soon")
	assert.Equal(t, done, sh.run("healthcheck").status, "other settings do not matter")

	not := sh.run("healthcheck", "--admin-addr="+admin(t, 1000))
	assert.Equal(t, refused, not.status)
	assert.Contains(t, not.err, "not ready: the database does not answer")
	assert.Equal(t, done, sh.run("healthcheck", "--admin-addr="+admin(t, 3), "--wait=1m").status, "it asks again")
	away := sh.run("healthcheck", "--admin-addr=127.0.0.1:1", "--wait=1ms")
	assert.Equal(t, refused, away.status)
	assert.Contains(t, away.err, "not ready: ")
	wrong := sh.run("healthcheck", "--admin-addr=nowhere")
	assert.Equal(t, misused, wrong.status)
	assert.Contains(t, wrong.err, "PLAZA_ADMIN_ADDR")
}

// TestHangup_ends_a_command_unless_it_is_ignored_as_by_nohup sends the signal of a terminal that closes while the command waits.
func TestHangup_ends_a_command_unless_it_is_ignored_as_by_nohup(t *testing.T) {
	sh := emptyShell(t)
	self, err := os.FindProcess(os.Getpid())
	require.NoError(t, err)
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1)%2 == 1 {
			assert.NoError(t, self.Signal(syscall.SIGHUP))
			http.Error(w, "starting", http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	at := strings.TrimPrefix(server.URL, "http://")
	assert.Equal(t, refused, sh.run("healthcheck", "--admin-addr="+at, "--wait=1m").status)
	asked.Store(0)
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	assert.Equal(t, done, sh.run("healthcheck", "--admin-addr="+at, "--wait=1m").status)
}
