package wechatpay

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/payment"
	"plaza/test/ports"
)

var (
	byCode    = payment.Intent{EndType: payment.Native, App: payment.OfficialAccount}
	byApp     = payment.Intent{EndType: payment.App, App: payment.SvcIOSApp}
	byBrowser = payment.Intent{EndType: payment.JSAPI, App: payment.OfficialAccount, OpenID: payer}
	byPage    = payment.Intent{EndType: payment.H5, App: payment.OfficialAccount}
)

// heard is the expected request, byte for byte. Another program made it.
func heardV2(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/v2/" + name + ".txt")
	require.NoError(t, err)
	return string(text)
}

func TestPAY09_what_the_wallet_hears(t *testing.T) {
	for name, c := range map[string]struct {
		intent payment.Intent
		answer []string
		ticket payment.Ticket
	}{
		"native": {byCode, []string{"trade_type", "NATIVE", "prepay_id", "p1", "code_url", "weixin://wxpay/1?a=1&b=2"},
			payment.Ticket{PrepayID: "p1", CodeURL: "weixin://wxpay/1?a=1&b=2"}},
		"app":   {byApp, []string{"trade_type", "APP", "prepay_id", "p1", "appid", service}, payment.Ticket{PrepayID: "p1"}},
		"jsapi": {byBrowser, []string{"trade_type", "JSAPI", "prepay_id", "p1"}, payment.Ticket{PrepayID: "p1"}},
		"mweb": {byPage, []string{"trade_type", "MWEB", "prepay_id", "p1", "mweb_url", "https://wallet.example/?a=1&b=2"},
			payment.Ticket{PrepayID: "p1", MWebURL: "https://wallet.example/?a=1&b=2"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWalletV2(t, saysV2(c.answer...))
			request, err := w.BuildRequest(ports.WalletOrder(noon), c.intent, number)
			require.NoError(t, err)
			for range 2 {
				ticket, err := w.Prepare(t.Context(), request)
				require.NoError(t, err)
				assert.Equal(t, c.ticket, ticket)
			}
			assert.Equal(t, []string{heardV2(t, name), heardV2(t, name)}, w.requests())
		})
	}
}

func TestPAY09_questions_that_the_wallet_hears(t *testing.T) {
	w := newWalletV2(t, saysV2("trade_state", "NOTPAY", "out_trade_no", string(number)), saysV2())
	_, err := w.Query(t.Context(), payment.OfficialAccount, number)
	require.NoError(t, err)
	require.NoError(t, w.Close(t.Context(), payment.OfficialAccount, number))
	assert.Equal(t, []string{heardV2(t, "query"), heardV2(t, "close")}, w.requests())
}

func TestPAY09_no_two_requests_have_the_same_nonce(t *testing.T) {
	g, err := NewV2(configV2("https://wallet.example"))
	require.NoError(t, err)
	seen := map[string]bool{}
	for range 100 {
		request, err := g.BuildRequest(ports.WalletOrder(noon), byCode, number)
		require.NoError(t, err)
		m, err := parseXML(request)
		require.NoError(t, err)
		assert.Regexp(t, `^[A-Z0-9]{26,32}$`, m["nonce_str"])
		assert.NoError(t, m.verify(g.key))
		seen[m["nonce_str"]] = true
	}
	assert.Len(t, seen, 100)
}

func TestPAY09_what_XML_cannot_say_is_not_signed_either(t *testing.T) {
	g := newV2(t, "https://wallet.example")
	o := ports.WalletOrder(noon)
	o.Subject = "a\x01b\rc\td\uFFFEe\u2028"
	request, err := g.BuildRequest(o, byCode, number)
	require.NoError(t, err)
	m, err := parseXML(request)
	require.NoError(t, err)
	assert.Equal(t, "a b c d e\u2028", m["body"])
	assert.NoError(t, m.verify(g.key))

	intent := byBrowser
	intent.OpenID = "a\rb"
	_, err = g.BuildRequest(o, intent, number)
	assert.Contains(t, fault.FieldsOf(err), "extra_params.open_id")
}
