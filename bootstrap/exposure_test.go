package bootstrap

import (
	"bytes"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/signin"
	"plaza/bootstrap/settings"
	"plaza/domain/payment"
	"plaza/domain/secret"
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
		"http://127.0.0.1:8080": false, "http://localhost:8080": false, "http://[::1]": false, "https://plaza.example": true,
		"http://192.168.1.2": true,
	} {
		assert.Equal(t, want, isPublished(settings.Config{PublicURL: address}), address)
	}
	assert.True(t, isPublished(settings.Config{PublicURL: "http://127.0.0.1",
		TrustedProxies: settings.Networks{netip.MustParsePrefix("127.0.0.1/32")}}))
}

// everythingIsReachable makes every address count as one that other machines may reach.
func everythingIsReachable(t *testing.T) {
	before := isReachable
	isReachable = func(net.Addr) bool { return true }
	t.Cleanup(func() { isReachable = before })
}

func TestServe_warns_of_risks(t *testing.T) {
	const noURL, plain = "PLAZA_PUBLIC_URL is not set", "PLAZA_BACK_OFFICE=public without https"
	const admin = "other machines may reach PLAZA_ADMIN_ADDR"
	const limits, codes = "limits on writes of accounts", "codes are not sent to anybody"
	const noSender, closed = "PLAZA_SMS names no sender", "PLAZA_SIGN_UP=closed"
	const factor = "a password alone opens the back office"
	const http, https = "http://plaza.example", "https://plaza.example"
	all := []string{noURL, plain, admin, limits, codes, noSender, closed, factor}
	local := serveSettings(t.TempDir())
	local.DatabaseURL, local.PublicURL, local.SMS = settings.InMemory, "http://127.0.0.1:8080", settings.NoSender
	app, log := newTestApp(t, local), &bytes.Buffer{}
	app.Log = slog.New(slog.NewTextHandler(log, nil))
	l, err := Listen(local)
	require.NoError(t, err)
	defer l.Close()
	warns := func(change func(*settings.Config), hasPublicURL bool, want ...string) {
		t.Helper()
		app.Config = local
		change(&app.Config)
		log.Reset()
		app.warnOfRisks(t.Context(), l, hasPublicURL, false)
		for _, text := range all {
			assert.Equal(t, slices.Contains(want, text), strings.Contains(log.String(), text), "%q %v", text, want)
		}
	}
	warns(func(*settings.Config) {}, false, noSender)
	warns(func(c *settings.Config) { c.BackOffice = "public" }, false, noSender) // on loopback
	warns(func(c *settings.Config) { c.BackOffice, c.PublicURL = "public", http }, true, plain, noSender, factor)
	warns(func(c *settings.Config) { c.BackOffice, c.PublicURL = "public", https }, true, noSender, factor)
	warns(func(c *settings.Config) { c.PublicURL = http }, true, noSender, factor)
	warns(func(c *settings.Config) { c.PublicURL, c.SecondFactor = http, settings.SecondFactorRequired }, true, noSender)
	warns(func(c *settings.Config) { c.SMS, c.SignUp = settings.SandboxSender, "closed" }, false, closed)
	warns(func(c *settings.Config) { c.SMS = settings.SandboxSender }, false)
	everythingIsReachable(t)
	warns(func(c *settings.Config) { c.Limits, c.SMS = settings.LimitsOff, settings.SandboxSender }, false,
		limits, codes, admin, noURL, factor)
}

func TestServe_warns_of_open_prepayments_that_no_wallet_is_asked_about(t *testing.T) {
	c := serveSettings(t.TempDir())
	c.DatabaseURL = settings.InMemory
	app, log := newTestApp(t, c), &bytes.Buffer{}
	app.Log = slog.New(slog.NewTextHandler(log, nil))
	ctx := t.Context()
	app.warnOfFormerWallet(ctx)
	assert.Empty(t, log.String())
	id, err := app.Signin.Register(ctx, signin.Registration{Username: "+86-13900000001", Password: secret.New("heron-gravel-tuba")})
	require.NoError(t, err)
	now := time.Now()
	order, err := app.Stores.Ledger.AddOrder(ctx, payment.Order{
		User: id, Subject: "Tea", Amount: 990, Currency: "CNY", State: payment.Open, Created: now, Expires: now.Add(time.Hour),
	}, nil)
	require.NoError(t, err)
	require.NoError(t, app.Stores.Ledger.Change(ctx, order.ID, func(tr *payment.Trade) error {
		_, err := tr.Begin(payment.BeginRequest{
			Intent: payment.Intent{EndType: payment.Native, App: payment.OfficialAccount}, TradeNo: "a", Protocol: "v2", Lease: time.Minute,
			BuildRequest: func(payment.Order, payment.Intent, payment.TradeNo, netip.Addr) ([]byte, error) {
				return []byte("x"), nil
			},
		}, now)
		return err
	}))
	app.warnOfFormerWallet(ctx)
	assert.Contains(t, log.String(), "PLAZA_WALLET")
	assert.Contains(t, log.String(), "protocol=v2")
	log.Reset()
	app.gateways.Current = spoken("v3")
	app.warnOfFormerWallet(ctx)
	assert.Contains(t, log.String(), "PLAZA_WALLET_V2_KEY")
	log.Reset()
	app.gateways.Others = []payment.Gateway{spoken("v2")}
	app.warnOfFormerWallet(ctx)
	assert.Empty(t, log.String())
}

// spokenGateway is the gateway of a protocol, of which nothing else is asked.
type spokenGateway struct {
	payment.Gateway
	protocol payment.Protocol
}

func spoken(p payment.Protocol) payment.Gateway    { return spokenGateway{protocol: p} }
func (g spokenGateway) Protocol() payment.Protocol { return g.protocol }

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
	l, err := Listen(c)
	require.NoError(t, err)
	defer l.Close()
	warns := func(withDemo bool) string {
		log.Reset()
		app.warnOfRisks(t.Context(), l, true, withDemo)
		return log.String()
	}
	assert.Contains(t, warns(true), "demo accounts", "others may reach it")
	app.Config.PublicURL = "http://127.0.0.1:8080"
	assert.NotContains(t, warns(true), "demo accounts", "the operator asked for the demo")
	assert.Contains(t, warns(false), `uids="[1 2 3 4 5 6 7 8 9 10 11 12 13]"`)
	assert.NotContains(t, log.String(), "+86-13800000001")
	_, err = app.RemoveDemo(t.Context())
	require.NoError(t, err)
	assert.NotContains(t, warns(false), "demo accounts")
}
