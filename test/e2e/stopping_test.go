package e2e

import (
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/postgres"
)

func status(t *testing.T, url string) int {
	t.Helper()
	res, err := http.Get(url)
	require.NoError(t, err)
	res.Body.Close()
	return res.StatusCode
}

func TestA_server_outlives_an_outage_of_its_database(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	database := postgres.Start(t)
	settings := []string{"--data-dir=" + t.TempDir(), "--database-url=" + database.URL("postgres")}
	key := people(t, 0, settings).writers[0].key
	r := serve(t, settings...)
	c := newCaller(r.url)
	write := func() (int, []byte) {
		t.Helper()
		code, raw, err := c.send(key, http.MethodPost, eventsPath, diaryEntry{Title: "An event"})
		require.NoError(t, err)
		return code, raw
	}
	code, raw := write()
	require.Equal(t, http.StatusCreated, code, "%s", raw)
	for range 2 {
		database.Stop()
		a := ask(r, key, http.MethodGet, eventsPath, nil, nil)
		assert.Equal(t, http.StatusServiceUnavailable, a.status)
		assert.NotEmpty(t, a.header.Get("Retry-After"))
		assert.JSONEq(t, `{"error": true, "code": "SERVICE_UNAVAILABLE",
			"data": {"detail": "The data can't be reached right now. Try again soon."}}`, a.body)
		code, raw = write()
		assert.Equal(t, http.StatusServiceUnavailable, code, "%s", raw)
		assert.Equal(t, http.StatusServiceUnavailable, status(t, r.admin))
		assert.Equal(t, http.StatusOK, status(t, strings.TrimSuffix(r.admin, "/readyz")+"/livez"), "nobody must restart it")

		database.Start()
		require.Eventually(t, func() bool { return status(t, r.admin) == http.StatusOK }, patience, 10*time.Millisecond)
		code, raw = write()
		assert.Equal(t, http.StatusCreated, code, "%s", raw)
	}
	assert.Len(t, all[eventShown](t, c, key, eventsPath+"?"), 3)
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGTERM))
	assert.Zero(t, r.ends(t), "%s", r.log)
	r.assertSilentOn(t, "DATA RACE")
}

func TestA_server_that_stops_while_the_database_is_away(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	database := postgres.Start(t)
	r := serve(t, "--data-dir="+t.TempDir(), "--database-url="+database.URL("postgres"))
	database.Kill()
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGTERM))
	assert.Zero(t, r.ends(t), "%s", r.log)
}

const categoriesPath = "/api/feed/categories/"

func (r *running) isReady() bool {
	res, err := http.Get(r.admin)
	if err != nil {
		return false
	}
	res.Body.Close()
	return res.StatusCode == http.StatusOK
}

func TestA_server_serves_during_the_drain_delay(t *testing.T) {
	r := serve(t, "--drain-delay=1h")
	require.True(t, r.isReady())
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGTERM))
	require.Eventually(t, func() bool { return !r.isReady() }, patience, time.Millisecond)
	for range 10 {
		res, err := (&http.Client{Transport: &http.Transport{}}).Get(r.url + categoriesPath)
		require.NoError(t, err, "a new connection")
		_, err = io.Copy(io.Discard, res.Body)
		require.NoError(t, err)
		res.Body.Close()
		assert.Equal(t, http.StatusOK, res.StatusCode)
		assert.True(t, res.Close, "the client is to connect anew, elsewhere")
	}
	admin := strings.TrimSuffix(r.admin, "/readyz")
	for _, path := range []string{"/livez", "/startupz", "/metrics"} {
		assert.Equal(t, http.StatusOK, status(t, admin+path), path)
	}
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGTERM))
	assert.Equal(t, -1, r.ends(t), "the second signal ended it, not the delay: %s", r.log)
}

func TestAfter_the_drain_delay_the_address_closes_and_requests_finish(t *testing.T) {
	r := serve(t, "--drain-delay=50ms")
	conn := slowRequest(t, r)
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGTERM))
	require.Eventually(t, func() bool {
		another, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err == nil {
			another.Close()
		}
		return err != nil
	}, patience, time.Millisecond)
	_, err := io.WriteString(conn, `{"username": "+86-13800000001", "password": "plaza-demo"}    `)
	require.NoError(t, err)
	reply, err := io.ReadAll(conn)
	require.NoError(t, err)
	assert.Contains(t, string(reply), "Unable to log in", "there are no accounts")
	assert.Zero(t, r.ends(t), "%s", r.log)
}

func TestRequests_that_outlast_the_drain_timeout_are_cut(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	r := serve(t, "--drain-timeout=1s")
	slowRequest(t, r)
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGTERM))
	assert.Equal(t, 1, r.ends(t), "%s", r.log)
	assert.Contains(t, r.log.String(), "requests were in progress after PLAZA_DRAIN_TIMEOUT, 1s")
}
