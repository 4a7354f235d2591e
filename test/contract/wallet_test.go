package contract

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"maps"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
	"plaza/adapters/wallet/sandbox/ledger"
	"plaza/bootstrap/settings"
	"plaza/domain/payment"
	"plaza/domain/secret"
)

// till is a server with a wallet: the real gateway, which speaks to a sandbox over HTTP. Only the test notifies of payments.
type till struct {
	*server
	box *sandbox.Server
}

// The shop's identity at the wallet.
const (
	merchant  = "1900000109"
	walletKey = "0123456789abcdefghijklmnopqrstuv"
	appID     = "wx0000000000000001"
	svcAppID  = "wx0000000000000002"
)

// sale is a row on a till of its own.
type sale = rowOf[*till]

func TestContract_with_a_wallet(t *testing.T) {
	sales := slices.Concat(clientParamsSales, noticedSales, refundSales, auditSales, staffPageSales, staffJobSales, metricSales)
	showAll(t, sales, func(on store, t *testing.T) *till { return on.startTill(t) })
}

func (on store) startTill(t *testing.T, change ...func(*settings.Config)) *till {
	t.Helper()
	s := &till{}
	front := httptest.NewUnstartedServer(nil)
	box, err := sandbox.New(sandbox.Config{
		MerchantID: merchant, Key: secret.New(walletKey), AppIDs: []string{appID, svcAppID},
		PublicURL: "http://" + front.Listener.Addr().String(), Config: ledger.Config{Clock: func() time.Time { return s.clock.Now() }},
	})
	require.NoError(t, err)
	s.box, front.Config.Handler = box, box
	s.server = on.startWith(t, func(s *settings.Config) {
		s.Wallet, s.WalletURL = "sandbox", "http://"+front.Listener.Addr().String()
		s.WalletMchID, s.WalletKey = merchant, secret.New(walletKey)
		s.WalletAppID, s.WalletSvcAppID = appID, svcAppID
		s.WalletPoll, s.WalletTimeout = 30*time.Second, 2*time.Second
		trustTests(s)
		for _, c := range change {
			c(s)
		}
	})
	front.Start()
	t.Cleanup(front.Close)
	return s
}

func (s *till) trade(t *testing.T) ledger.Trade {
	t.Helper()
	all := s.box.Trades()
	require.NotEmpty(t, all)
	return all[len(all)-1]
}

func (s *till) isPaid(t *testing.T) ledger.Trade {
	t.Helper()
	paid, err := s.box.Pay(s.trade(t).OutTradeNo)
	require.NoError(t, err)
	return paid
}

func (s *till) misbehaves(t *testing.T, m sandbox.Misbehaviour) {
	t.Helper()
	require.NoError(t, s.box.Misbehave(m))
}

// tend has a server look after orders whose time has come, and says how many there were.
func (s *till) tend(t *testing.T) int {
	t.Helper()
	n, err := s.app.Paying.PollDue(t.Context())
	require.NoError(t, err)
	return n
}

func (p person) stands(t *testing.T, order int, state payment.State) answer {
	t.Helper()
	a := p.get(t, fmt.Sprintf("%s%d/", ownOrders, order)).is(200)
	assert.Equal(t, string(state), a.text("data.state"))
	return a
}

// notice is what the wallet says of a trade that is paid; a change to "" leaves the field out.
func (s *till) notice(trade ledger.Trade, change map[string]string) map[string]string {
	said := map[string]string{
		"return_code": "SUCCESS", "result_code": "SUCCESS", "appid": trade.AppID, "mch_id": merchant, "nonce_str": "n0nce",
		"out_trade_no": trade.OutTradeNo, "transaction_id": trade.TransactionID, "total_fee": fmt.Sprint(trade.Amount),
		"fee_type": "CNY", "time_end": trade.Paid.Add(8 * time.Hour).Format("20060102150405"), "sign_type": "HMAC-SHA256",
		"trade_type": trade.TradeType, "openid": "a-payer",
	}
	maps.Copy(said, change)
	maps.DeleteFunc(said, func(_, v string) bool { return v == "" })
	return said
}

// signature is the wallet's over the fields, by the key.
func signature(fields map[string]string, key string) string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name != "sign" && name != "paySign" {
			fmt.Fprintf(&text, "%s=%s&", name, fields[name])
		}
	}
	mac := hmac.New(sha256.New, []byte(key))
	fmt.Fprintf(mac, "%skey=%s", text.String(), key)
	return fmt.Sprintf("%X", mac.Sum(nil))
}

// letter is the fields in the wallet's XML, signed by the key.
func letter(fields map[string]string, key string) string {
	var b strings.Builder
	b.WriteString("<xml>")
	signed := maps.Clone(fields)
	signed["sign"] = signature(fields, key)
	for _, name := range slices.Sorted(maps.Keys(signed)) {
		fmt.Fprintf(&b, "<%s><![CDATA[%s]]></%[1]s>", name, signed[name])
	}
	return b.String() + "</xml>"
}

const notify = "/api/pay/notify/wallet/"

// hears posts a notification and returns what the wallet is answered.
func (s *till) hears(t *testing.T, body string) answer {
	t.Helper()
	return s.anyone().saying("Content-Type", "text/xml").post(t, notify, body).is(200)
}

const (
	acknowledged = "<xml><return_code><![CDATA[SUCCESS]]></return_code><return_msg><![CDATA[OK]]></return_msg></xml>"
	notTaken     = "<return_code><![CDATA[FAIL]]></return_code>"
)

// isTaken asserts that the notification was acknowledged as the wallet expects.
func (a answer) isTaken() {
	a.t.Helper()
	assert.Equal(a.t, acknowledged, string(a.body))
	assert.Equal(a.t, "text/xml; charset=utf-8", a.header.Get("Content-Type"))
}

func (a answer) isNotTaken() {
	a.t.Helper()
	assert.Contains(a.t, string(a.body), notTaken)
}

// metricSales show that metrics follow what happens, over HTTP.
var metricSales = []sale{
	{"metrics of logins", loginsCounted, oneStore},
	{"metrics of limits", limitsCounted, oneStore},
}

// metric returns the value of the series, added up over the servers, and whether one has it.
func (s *server) metric(t *testing.T, series string) (sum float64, found bool) {
	t.Helper()
	for _, app := range s.apps {
		w := httptest.NewRecorder()
		app.Metrics.Handler(slog.New(slog.DiscardHandler)).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		for line := range strings.Lines(w.Body.String()) {
			if text, is := strings.CutPrefix(line, series+" "); is {
				value, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
				require.NoError(t, err, line)
				sum, found = sum+value, true
			}
		}
	}
	return sum, found
}

// counts asserts the value of the series. A series that does not exist has the value zero.
func (s *server) counts(t *testing.T, want float64, series string) {
	t.Helper()
	got, _ := s.metric(t, series)
	assert.InDelta(t, want, got, 1e-6, series)
}

// sampled asserts the values of the series in a sample of one server.
func (s *server) sampled(t *testing.T, want map[string]float64) {
	t.Helper()
	require.NoError(t, s.apps[0].Sample(t.Context()))
	one := &server{apps: s.apps[:1]}
	for series, value := range want {
		_, found := one.metric(t, series)
		assert.True(t, found, series)
		one.counts(t, value, series)
	}
}

func loginsCounted(t *testing.T, s *till) {
	ada, bob := s.member(t), s.member(t)
	s.anyone().gets(t, ada)
	s.anyone().failsTimes(t, 1, "+86-13999999999")
	s.anyone().failsTimes(t, 5, bob.phone)
	s.anyone().logsIn(t, bob.phone, password).throttled()
	s.anyone().logsIn(t, "ada", password).invalid("username")
	for outcome, n := range map[string]float64{"succeeded": 1, "wrong_password": 6, "throttled": 1, "invalid": 1, "failed": 0} {
		series := `plaza_logins_total{outcome="` + outcome + `"}`
		_, found := s.metric(t, series)
		assert.True(t, found, series)
		s.counts(t, n, series)
	}
}

func limitsCounted(t *testing.T, s *till) {
	s = s.on.startTill(t, limited, func(c *settings.Config) { c.QuotaDrafts = 1 })
	ada := s.member(t)
	hit := func(n float64, limit string) {
		t.Helper()
		s.counts(t, n, `plaza_limits_hit_total{limit="`+limit+`"}`)
	}
	id := ada.publishes(t, "A lake")
	for range 3 {
		ada.comments(t, id, "Well said")
	}
	hit(0, "comment")
	for range 2 {
		ada.post(t, comments, object{"event": id, "content": "x"}).throttled()
	}
	hit(2, "comment")
	ada.writes(t, object{"title": "A draft"})
	ada.post(t, events, object{"title": "A draft"}).isFull("1 drafts")
	hit(1, "quota_drafts")
	s.anyone().failsTimes(t, 5, ada.phone)
	s.anyone().logsIn(t, ada.phone, password).throttled()
	hit(1, "failed_logins")
}
