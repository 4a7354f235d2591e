package wechatpay

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/payment"
	"plaza/test/ports"
)

// heard is the expected request, byte for byte. Another program made it.
func heardV3(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/v3/" + name + ".txt")
	require.NoError(t, err)
	return string(text)
}

func TestPAY09_what_the_wallet_hears_v3(t *testing.T) {
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
			w := newWalletV3(t, saysV3(t, 200, c.answer))
			request, err := w.BuildRequest(ports.WalletOrder(noon), c.intent, number)
			require.NoError(t, err)
			for range 2 {
				ticket, err := w.Prepare(t.Context(), request)
				require.NoError(t, err)
				assert.Equal(t, c.ticket, ticket)
			}
			assert.Equal(t, []string{heardV3(t, name), heardV3(t, name)}, w.requests())
		})
	}
}

func TestPAY09_questions_that_the_wallet_hears_v3(t *testing.T) {
	w := newWalletV3(t, saysV3(t, 200, fieldsV3(t, unpaidFieldsV3())), saysV3(t, 204, ""))
	_, err := w.Query(t.Context(), payment.OfficialAccount, number)
	require.NoError(t, err)
	require.NoError(t, w.Close(t.Context(), payment.OfficialAccount, number))
	assert.Equal(t, []string{heardV3(t, "query"), heardV3(t, "close")}, w.requests())
}

func TestPAY09_texts_that_no_terminal_shows(t *testing.T) {
	g := newV3(t, "https://wallet.example")
	o := ports.WalletOrder(noon)
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

func TestPAY09_requests_of_others(t *testing.T) {
	w := newWalletV3(t, saysV3(t, 200, `{"code_url":"weixin://wxpay/1"}`))
	for _, request := range []string{"", "<xml></xml>", "{}", `{"type":"codepay","body":{}}`, `{"type":"native/../../x","body":{}}`} {
		_, err := w.Prepare(t.Context(), []byte(request))
		require.ErrorContains(t, err, "not made by BuildRequest")
	}
	assert.Empty(t, w.requests())
}

func TestPAY02_a_ticket_without_what_the_payer_needs_v3(t *testing.T) {
	for _, c := range []struct {
		intent payment.Intent
		answer string
	}{
		{byCode, `{"prepay_id":"wx20"}`}, {byCode, `{"code_url":""}`}, {byPage, `{"code_url":"x"}`}, {byApp, `{"code_url":"x"}`},
		{byBrowser, `{"prepay_id":1}`},
	} {
		w := newWalletV3(t, saysV3(t, 200, c.answer))
		request, err := w.BuildRequest(ports.WalletOrder(noon), c.intent, number)
		require.NoError(t, err)
		_, err = w.Prepare(t.Context(), request)
		assertOnlyV3(t, payment.ErrWalletBadResponse, err)
	}
}
