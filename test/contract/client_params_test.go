package contract

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
)

var clientParamsSales = []sale{
	{"PAY-02 a QR code", nativeParams, oneStore},
	{"PAY-03 an app", appParams, oneStore},
	{"PAY-04 the wallet's own browser", browserParams, oneStore},
	{"PAY-05 another mobile browser", webParams, oneStore},
	{"PAY-07 the order that was chosen is named", chosenOrder, oneStore},
	{"PAY-08 what terminals verify is signed as they do", signedParams, oneStore},
}

// The ways to pay, by the kind of terminal.
var (
	byCode    = object{}
	byApp     = object{"end_type": 100, "extra_params": object{"wallet_app_type": "svc_ios_app"}}
	byBrowser = object{"end_type": 200, "extra_params": object{"open_id": "oUpF8"}}
	byWeb     = object{"end_type": 300}
)

// sells creates a user with an order and returns both.
func (s *till) sells(t *testing.T) (person, int) {
	t.Helper()
	ada := s.member(t)
	return ada, s.orders(t, ada)
}

// holdsWhatWasAsked asserts that the wallet has exactly one trade, of this kind, for the
// order of 9.90.
func (s *till) holdsWhatWasAsked(t *testing.T, kind, app string) sandbox.Trade {
	t.Helper()
	require.Len(t, s.box.Ledger(), 1)
	trade := s.trade(t)
	assert.Equal(t, kind, trade.TradeType)
	assert.Equal(t, app, trade.AppID)
	assert.Equal(t, int64(990), trade.Amount)
	assert.Equal(t, "Tea", trade.Body)
	assert.Equal(t, epoch.Add(time.Hour), trade.Expires, "when the order does")
	assert.Equal(t, s.url+notify, trade.NotifyURL)
	return trade
}

func nativeParams(t *testing.T, s *till) {
	ada, _ := s.sells(t)
	a := ada.post(t, pay, paymentWith(byCode)).is(200)
	trade := s.holdsWhatWasAsked(t, "NATIVE", appID)
	sameJSON(t, object{"data": object{
		"trade_type": "NATIVE", "prepay_id": trade.PrepayID, "code_url": a.text("data.code_url"),
	}}, a.json())
	assert.Contains(t, a.text("data.code_url"), trade.OutTradeNo)
}

func appParams(t *testing.T, s *till) {
	ada, _ := s.sells(t)
	a := ada.post(t, pay, paymentWith(byApp)).is(200)
	trade := s.holdsWhatWasAsked(t, "APP", svcAppID)
	sameJSON(t, object{"data": object{
		"package": "Sign=WXPay", "timestamp": epoch.Unix(), "prepayid": trade.PrepayID, "appid": svcAppID, "partnerid": merchant,
		"noncestr": a.text("data.noncestr"), "sign": a.text("data.sign"),
	}}, a.json())
}

func browserParams(t *testing.T, s *till) {
	ada, _ := s.sells(t)
	a := ada.post(t, pay, paymentWith(byBrowser)).is(200)
	trade := s.holdsWhatWasAsked(t, "JSAPI", appID)
	assert.Equal(t, "oUpF8", trade.OpenID)
	sameJSON(t, object{ // at the top level
		"appId": appID, "timeStamp": epoch.Unix(), "nonceStr": a.text("nonceStr"), "package": "prepay_id=" + trade.PrepayID,
		"signType": "HMAC-SHA256", "paySign": a.text("paySign"),
	}, a.json())
}

func webParams(t *testing.T, s *till) {
	ada, _ := s.sells(t)
	a := ada.post(t, pay, paymentWith(byWeb)).is(200)
	trade := s.holdsWhatWasAsked(t, "MWEB", appID)
	sameJSON(t, object{"data": object{
		"trade_type": "MWEB", "prepay_id": trade.PrepayID, "mweb_url": a.text("data.mweb_url"),
	}}, a.json())
	assert.Contains(t, a.text("data.mweb_url"), trade.OutTradeNo)
}

func chosenOrder(t *testing.T, s *till) {
	ada, order := s.sells(t)
	assert.Equal(t, fmt.Sprint(order), ada.post(t, pay, paymentWith(byCode)).is(200).header.Get("X-Order-ID"))
	named := ada.post(t, pay, paymentWith(object{"order_id": order})).is(200)
	assert.Empty(t, named.header.Get("X-Order-ID"), "it was named already")
	other := s.orders(t, ada)
	ada.post(t, pay, paymentWith(byCode)).fails(409, "CONFLICT")
	ada.post(t, pay, paymentWith(object{"order_id": other})).is(200)
	assert.Len(t, s.box.Ledger(), 2, "each its own")
}

// signedParams writes down once more what terminals sign: exactly these fields.
func signedParams(t *testing.T, s *till) {
	nonces := map[string]bool{}
	for _, c := range []struct {
		way    object
		fields []string
		at     string // where they stand
		sign   string
	}{
		{byApp, []string{"appid", "noncestr", "package", "partnerid", "prepayid", "timestamp"}, "data.", "sign"},
		{byBrowser, []string{"appId", "nonceStr", "package", "signType", "timeStamp"}, "", "paySign"},
	} {
		ada, _ := s.sells(t)
		for range 2 {
			a := ada.post(t, pay, paymentWith(c.way)).is(200)
			signed := map[string]string{}
			for _, name := range c.fields {
				signed[name] = fmt.Sprint(a.at(c.at + name)) // a timestamp by its decimal digits
			}
			assert.Equal(t, signature(signed, walletKey), a.text(c.at+c.sign))
			nonce := signed["noncestr"] + signed["nonceStr"]
			assert.False(t, nonces[nonce], "each time another one")
			nonces[nonce] = true
			_, isNumber := a.at(c.at + map[bool]string{true: "timestamp", false: "timeStamp"}[c.at != ""]).(json.Number)
			assert.True(t, isNumber)
		}
	}
}
