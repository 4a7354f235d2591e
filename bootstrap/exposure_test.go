package bootstrap

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/secret"
)

func TestIsReachable(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1": false, "127.8.9.1": false, "::1": false, "0.0.0.0": true, "::": true, "192.0.2.1": true, "2001:db8::1": true,
	} {
		assert.Equal(t, want, isReachable(&net.TCPAddr{IP: net.ParseIP(address), Port: 8080}), address)
	}
}

// everythingIsReachable makes every address count as one that other machines may reach.
func everythingIsReachable(t *testing.T) {
	before := isReachable
	isReachable = func(net.Addr) bool { return true }
	t.Cleanup(func() { isReachable = before })
}

const (
	demoWarning      = `level=WARN msg="demo accounts have their public password`
	publicURLWarning = `level=WARN msg="PLAZA_PUBLIC_URL is not set`
)

// logOfStart starts a server, stops it, and returns what it logged.
func logOfStart(t *testing.T, c serveCommand) string {
	t.Helper()
	s := startServing(t, c)
	s.stop()
	return s.log.String()
}

func TestServe_warns_while_the_demo_has_its_password(t *testing.T) {
	plain := serveSettings(t.TempDir())
	plain.PublicURL, plain.Wallet = "https://plaza.example.org", "none"
	everythingIsReachable(t)
	assert.NotContains(t, logOfStart(t, serveCommand{Config: plain}), "level=WARN", "no demo is there")
	plain.DataDir = demoDir(t)
	assert.NotContains(t, logOfStart(t, serveCommand{Demo: true, Config: plain}), "level=WARN", "asked for")
	for range 2 {
		log := logOfStart(t, serveCommand{Config: plain})
		assert.Contains(t, log, demoWarning, "at every start")
		assert.Contains(t, log, `uids="[1 2 3 4 5 6 7 8 9 10 11 12 13]"`)
		assert.NotContains(t, log, "+86-13800000001")
	}

	passwd := userPasswd{UID: 2, Password: secret.New("heron-gravel-tuba"), dataCommand: dataCommand{plain}}
	assert.NoError(t, passwd.Run(t.Context(), streams{out: newOutput(), err: newOutput()}))
	assert.Contains(t, logOfStart(t, serveCommand{Config: plain}), `uids="[1 3 4 5 6 7 8 9 10 11 12 13]"`)

	assert.NoError(t, demoCommand{Remove: true, dataCommand: dataCommand{plain}}.Run(t.Context(), streams{out: newOutput(), err: newOutput()}))
	assert.NotContains(t, logOfStart(t, serveCommand{Config: plain}), "level=WARN")
}

func TestServe_warns_of_a_missing_public_url(t *testing.T) {
	settings := serveSettings(t.TempDir())
	assert.NotContains(t, logOfStart(t, serveCommand{Config: settings}), "level=WARN", "on this machine only")
	everythingIsReachable(t)
	assert.Contains(t, logOfStart(t, serveCommand{Config: settings}), publicURLWarning)
	settings.PublicURL = "https://plaza.example.org"
	assert.NotContains(t, logOfStart(t, serveCommand{Config: settings}), "level=WARN")
}

func TestGEN14_serve_warns_at_every_start_while_limits_are_off(t *testing.T) {
	const warning = `level=WARN msg="limits on writes of accounts and on requests without a token are off`
	c := serveSettings(t.TempDir())
	c.Wallet = "none"
	assert.NotContains(t, logOfStart(t, serveCommand{Config: c}), warning)
	c.Limits = "off"
	for range 2 {
		assert.Contains(t, logOfStart(t, serveCommand{Config: c}), warning)
	}
}
