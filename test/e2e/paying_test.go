package e2e

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
	"plaza/adapters/wallet/sandbox/ledger"
	"plaza/domain/access"
	"plaza/domain/secret"
	"plaza/test/postgres"
)

// The merchant's identity at the wallet, and the secrets that must never be shown.
const (
	merchant      = "1900000109"
	walletKey     = "kettle0and0cups0and0a0silver0tea"
	appID         = "wx0000000000000001"
	svcAppID      = "wx0000000000000002"
	payerInWallet = "open-id-of-somebody"
)

// timeScale is how much faster than in life the wallet's time passes: it closes what is one second old.
const (
	timeScale   = 300
	minClosable = time.Second
)

// checkout is a server that takes money, whichever process it is at the moment, its wallet, which outlives it, and the
// proxies between them and before the database.
type checkout struct {
	messages      interceptor // of all proxies
	notifyProxy   *notifyProxy
	databaseProxy *databaseProxy // nil on SQLite
	wallet        *sandbox.Server
	ahead         atomic.Int64 // of the wallet's clock

	store, settings []string // of the database, as commands need them; of the wallet
	settingsV3      []string // of the wallet's version 3
	dead            func()   // returns when the database has seen that the server is dead
	file            string   // of the database; empty on Postgres
	database        string   // the URL of Postgres, without the proxy
	poll            string
	isDeaf          bool
	staff           string // a key of the back office
	payers          []payer
	orders          []*purchase
	refundRequests  []*refundRequest
	reviews         []string // what the log may have errors of, for staff to look at
	now             *running
	servers         []*running // also those that were killed
}

type payer struct {
	uid int64
	key string
}

// openCheckout opens a checkout without a server.
func openCheckout(t *testing.T, store string) *checkout {
	t.Helper()
	_, err := plaza()
	require.NoError(t, err)
	s := &checkout{dead: func() {}, poll: "200ms"}
	dir := t.TempDir()
	s.store = []string{"--data-dir=" + dir}
	if store == "SQLite" {
		s.file = filepath.Join(dir, "plaza.db")
	} else {
		database := postgres.Empty(t)
		s.dead = func() { abandoned(t, database) }
		s.store = append(s.store, "--database-url="+database)
		s.database, s.databaseProxy = database, newDatabaseProxy(t, database, &s.messages)
		t.Cleanup(s.databaseProxy.close)
	}
	s.openAccounts(t)
	s.openWallet(t)
	return s
}

func (s *checkout) openAccounts(t *testing.T) {
	t.Helper()
	app := openApp(t, s.store)
	defer func() { require.NoError(t, app.Close()) }()
	_, s.staff = register(t, app, "+86-13700000001", access.Admin)
	for n := range 3 {
		uid, key := register(t, app, fmt.Sprint("+86-1370000000", n+2))
		s.payers = append(s.payers, payer{uid, key})
	}
}

func (s *checkout) openWallet(t *testing.T) {
	t.Helper()
	proxy := &walletProxy{interceptor: &s.messages}
	s.notifyProxy = &notifyProxy{interceptor: &s.messages}
	asked, told := httptest.NewServer(proxy), httptest.NewServer(s.notifyProxy)
	key, certificate := merchantPair(t)
	wallet, err := sandbox.New(sandbox.Config{
		MerchantID: merchant, Key: secret.New(walletKey), AppIDs: []string{appID, svcAppID}, PublicURL: asked.URL,
		MerchantCert: certificate, V3Key: secret.New(walletKeyV3), Config: ledger.Config{
			Scale: timeScale, BillsAtOnce: true, Clock: func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) },
		},
	})
	require.NoError(t, err)
	s.wallet, proxy.wallet = wallet, wallet
	ctx, end := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- wallet.Run(ctx) }()
	s.settings = []string{
		"--wallet=sandbox", "--wallet-url=" + asked.URL, "--wallet-notify-url=" + told.URL + "/api/pay/notify/wallet/",
		"--wallet-mch-id=" + merchant, "--wallet-key=" + walletKey, "--wallet-app-id=" + appID, "--wallet-svc-app-id=" + svcAppID,
		"--wallet-timeout=500ms",
	}
	s.settingsV3 = []string{
		"--wallet=wechatpayv3", "--wallet-url=" + asked.URL, "--wallet-notify-url=" + told.URL + "/api/pay/notify/wallet/v3/",
		"--wallet-mch-id=" + merchant, "--wallet-key=" + walletKeyV3, "--wallet-app-id=" + appID, "--wallet-svc-app-id=" + svcAppID,
		"--wallet-private-key=" + key, fmt.Sprintf("--wallet-cert-serial=%X", certificate.SerialNumber), "--wallet-timeout=500ms",
	}
	t.Cleanup(func() {
		if s.now != nil { // its own cleanup came first, and has killed it
			s.dead = func() {} // no server follows this one
			s.isDead(t)
		}
		end()
		assert.NoError(t, <-ended)
		told.Close()
		asked.Close()
	})
}

// opens starts a server.
func (s *checkout) opens(t *testing.T) {
	t.Helper()
	settings := append(append([]string{"--wallet-poll=" + s.poll}, s.settings...), s.store...)
	if s.databaseProxy != nil {
		settings = append(settings[:len(settings)-1], "--database-url="+s.databaseProxy.URL)
	}
	s.now = serve(t, settings...)
	s.servers = append(s.servers, s.now)
	s.notifyProxy.leadTo(s.now.url)
}

// isKilled kills the server. What is held is lost.
func (s *checkout) isKilled(t *testing.T) {
	t.Helper()
	require.NoError(t, s.now.cmd.Process.Kill())
	s.isDead(t)
}

// isDead waits until the server that was killed has ended.
func (s *checkout) isDead(t *testing.T) {
	t.Helper()
	s.now.ends(t)
	s.notifyProxy.leadTo("")
	s.now = nil
	s.messages.clear()
	s.dead()
}

// reply is what the server answers; if no whole answer came, the status is 0.
type reply struct {
	status int
	body   string
	header http.Header
}

// tell sends what is to be done, to the server that there is; with an Idempotency-Key unless that is empty.
func tell(r *running, who, path, idempotency string, body any) reply {
	header := http.Header{}
	if idempotency != "" {
		header.Set("Idempotency-Key", idempotency)
	}
	return ask(r, who, http.MethodPost, path, header, body)
}

// ask sends a request over a connection of its own; without a key if that is empty, and without a body if that is nil.
func ask(r *running, who, method, path string, header http.Header, body any) reply {
	c := caller{r.url, &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}}
	a, err := c.request(who, method, path, header, body)
	if err != nil {
		return reply{body: err.Error()}
	}
	return a
}

type purchase struct {
	id      int64
	payer   payer
	subject string
	amount  int64
	key     string // that it was made with
	isOver  bool   // the time to pay it
}

// wants is an order that the server has not made yet.
func (s *checkout) wants(n int) *purchase {
	return &purchase{payer: s.payers[n%len(s.payers)], subject: fmt.Sprint("Tea Nº ", n), amount: int64(100 + n), key: fmt.Sprint("order-", n)}
}

// make has the server make the order. It may be told again until it has answered.
func (p *purchase) make(r *running, staff string) reply {
	a := tell(r, staff, "/api/pay-admin/v1/order/", p.key, map[string]any{
		"user": p.payer.uid, "subject": p.subject, "amount": p.amount, "currency": "CNY", "expires_in": 7200,
	})
	if a.status == http.StatusCreated {
		var made struct{ Data struct{ ID int64 } }
		if err := json.Unmarshal([]byte(a.body), &made); err != nil {
			return reply{body: err.Error()}
		}
		p.id = made.Data.ID
	}
	return a
}

type way struct {
	EndType int            `json:"end_type"`
	Extra   map[string]any `json:"extra_params,omitempty"`
}

var (
	byCode   = way{EndType: 0}
	inApp    = way{100, map[string]any{"wallet_app_type": "svc_ios_app"}}
	inWallet = way{200, map[string]any{"open_id": payerInWallet}}
)

func (p *purchase) pay(r *running, w way, key string) reply {
	return tell(r, p.payer.key, "/api/pay/order/pay/", key, struct {
		Method int `json:"pay_method"`
		way
		Order int64 `json:"order_id"`
	}{200, w, p.id})
}

// passing are the statuses of what may be tried again as it is.
var passing = []int{
	http.StatusConflict, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
}

// isBegun begins a payment, again and again while that is refused for a time.
func (s *checkout) isBegun(t *testing.T, p *purchase, w way, key string) reply {
	t.Helper()
	var a reply
	until(t, func() bool {
		a = p.pay(s.now, w, key)
		require.Contains(t, append(passing, http.StatusOK), a.status, a.body)
		return a.status == http.StatusOK
	})
	return a
}

func (s *checkout) trades(p *purchase) (of []ledger.Trade) {
	for _, trade := range s.wallet.Trades() {
		if trade.Body == p.subject {
			of = append(of, trade)
		}
	}
	return of
}

// isPaid lets the payer pay the last trade of the order.
func (s *checkout) isPaid(t *testing.T, p *purchase) ledger.Trade {
	t.Helper()
	trades := s.trades(p)
	require.NotEmpty(t, trades)
	paid, err := s.wallet.Pay(trades[len(trades)-1].OutTradeNo)
	require.NoError(t, err)
	return paid
}

// isOver ends the time of the order in the database, because waiting for it would take long.
func (s *checkout) isOver(t *testing.T, p *purchase) {
	t.Helper()
	p.isOver = true
	s.inDatabase(t, func(db *sql.DB, _ any) {
		_, err := db.ExecContext(t.Context(), "UPDATE orders SET expires = created, next_check = created WHERE id = $1", p.id)
		assert.NoError(t, err)
	})
}

// hearsNothing has all notifications of payments lost, so that the server must ask.
func (s *checkout) hearsNothing(t *testing.T) {
	t.Helper()
	if s.isDeaf {
		return
	}
	s.isDeaf = true
	for range 900 { // as long as a test takes
		require.NoError(t, s.wallet.Misbehave(sandbox.Misbehaviour{On: sandbox.Notify, Do: sandbox.Lose}))
	}
}

// await waits until the channel is closed.
func await(t *testing.T, done <-chan struct{}, problem string) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		require.Fail(t, problem)
	}
}

// until looks again and again whether it is so.
func until(t *testing.T, isSo func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	untilEnded(ctx, isSo)
	require.NoError(t, ctx.Err(), "it has not come to that")
}
