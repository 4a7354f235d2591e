package e2e

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/postgres"
)

// status is that of the answer to a GET.
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
		assertUnavailable(t, r, key)
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

// assertUnavailable asserts that a read is refused in the envelope, with a time to come back at and without a word of why.
func assertUnavailable(t *testing.T, r *running, key string) {
	t.Helper()
	a := ask(r, key, http.MethodGet, eventsPath, nil, nil)
	assert.Equal(t, http.StatusServiceUnavailable, a.status)
	assert.NotEmpty(t, a.header.Get("Retry-After"))
	assert.JSONEq(t, `{"error": true, "code": "SERVICE_UNAVAILABLE",
		"data": {"detail": "The data can't be reached right now. Try again soon."}}`, a.body)
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
