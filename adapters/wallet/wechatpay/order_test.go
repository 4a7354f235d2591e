package wechatpay

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/payment"
	"plaza/domain/secret"
	"plaza/test/ports"
)

// answeredTicket is an answer to an order, and the ticket that it has; none if the answer lacks what the payer needs.
type answeredTicket struct {
	name   string // of the request in testdata
	intent payment.Intent
	answer []any
	ticket payment.Ticket
}

var answeredTickets = map[string][]answeredTicket{
	"v2": {
		{"native", byCode, []any{"trade_type", "NATIVE", "prepay_id", "p1", "code_url", "weixin://wxpay/1?a=1&b=2"},
			payment.Ticket{PrepayID: "p1", CodeURL: "weixin://wxpay/1?a=1&b=2"}},
		{"app", byApp, []any{"trade_type", "APP", "prepay_id", "p1", "appid", service}, payment.Ticket{PrepayID: "p1"}},
		{"jsapi", byBrowser, []any{"trade_type", "JSAPI", "prepay_id", "p1"}, payment.Ticket{PrepayID: "p1"}},
		{"mweb", byPage, []any{"trade_type", "MWEB", "prepay_id", "p1", "mweb_url", "https://wallet.example/?a=1&b=2"},
			payment.Ticket{PrepayID: "p1", MWebURL: "https://wallet.example/?a=1&b=2"}},
		{intent: byCode, answer: []any{"trade_type", "NATIVE", "prepay_id", "p1"}},
		{intent: byPage, answer: []any{"trade_type", "MWEB", "prepay_id", "p1"}},
	},
	"v3": {
		{"native", byCode, []any{"code_url", "weixin://wxpay/1?a=1&b=2"}, payment.Ticket{CodeURL: "weixin://wxpay/1?a=1&b=2"}},
		{"app", byApp, []any{"prepay_id", "wx20"}, payment.Ticket{PrepayID: "wx20"}},
		{"jsapi", byBrowser, []any{"prepay_id", "wx20"}, payment.Ticket{PrepayID: "wx20"}},
		{"h5", byPage, []any{"h5_url", "https://wallet.example/?a=1&b=2"}, payment.Ticket{MWebURL: "https://wallet.example/?a=1&b=2"}},
		{intent: byCode, answer: []any{"prepay_id", "wx20"}},
		{intent: byCode, answer: []any{"code_url", ""}},
		{intent: byPage, answer: []any{"code_url", "x"}},
		{intent: byApp, answer: []any{"code_url", "x"}},
		{intent: byBrowser, answer: []any{"prepay_id", 1}},
	},
}

func TestPAY09_what_the_wallet_hears(t *testing.T) {
	forVersions(t, func(t *testing.T, v version) {
		for _, c := range answeredTickets[v.name] {
			w := v.wallet(t, v.says(c.answer...))
			request, err := w.BuildRequest(ports.WalletOrder(noon), c.intent, number, ports.WalletPayerAddress)
			require.NoError(t, err)
			if c.name == "" {
				_, err = w.Prepare(t.Context(), request)
				assertOnly(t, payment.ErrWalletBadResponse, err)
				continue
			}
			for range 2 {
				ticket, err := w.Prepare(t.Context(), request)
				require.NoError(t, err)
				assert.Equal(t, c.ticket, ticket)
			}
			assert.Equal(t, []string{v.heard(c.name), v.heard(c.name)}, w.requests())
		}
		w := v.wallet(t, v.says(v.unpaid...), v.closed())
		require.NoError(t, query(t, w))
		require.NoError(t, closeIt(t, w))
		assert.Equal(t, []string{v.heard("query"), v.heard("close")}, w.requests())
	})
}

func TestPAY09_texts_that_no_terminal_shows(t *testing.T) {
	o := ports.WalletOrder(noon)
	o.Subject = "a\nb\x00c\x7fd\xffe\uFFFEf\x01g\rh\ti\u2028🍵"
	const want = "a b c d\uFFFDe f g h i\u2028\uFFFD"
	forVersions(t, func(t *testing.T, v version) {
		g := v.wallet(t)
		request, err := g.BuildRequest(o, byCode, number, ports.WalletPayerAddress)
		require.NoError(t, err)
		switch v.name {
		case "v2":
			m, err := parseXML(request, "xml")
			require.NoError(t, err)
			assert.Equal(t, want, m["body"])
			_, err = m.verify(secret.New(keyV2))
			assert.NoError(t, err, "what XML cannot say is not signed either")
		case "v3":
			var stored struct{ Body struct{ Description string } }
			require.NoError(t, json.Unmarshal(request, &stored))
			assert.Equal(t, want, stored.Body.Description)
		}
		odd := byBrowser
		for _, id := range []string{"o\n1", "a\rb", "o\xff"} {
			odd.OpenID = id
			_, err = g.BuildRequest(o, odd, number, ports.WalletPayerAddress)
			assert.Contains(t, fault.FieldsOf(err), "extra_params.open_id")
		}
	})
}

func TestPAY09_requests_of_others(t *testing.T) {
	w := newWalletV3(t, saysV3(200, `{"code_url":"weixin://wxpay/1"}`))
	for _, request := range []string{"", "<xml></xml>", "{}", `{"type":"codepay","body":{}}`, `{"type":"native/../../x","body":{}}`} {
		_, err := w.Prepare(t.Context(), []byte(request))
		require.ErrorContains(t, err, "not made by BuildRequest")
	}
	assert.Empty(t, w.requests())
}
