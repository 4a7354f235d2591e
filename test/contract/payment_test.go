package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox/ledger"
	"plaza/domain/payment"
)

var paymentRows = []row{
	{"PAY-01 pay_method must be the mobile wallet", payMethods, oneStore},
	{"PAY-01 end_type is one of four", endTypes, oneStore},
	{"PAY-01 what is wrong with a payment is told together", wrongPayments, oneStore},
	{"PAY-04 the wallet's browser needs the open_id", openIDs, oneStore},
	{"PAY-06 wallet_app_type belongs to the end_type", walletApps, oneStore},
	{"PAY-07 an order is named", namedOrder, everyStore},
	{"PAY-07 whatever fits is refused without a wallet", noWallet, oneStore},
}

const pay = "/api/pay/order/pay/"

// orders gives the person an open order, good for an hour, and returns its number.
func (s *server) orders(t *testing.T, of person, change ...func(*payment.Order)) int {
	t.Helper()
	o := payment.NewOrder(of.id, "Tea", 990, time.Hour, s.clock.Now())
	for _, c := range change {
		c(&o)
	}
	o, err := s.app.Stores.Ledger.AddOrder(t.Context(), o, nil)
	require.NoError(t, err)
	return int(o.ID)
}

// paymentWith is a valid body with changes; a change to dropped leaves the field out.
func paymentWith(change object) object {
	body := object{"pay_method": 200, "end_type": 0}
	maps.Copy(body, change)
	maps.DeleteFunc(body, func(_ string, v any) bool { return v == dropped })
	return body
}

const dropped = "dropped"

// goesThrough asserts that all is well with a payment but that there is no wallet.
func (a answer) goesThrough(order string) {
	a.t.Helper()
	a.fails(503, "SERVICE_UNAVAILABLE")
	assert.Equal(a.t, order, a.header.Get("X-Order-ID"))
}

func payMethods(t *testing.T, s *server) {
	ada := s.member(t)
	order := fmt.Sprint(s.orders(t, ada))
	a := ada.post(t, pay, paymentWith(object{"pay_method": 100})).invalid("pay_method")
	assert.Contains(t, a.text("data.pay_method.0"), "200", "it says what this takes")
	for _, no := range []any{0, "0", 1, -1, 200.5, "", "wallet", "200.0", nil, true, []any{200}, dropped, 1e30} {
		ada.post(t, pay, paymentWith(object{"pay_method": no})).invalid("pay_method")
	}
	for _, yes := range []any{200, "200"} {
		ada.post(t, pay, paymentWith(object{"pay_method": yes})).goesThrough(order)
	}
}

func endTypes(t *testing.T, s *server) {
	ada := s.member(t)
	order := fmt.Sprint(s.orders(t, ada))
	for _, no := range []any{1, -100, 400, "", "native", 0.5, nil, false, []any{}, dropped} {
		ada.post(t, pay, paymentWith(object{"end_type": no, "extra_params": object{"wallet_app_type": "svc_ios_app"}})).invalid("end_type")
	}
	for endType, extra := range map[any]object{
		0: {}, "0": {}, 100: {"wallet_app_type": "svc_ios_app"}, "100": {"wallet_app_type": "svc_ios_app"},
		200: {"open_id": "oUpF8"}, 300: {"wallet_app_type": "official_account"},
	} {
		ada.post(t, pay, paymentWith(object{"end_type": endType, "extra_params": extra})).goesThrough(order)
	}
}

func wrongPayments(t *testing.T, s *server) {
	ada := s.member(t)
	for _, c := range []struct {
		body   object
		fields []string
	}{
		{object{}, []string{"pay_method", "end_type"}},
		{object{"pay_method": 0, "end_type": 200}, []string{"pay_method", "extra_params.open_id"}},
		{object{"pay_method": 5, "end_type": 200, "extra_params": object{"wallet_app_type": "svc_ios_app"}},
			[]string{"pay_method", "extra_params.wallet_app_type", "extra_params.open_id"}},
		{paymentWith(object{"extra_params": []any{}}), []string{"extra_params"}},
		{paymentWith(object{"extra_params": nil}), []string{"extra_params"}},
		{paymentWith(object{"extra_params": object{"wallet_app_type": 5}}), []string{"extra_params.wallet_app_type"}},
		{paymentWith(object{"order_id": 1.5}), []string{"order_id"}},
	} {
		refused := ada.post(t, pay, c.body).invalid(c.fields...) // before it is found that there is no order
		assert.Empty(t, refused.header.Get("X-Order-ID"))
	}
}

func openIDs(t *testing.T, s *server) {
	ada := s.member(t)
	order := fmt.Sprint(s.orders(t, ada))
	for _, extra := range []any{dropped, object{}, object{"open_id": " "}, object{"open_id": nil}, object{"open_id": "nul\x00"}} {
		ada.post(t, pay, paymentWith(object{"end_type": 200, "extra_params": extra})).invalid("extra_params.open_id")
	}
	for _, endType := range []int{200, 0, 300} {
		ada.post(t, pay, paymentWith(object{"end_type": endType, "extra_params": object{"open_id": "oUpF8"}})).goesThrough(order)
	}
}

func walletApps(t *testing.T, s *server) {
	ada := s.member(t)
	order := fmt.Sprint(s.orders(t, ada))
	for endType, takes := range map[int]string{0: "official_account", 100: "svc_ios_app", 200: "official_account", 300: "official_account"} {
		for _, app := range []any{"official_account", "svc_ios_app", "svc_android_app", "0", nil, true} {
			a := ada.post(t, pay, paymentWith(object{"end_type": endType, "extra_params": object{"wallet_app_type": app, "open_id": "oUpF8"}}))
			if app == takes {
				a.goesThrough(order)
				continue
			}
			a.invalid("extra_params.wallet_app_type")
			if app == "official_account" || app == "svc_ios_app" {
				told := a.at("data").(object)["extra_params.wallet_app_type"]
				assert.Contains(t, fmt.Sprint(told), takes, "it says which it takes")
			}
		}
	}
	ada.post(t, pay, paymentWith(object{"extra_params": object{}})).goesThrough(order)
	ada.post(t, pay, paymentWith(object{"end_type": 100, "extra_params": object{}})).invalid("extra_params.wallet_app_type")
}

func namedOrder(t *testing.T, s *server) {
	ada := s.member(t)
	ada.post(t, pay, paymentWith(nil)).fails(404, "RESOURCE_NOT_FOUND")
	first, second := s.orders(t, ada), s.orders(t, ada)
	ada.post(t, pay, paymentWith(nil)).fails(409, "CONFLICT") // which of them?
	for _, id := range []any{first, second, fmt.Sprint(first)} {
		ada.post(t, pay, paymentWith(object{"order_id": id})).goesThrough("") // it was named already
	}
}

func noWallet(t *testing.T, s *server) {
	ada := s.member(t)
	order := s.orders(t, ada)
	for range 2 {
		ada.post(t, pay, paymentWith(nil)).goesThrough(fmt.Sprint(order))
	}
	kept, err := s.app.Stores.Ledger.Order(t.Context(), payment.OrderID(order))
	require.NoError(t, err)
	assert.Equal(t, payment.Open, kept.State)
}

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
func (s *till) holdsWhatWasAsked(t *testing.T, kind, app string) ledger.Trade {
	t.Helper()
	require.Len(t, s.box.Trades(), 1)
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
	ada, order := s.sells(t)
	a := ada.saying("X-Forwarded-For", "203.0.113.7").post(t, pay, paymentWith(byWeb)).is(200)
	trade := s.holdsWhatWasAsked(t, "MWEB", appID)
	sameJSON(t, object{"data": object{
		"trade_type": "MWEB", "prepay_id": trade.PrepayID, "mweb_url": a.text("data.mweb_url"),
	}}, a.json())
	assert.Contains(t, a.text("data.mweb_url"), trade.OutTradeNo)
	require.NoError(t, s.app.Stores.Ledger.Change(t.Context(), payment.OrderID(order), func(stored *payment.Trade) error {
		assert.Contains(t, string(stored.Prepayments[0].Request), "203.0.113.7", "the wallet lets that address alone pay")
		return nil
	}))
}

func chosenOrder(t *testing.T, s *till) {
	ada, order := s.sells(t)
	assert.Equal(t, fmt.Sprint(order), ada.post(t, pay, paymentWith(byCode)).is(200).header.Get("X-Order-ID"))
	named := ada.post(t, pay, paymentWith(object{"order_id": order})).is(200)
	assert.Empty(t, named.header.Get("X-Order-ID"), "it was named already")
	other := s.orders(t, ada)
	ada.post(t, pay, paymentWith(byCode)).fails(409, "CONFLICT")
	ada.post(t, pay, paymentWith(object{"order_id": other})).is(200)
	assert.Len(t, s.box.Trades(), 2, "each its own")
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
