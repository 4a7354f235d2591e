package bootstrap

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
)

// patience bounds every wait of these tests.
const patience = time.Minute

// asked returns the status and the body of the answer to a GET.
func asked(t *testing.T, url string) (status int, body string) {
	t.Helper()
	res, err := http.Get(url)
	require.NoError(t, err)
	defer res.Body.Close()
	content, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, string(content)
}

var startingLine = regexp.MustCompile(`msg=starting admin=(\S+)`)

func TestAdmin_answers_before_the_server_has_started(t *testing.T) {
	dir := t.TempDir()
	other, err := sql.Open("sqlite", filepath.Join(dir, "plaza.db"))
	require.NoError(t, err)
	defer other.Close()
	other.SetMaxOpenConns(1)
	_, err = other.Exec("BEGIN EXCLUSIVE; CREATE TABLE other (id)")
	require.NoError(t, err)

	c, log := serveSettings(dir), newOutput()
	ctx, end := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Server{Config: c, Log: log}.Run(ctx, func() {}) }()
	defer func() {
		end()
		assert.NoError(t, <-done, "%s", log)
	}()
	var admin string
	require.Eventually(t, func() bool {
		said := startingLine.FindStringSubmatch(log.String())
		if said != nil {
			admin = "http://" + said[1]
		}
		return said != nil
	}, patience, time.Millisecond)
	status, _ := asked(t, admin+"/livez")
	assert.Equal(t, http.StatusOK, status, "a slow start is no reason to restart the server")
	for _, path := range []string{"/startupz", "/readyz", "/metrics"} {
		status, body := asked(t, admin+path)
		assert.Equal(t, http.StatusServiceUnavailable, status, path)
		assert.Contains(t, body, "starting: ", path)
	}

	_, err = other.Exec("ROLLBACK")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		status, _ := asked(t, admin+"/startupz")
		return status == http.StatusOK
	}, patience, 10*time.Millisecond, "%s", log)
	for _, path := range []string{"/livez", "/readyz", "/metrics"} {
		status, _ := asked(t, admin+path)
		assert.Equal(t, http.StatusOK, status, path)
	}
}

// runAdmin serves an admin address without an App and returns its URL.
func runAdmin(t *testing.T, c settings.ServerConfig) (a *admin, url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	a = startAdmin(l, c, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { assert.NoError(t, a.close()) })
	return a, "http://" + l.Addr().String() + "/debug/pprof/"
}

func TestProfiles_are_for_callers_on_this_machine(t *testing.T) {
	a, url := runAdmin(t, settings.ServerConfig{})
	status, index := asked(t, url)
	require.Equal(t, http.StatusOK, status)
	assert.Contains(t, index, "goroutine?debug=1")
	status, _ = asked(t, url+"cmdline")
	assert.Equal(t, http.StatusNotFound, status, "flags may have secrets")
	own := &net.TCPAddr{IP: net.ParseIP("192.0.2.7"), Port: 9080}
	for peer, want := range map[string]int{
		"127.0.0.1:1": http.StatusOK, "[::1]:1": http.StatusOK, "[::ffff:127.0.0.1]:1": http.StatusOK, "192.0.2.7:1": http.StatusOK,
		"192.0.2.8:1": http.StatusForbidden, "[2001:db8::1]:1": http.StatusForbidden, "": http.StatusForbidden,
	} {
		for _, path := range []string{"", "goroutine", "profile?seconds=1", "trace?seconds=1"} {
			if want == http.StatusOK && path != "" {
				continue // asked above
			}
			r := httptest.NewRequestWithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, own), "GET", "/debug/pprof/"+path, nil)
			r.RemoteAddr, r.Host = peer, "localhost"
			w := httptest.NewRecorder()
			a.server.Handler.ServeHTTP(w, r)
			assert.Equal(t, want, w.Code, "%s %s", peer, path)
		}
	}
	a.end()
	r := httptest.NewRequest("GET", "/debug/pprof/profile", nil)
	r.RemoteAddr = "127.0.0.1:1"
	a.local(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })(nil, r) // it ends when the server stops
}

func TestAdmin_answers_to_addresses_localhost_and_its_names(t *testing.T) {
	a, _ := runAdmin(t, settings.ServerConfig{AdminHosts: "plaza, ops.example.org"})
	for host, want := range map[string]int{
		"127.0.0.1:9080": http.StatusOK, "[::1]:9080": http.StatusOK, "[::1]": http.StatusOK, "192.0.2.7": http.StatusOK,
		"localhost:9080": http.StatusOK,
		"LOCALHOST":      http.StatusOK, "": http.StatusOK, "plaza:9080": http.StatusOK, "Ops.Example.org": http.StatusOK,
		"evil.example": http.StatusMisdirectedRequest, "evil.example:9080": http.StatusMisdirectedRequest,
		"127.0.0.1.evil.example": http.StatusMisdirectedRequest,
		"localhost.evil.example": http.StatusMisdirectedRequest, "example.org": http.StatusMisdirectedRequest,
		"127.0.0.1@evil.example": http.StatusMisdirectedRequest,
	} {
		for _, path := range []string{"/livez", "/debug/pprof/"} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host, r.RemoteAddr = host, "127.0.0.1:1"
			w := httptest.NewRecorder()
			a.server.Handler.ServeHTTP(w, r)
			assert.Equal(t, want, w.Code, "%q %s", host, path)
		}
	}
	c := serveSettings(t.TempDir())
	for wrong := range strings.SplitSeq("http://a|a:80|*", "|") {
		c.AdminHosts = wrong
		_, err := Check(c)
		assert.ErrorContains(t, err, "PLAZA_ADMIN_HOSTS", wrong)
	}
}

func TestA_server_ends_when_an_address_fails(t *testing.T) {
	for name, which := range map[string]func(*Listeners) net.Listener{
		"public": func(l *Listeners) net.Listener { return l.public },
		"admin":  func(l *Listeners) net.Listener { return l.admin },
	} {
		t.Run(name, func(t *testing.T) {
			c := serveSettings(t.TempDir())
			c.DatabaseURL, c.Translator, c.Wallet, c.DrainDelay = settings.InMemory, settings.NoTranslator, settings.NoWallet, time.Hour
			c, err := c.Check()
			require.NoError(t, err)
			l, err := Listen(c)
			require.NoError(t, err)
			defer l.Close()
			app, err := NewApp(t.Context(), c, slog.New(slog.DiscardHandler), Parts{})
			require.NoError(t, err)
			done := make(chan error, 1)
			go func() { done <- Serve(context.Background(), app, l) }()
			require.NoError(t, which(l).Close())
			assert.ErrorIs(t, <-done, net.ErrClosed, "without the drain delay")
			assert.NoError(t, app.Close())
		})
	}
}

func TestStaff_may_finish_when_a_server_stops(t *testing.T) {
	c := serveSettings(t.TempDir())
	c.DatabaseURL, c.Translator, c.Wallet, c.BackOffice = settings.InMemory, settings.NoTranslator, settings.NoWallet, settings.BackOfficeAdmin
	c, err := c.Check()
	require.NoError(t, err)
	l, err := Listen(c)
	require.NoError(t, err)
	app, err := NewApp(t.Context(), c, slog.New(slog.DiscardHandler), Parts{})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	app.backOffice = backOffice{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stop()
		for open := true; open; { // until the server takes no more
			conn, err := net.Dial("tcp", strings.TrimPrefix(l.AdminURL(), "http://"))
			if open = err == nil; open {
				conn.Close()
			}
		}
		_, err := app.Database().Kept(r.Context(), "mark", "kept")
		assert.NoError(t, err)
	})}
	done := make(chan error, 1)
	go func() { done <- errors.Join(Serve(ctx, app, l), app.Close()) }()
	status, _ := asked(t, l.AdminURL()+"/back-office/")
	assert.Equal(t, http.StatusOK, status)
	assert.NoError(t, <-done)
}

func TestReadyz_tells_what_is_missing(t *testing.T) {
	var log bytes.Buffer
	var first, second error
	readyz := (&admin{}).readiness(slog.New(slog.NewTextHandler(&log, nil)),
		need{"no first", func(context.Context) error { return first }}, need{"no second", func(context.Context) error { return second }})
	asks := func(ctx context.Context) string {
		w := httptest.NewRecorder()
		readyz(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/readyz", nil))
		assert.Equal(t, w.Body.String() == "ok\n", w.Code == http.StatusOK)
		return w.Body.String()
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Equal(t, "ok\n", asks(t.Context()))
	first = errors.New("away")
	assert.Equal(t, "no first\n", asks(gone))
	assert.Empty(t, log.String(), "the caller has gone, which may be the reason")
	for range 3 {
		assert.Equal(t, "no first\n", asks(t.Context()))
	}
	first, second = nil, errors.New("full")
	assert.Equal(t, "no second\n", asks(t.Context()))
	second = nil
	for range 3 {
		assert.Equal(t, "ok\n", asks(t.Context()))
	}
	assert.Equal(t, []string{`WARN msg="not ready: no first" error=away`, `WARN msg="not ready: no second" error=full`, `INFO msg="ready again" was="no second"`},
		regexp.MustCompile(`(?:WARN|INFO) .*`).FindAllString(log.String(), -1), "each once")
}

func TestBackOffice_is_served_where_the_setting_says(t *testing.T) {
	for where, want := range map[string][2]int{"": {404, 200}, "admin": {404, 200}, "public": {200, 404}, "off": {404, 404}} {
		c := serveSettings(t.TempDir())
		c.DatabaseURL, c.BackOffice = settings.InMemory, where
		s := startServing(t, Server{Config: c})
		for i, url := range []string{s.url, s.admin} {
			status, _ := asked(t, url+"/back-office/login/")
			assert.Equal(t, want[i], status, "%q: %s", where, url)
		}
		s.stop()
	}
	c := serveSettings(t.TempDir())
	c.BackOffice = "elsewhere"
	_, err := Check(c)
	assert.ErrorContains(t, err, "PLAZA_BACK_OFFICE")
}
