package bootstrap

import (
	"bytes"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
)

func TestIsReachable(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1": false, "127.8.9.1": false, "::1": false, "0.0.0.0": true, "::": true, "192.0.2.1": true, "2001:db8::1": true,
	} {
		assert.Equal(t, want, isReachable(&net.TCPAddr{IP: net.ParseIP(address), Port: 8080}), address)
	}
}

func TestIsPublished(t *testing.T) {
	for address, want := range map[string]bool{
		"http://127.0.0.1:8080": false, "http://localhost:8080": false, "http://[::1]": false, "https://plaza.example": true, "http://192.168.1.2": true,
	} {
		assert.Equal(t, want, isPublished(settings.Config{PublicURL: address}), address)
	}
	assert.True(t, isPublished(settings.Config{PublicURL: "http://127.0.0.1", TrustedProxies: settings.Networks{netip.MustParsePrefix("127.0.0.1/32")}}))
}

// everythingIsReachable makes every address count as one that other machines may reach.
func everythingIsReachable(t *testing.T) {
	before := isReachable
	isReachable = func(net.Addr) bool { return true }
	t.Cleanup(func() { isReachable = before })
}

func TestServe_warns_at_its_start(t *testing.T) {
	everythingIsReachable(t)
	c := serveSettings(demoDir(t))
	c.Wallet, c.SMS, c.Limits = settings.NoWallet, settings.SandboxSender, settings.LimitsOff
	s := startServing(t, Server{Config: c})
	s.stop()
	log := s.log.String()
	assert.Contains(t, log, `level=WARN msg="PLAZA_PUBLIC_URL is not set`)
	assert.Contains(t, log, `level=WARN msg="limits on writes of accounts and on requests without a token are off`)
	assert.Contains(t, log, `level=WARN msg="demo accounts have their public password`)
	assert.Contains(t, log, `level=WARN msg="codes are not sent to anybody`)
	assert.Equal(t, 4, strings.Count(log, "level=WARN"))
}

func TestServe_tells_of_demo_accounts_on_loopback_as_well(t *testing.T) {
	c := serveSettings(demoDir(t))
	c.Wallet = settings.NoWallet
	s := startServing(t, Server{Config: c})
	s.stop()
	assert.Equal(t, 1, strings.Count(s.log.String(), "level=WARN"))
	assert.Contains(t, s.log.String(), `level=WARN msg="demo accounts have their public password`)
}

func TestServe_warns_while_the_demo_has_its_password(t *testing.T) {
	c := serveSettings(demoDir(t))
	c.PublicURL = "https://plaza.example.org"
	app, log := newTestApp(t, c), &bytes.Buffer{}
	app.Log = slog.New(slog.NewTextHandler(log, nil))
	warns := func() string {
		log.Reset()
		app.warnOfExposure(t.Context(), true, false)
		return log.String()
	}
	app.warnOfExposure(t.Context(), true, true)
	assert.Empty(t, log.String(), "the operator asked for the demo")
	assert.Contains(t, warns(), `uids="[1 2 3 4 5 6 7 8 9 10 11 12 13]"`)
	assert.NotContains(t, log.String(), "+86-13800000001")

	_, err := app.RemoveDemo(t.Context())
	require.NoError(t, err)
	assert.Empty(t, warns())
}
