package wechatpayv3

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

var (
	byCode    = payment.Intent{EndType: payment.Native, App: payment.OfficialAccount}
	byApp     = payment.Intent{EndType: payment.App, App: payment.SvcIOSApp}
	byBrowser = payment.Intent{EndType: payment.JSAPI, App: payment.OfficialAccount, OpenID: payer}
	byPage    = payment.Intent{EndType: payment.H5, App: payment.OfficialAccount}
)

func testOrder() payment.Order {
	o := payment.NewOrder(1, "茶 <Earl> & Grey's ]]> tea", 990, 2*time.Hour, noon)
	o.ID = 7
	return o
}

// heard is the expected request, byte for byte. Another program made it.
func heard(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".txt")
	require.NoError(t, err)
	return string(text)
}

func TestPAY09_what_the_wallet_hears(t *testing.T) {
	for name, c := range map[string]struct {
		intent payment.Intent
		answer string
		ticket payment.Ticket
	}{
		"native": {byCode, `{"code_url":"weixin://wxpay/1?a=1&b=2"}`, payment.Ticket{CodeURL: "weixin://wxpay/1?a=1&b=2"}},
		"app":    {byApp, `{"prepay_id":"wx20"}`, payment.Ticket{PrepayID: "wx20"}},
		"jsapi":  {byBrowser, `{"prepay_id":"wx20"}`, payment.Ticket{PrepayID: "wx20"}},
		"h5":     {byPage, `{"h5_url":"https://wallet.example/?a=1&b=2"}`, payment.Ticket{MWebURL: "https://wallet.example/?a=1&b=2"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWallet(t, says(t, 200, c.answer))
			request, err := w.BuildRequest(testOrder(), c.intent, number)
			require.NoError(t, err)
			for range 2 {
				ticket, err := w.Prepare(t.Context(), request)
				require.NoError(t, err)
				assert.Equal(t, c.ticket, ticket)
			}
			assert.Equal(t, []string{heard(t, name), heard(t, name)}, w.requests())
		})
	}
}

func TestPAY09_questions_that_the_wallet_hears(t *testing.T) {
	w := newWallet(t, says(t, 200, fields(t, unpaidFields())), says(t, 204, ""))
	_, err := w.Query(t.Context(), payment.OfficialAccount, number)
	require.NoError(t, err)
	require.NoError(t, w.Close(t.Context(), payment.OfficialAccount, number))
	assert.Equal(t, []string{heard(t, "query"), heard(t, "close")}, w.requests())
}

// The wallet takes no signature that is older than five minutes, and requests are sent again after hours.
func TestPAY09_a_request_is_signed_when_it_is_sent(t *testing.T) {
	w := newWallet(t)
	w.answers = []http.HandlerFunc{func(rw http.ResponseWriter, r *http.Request) {
		saysAs(t, testKeys().published, keyID, w.clock(), 200, `{"code_url":"weixin://wxpay/1"}`)(rw, r)
	}}
	request, err := w.BuildRequest(testOrder(), byCode, number)
	require.NoError(t, err)
	assert.NotContains(t, string(request), "signature")
	for _, later := range []time.Duration{0, 90 * time.Minute, 100 * time.Hour} {
		w.change(func() { w.now = noon.Add(later) })
		_, err := w.Prepare(t.Context(), request)
		require.NoError(t, err)
	}
	bodies := map[string]bool{}
	signatures := map[string]bool{}
	for _, text := range w.requests() {
		head, body, _ := strings.Cut(text, "\n\n")
		bodies[body], signatures[head] = true, true
	}
	assert.Len(t, bodies, 1, "the same bytes")
	assert.Len(t, signatures, 3)
}

func TestPAY09_no_two_requests_have_the_same_nonce(t *testing.T) {
	g, err := New(testConfig(t, "https://wallet.example"))
	require.NoError(t, err)
	seen := map[string]bool{}
	for range 100 {
		nonce := g.nonce()
		assert.True(t, consists(nonce, 32, letters+digits), nonce)
		seen[nonce] = true
	}
	assert.Len(t, seen, 100)
}

func TestPAY09_texts_that_no_terminal_shows(t *testing.T) {
	g := newGateway(t, "https://wallet.example")
	o := testOrder()
	o.Subject = "a\nb\x00c\x7fd\xffe\uFFFEf"
	request, err := g.BuildRequest(o, byCode, number)
	require.NoError(t, err)
	var stored struct{ Body struct{ Description string } }
	require.NoError(t, json.Unmarshal(request, &stored))
	assert.Equal(t, "a b c d\uFFFDe f", stored.Body.Description)

	odd := byBrowser
	for _, id := range []string{"o\n1", "o\xff"} {
		odd.OpenID = id
		_, err = g.BuildRequest(o, odd, number)
		told, is := fault.As(err)
		require.True(t, is)
		assert.Equal(t, fault.Invalid, told.Kind)
	}
}

func TestPAY09_numbers_that_the_wallet_does_not_take(t *testing.T) {
	g := newGateway(t, "https://wallet.example")
	for _, no := range []payment.TradeNo{"", "12345", payment.TradeNo(strings.Repeat("1", 33)), "1234567\n", "12345 7", "order/7", "order?7", "茶茶茶茶"} {
		_, err := g.BuildRequest(testOrder(), byCode, no)
		require.ErrorContains(t, err, "trade number", no)
		_, err = g.Query(t.Context(), payment.OfficialAccount, no)
		require.ErrorContains(t, err, "trade number")
		require.ErrorContains(t, g.Close(t.Context(), payment.OfficialAccount, no), "trade number")
	}
}

func TestPAY06_an_application_without_an_id(t *testing.T) {
	g := newGateway(t, "https://wallet.example", func(c *Config) { delete(c.AppIDs, payment.SvcIOSApp) })
	_, err := g.BuildRequest(testOrder(), byApp, number)
	require.ErrorIs(t, err, payment.ErrNoWallet)
	_, err = g.Query(t.Context(), payment.SvcIOSApp, number)
	require.ErrorIs(t, err, payment.ErrNoWallet)
	require.ErrorIs(t, g.Close(t.Context(), payment.SvcIOSApp, number), payment.ErrNoWallet)
	_, err = g.ClientParams(byApp, payment.Ticket{PrepayID: "wx20"}, noon)
	require.ErrorIs(t, err, payment.ErrNoWallet)
}

func TestPAY09_an_end_type_that_there_is_not(t *testing.T) {
	g := newGateway(t, "https://wallet.example")
	_, err := g.BuildRequest(testOrder(), payment.Intent{EndType: 7, App: payment.OfficialAccount}, number)
	require.ErrorContains(t, err, "end type 7")
	_, err = g.ClientParams(payment.Intent{EndType: 7, App: payment.OfficialAccount}, payment.Ticket{}, noon)
	require.ErrorContains(t, err, "end type 7")
}

func TestPAY09_requests_of_others(t *testing.T) {
	w := newWallet(t, says(t, 200, `{"code_url":"weixin://wxpay/1"}`))
	for _, request := range []string{"", "<xml></xml>", "{}", `{"type":"codepay","body":{}}`, `{"type":"native/../../x","body":{}}`} {
		_, err := w.Prepare(t.Context(), []byte(request))
		require.ErrorContains(t, err, "not made by BuildRequest")
	}
	assert.Empty(t, w.requests())
}

func TestPAY02_a_ticket_without_what_the_payer_needs(t *testing.T) {
	for _, c := range []struct {
		intent payment.Intent
		answer string
	}{
		{byCode, `{"prepay_id":"wx20"}`}, {byCode, `{"code_url":""}`}, {byPage, `{"code_url":"x"}`}, {byApp, `{"code_url":"x"}`},
		{byBrowser, `{"prepay_id":1}`},
	} {
		w := newWallet(t, says(t, 200, c.answer))
		request, err := w.BuildRequest(testOrder(), c.intent, number)
		require.NoError(t, err)
		_, err = w.Prepare(t.Context(), request)
		assertOnly(t, payment.ErrWalletBadResponse, err)
	}
}
