package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox/ledger"
	"plaza/domain/payment"
)

var paymentRows = []row{
	{"PAY-01 PAY-04 PAY-06 what fits together is taken, and all that is wrong is named", paymentsJudged, oneStore},
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
	body := with(object{"pay_method": 200, "end_type": 0}, change)
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

func paymentsJudged(t *testing.T, s *server) {
	ada := s.member(t)
	order := fmt.Sprint(s.orders(t, ada))
	const app, open = "extra_params.wallet_app_type", "extra_params.open_id"
	for _, c := range []struct {
		change object
		says   string // what this takes
		wrong  []string
	}{
		{object{"pay_method": 200, "end_type": 0}, "", nil}, {byApp, "", nil}, {byBrowser, "", nil},
		{object{"pay_method": "200", "end_type": "100", "extra_params": byApp["extra_params"]}, "", nil},
		{object{"end_type": 300, "extra_params": object{"wallet_app_type": "official_account"}}, "", nil},
		{object{"pay_method": 100}, "200", []string{"pay_method"}}, {object{"pay_method": "wallet"}, "", []string{"pay_method"}},
		{object{"pay_method": dropped, "end_type": dropped}, "", []string{"pay_method", "end_type"}},
		{object{"pay_method": 0, "end_type": 200}, "", []string{"pay_method", open}},
		{object{"end_type": 1}, "", []string{"end_type"}}, {object{"end_type": nil}, "", []string{"end_type"}},
		{object{"end_type": 200, "extra_params": object{"open_id": " "}}, "", []string{open}},
		{object{"pay_method": 5, "end_type": 200, "extra_params": byApp["extra_params"]}, "official_account", []string{"pay_method", app, open}},
		{object{"end_type": 100}, "svc_ios_app", []string{app}}, {object{"extra_params": object{"wallet_app_type": 5}}, "", []string{app}},
		{object{"extra_params": object{"wallet_app_type": "svc_android_app"}}, "", []string{app}},
		{object{"extra_params": []any{}}, "", []string{"extra_params"}}, {object{"extra_params": nil}, "", []string{"extra_params"}},
		{object{"order_id": 1.5}, "", []string{"order_id"}},
	} {
		a := ada.post(t, pay, paymentWith(c.change))
		if c.wrong == nil {
			a.goesThrough(order)
			continue
		}
		assert.Contains(t, string(a.invalid(c.wrong...).body), c.says)
		assert.Empty(t, a.header.Get("X-Order-ID"))
	}
	ada.get(t, ownOrders+order+"/").is(200).shows(object{"state": "open"})
}

var clientParamsSales = []sale{
	{"PAY-02 PAY-03 PAY-04 PAY-05 each terminal gets what it pays with", paramsOfTerminals, oneStore},
	{"PAY-07 the order that was chosen is named", chosenOrder, everyStore},
	{"PAY-08 what terminals verify is signed as they do", signedParams, oneStore},
	{"PAY-09 the same way to pay finds the same prepayment", sameAgain, everyStore},
	{"PAY-09 calls at once make one prepayment", paidAtOnce, everyStore},
	{"PAY-09 another way to pay closes the former prepayment first", otherWay, everyStore},
	{"PAY-09 with an Idempotency-Key the answer is the same to the last byte", replayed, everyStore},
	{"PAY-09 an Idempotency-Key belongs to one request of one account", keyOfOne, everyStore},
	{"PAY-09 what an Idempotency-Key was answered with is no longer good", keyOver, everyStore},
}

// The ways to pay, by the kind of terminal.
var (
	byCode    = object{}
	byApp     = object{"end_type": 100, "extra_params": object{"wallet_app_type": "svc_ios_app"}}
	byBrowser = object{"end_type": 200, "extra_params": object{"open_id": "oUpF8"}}
	byWeb     = object{"end_type": 300}
)

func (s *till) sells(t *testing.T) (person, int) {
	t.Helper()
	ada := s.member(t)
	return ada, s.orders(t, ada)
}

func paramsOfTerminals(t *testing.T, s *till) {
	for i, c := range []struct {
		way       object
		kind, app string
		params    func(a answer, trade ledger.Trade) object
	}{
		{byCode, "NATIVE", appID, func(a answer, trade ledger.Trade) object {
			assert.Contains(t, a.text("data.code_url"), trade.OutTradeNo)
			return object{"data": object{"trade_type": "NATIVE", "prepay_id": trade.PrepayID, "code_url": a.text("data.code_url")}}
		}},
		{byApp, "APP", svcAppID, func(a answer, trade ledger.Trade) object {
			return object{"data": object{"package": "Sign=WXPay", "timestamp": epoch.Unix(), "prepayid": trade.PrepayID, "appid": svcAppID,
				"partnerid": merchant, "noncestr": a.text("data.noncestr"), "sign": a.text("data.sign")}}
		}},
		{byBrowser, "JSAPI", appID, func(a answer, trade ledger.Trade) object {
			assert.Equal(t, "oUpF8", trade.OpenID)
			return object{"appId": appID, "timeStamp": epoch.Unix(), "nonceStr": a.text("nonceStr"), // at the top level
				"package": "prepay_id=" + trade.PrepayID, "signType": "HMAC-SHA256", "paySign": a.text("paySign")}
		}},
		{byWeb, "MWEB", appID, func(a answer, trade ledger.Trade) object {
			assert.Contains(t, a.text("data.mweb_url"), trade.OutTradeNo)
			return object{"data": object{"trade_type": "MWEB", "prepay_id": trade.PrepayID, "mweb_url": a.text("data.mweb_url")}}
		}},
	} {
		ada, order := s.sells(t)
		a := ada.saying("X-Forwarded-For", "203.0.113.7").post(t, pay, paymentWith(c.way)).is(200)
		require.Len(t, s.box.Trades(), i+1)
		trade := s.trade(t)
		assert.Equal(t, []any{c.kind, c.app, int64(990), "Tea", epoch.Add(time.Hour), s.url + notify},
			[]any{trade.TradeType, trade.AppID, trade.Amount, trade.Body, trade.Expires, trade.NotifyURL})
		sameJSON(t, c.params(a, trade), a.json())
		require.NoError(t, s.app.Stores.Ledger.Change(t.Context(), payment.OrderID(order), func(stored *payment.Trade) error {
			knowsPayer := strings.Contains(string(stored.Prepayments[0].Request), "203.0.113.7")
			assert.Equal(t, c.kind == "MWEB", knowsPayer, "the wallet lets that address alone pay")
			return nil
		}))
	}
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

func (a answer) retryAfter() time.Duration {
	a.t.Helper()
	n, err := strconv.Atoi(a.header.Get("Retry-After"))
	require.NoError(a.t, err, "Retry-After")
	return time.Duration(n) * time.Second
}

func sameAgain(t *testing.T, s *till) {
	for i, way := range []object{byCode, byApp, byBrowser, byWeb} {
		ada, _ := s.sells(t)
		first := ada.post(t, pay, paymentWith(way)).is(200)
		s.clock.advance(time.Minute)
		again := ada.post(t, pay, paymentWith(way)).is(200)
		require.Len(t, s.box.Trades(), i+1)
		assert.Equal(t, 1, s.trade(t).Requests, "the wallet is not even asked")
		if i == 0 || i == 3 {
			assert.Equal(t, string(first.body), string(again.body))
		}
	}
}

func paidAtOnce(t *testing.T, s *till) {
	ada, order := s.sells(t)
	bodies := make([]string, 50)
	atOnce(len(bodies), func(i int) {
		a := ada.post(t, pay, paymentWith(object{"order_id": order}))
		assert.Equal(t, 200, a.status, "%s", a.body)
		bodies[i] = string(a.body)
	})
	assert.Len(t, slices.Compact(bodies), 1)
	assert.Len(t, s.box.Trades(), 1)
}

func otherWay(t *testing.T, s *till) {
	ada, order := s.sells(t)
	ada.post(t, pay, paymentWith(byCode)).is(200)
	former := s.trade(t)
	s.clock.advance(time.Minute)
	early := ada.post(t, pay, paymentWith(byBrowser)).fails(409, "CONFLICT")
	assert.Equal(t, 4*time.Minute, early.retryAfter(), "the wallet closes nothing sooner")
	ada.post(t, pay, paymentWith(byCode)).is(200) // the former one is still good
	require.Len(t, s.box.Trades(), 1)

	s.clock.advance(4 * time.Minute)
	ada.post(t, pay, paymentWith(byBrowser)).is(200)
	all := s.box.Trades()
	require.Len(t, all, 2)
	assert.Equal(t, ledger.Closed, all[0].State)
	assert.NotEqual(t, former.OutTradeNo, all[1].OutTradeNo)
	_, err := s.box.Pay(former.OutTradeNo)
	require.ErrorIs(t, err, ledger.ErrClosed)

	other := object{"end_type": 200, "extra_params": object{"open_id": "another payer"}}
	s.clock.advance(5 * time.Minute)
	ada.post(t, pay, paymentWith(other)).is(200)
	assert.Len(t, s.box.Trades(), 3, "for somebody else is another way, too")
	ada.stands(t, order, payment.Open)
}

const keyHeader = "Idempotency-Key"

func replayed(t *testing.T, s *till) {
	ada, order := s.sells(t)
	keyed := ada.saying(keyHeader, "one")
	first := keyed.post(t, pay, paymentWith(byApp)).is(200)
	s.clock.advance(time.Minute)
	again := keyed.post(t, pay, paymentWith(byApp)).is(200)
	assert.Equal(t, string(first.body), string(again.body), "the nonce, too")
	assert.Equal(t, fmt.Sprint(order), again.header.Get("X-Order-ID"))
	other := ada.saying(keyHeader, "two").post(t, pay, paymentWith(byApp)).is(200)
	assert.NotEqual(t, string(first.body), string(other.body))
	assert.Len(t, s.box.Trades(), 1)
}

func keyOfOne(t *testing.T, s *till) {
	ada, order := s.sells(t)
	bob, _ := s.sells(t)
	staff := s.staff(t)
	ada.saying(keyHeader, "one").post(t, pay, paymentWith(byCode)).is(200)
	for _, other := range []object{byApp, byWeb, {"order_id": order}} {
		ada.saying(keyHeader, "one").post(t, pay, paymentWith(other)).fails(409, "CONFLICT")
	}
	bob.saying(keyHeader, "one").post(t, pay, paymentWith(byCode)).is(200)
	staff.saying(keyHeader, "one").post(t, newOrder, draftFor(ada)).is(201)
	staff.saying(keyHeader, "one").post(t, newOrder, with(draftFor(ada), object{"amount": 991})).fails(409, "CONFLICT")
	assert.Len(t, s.box.Trades(), 2)
}

func keyOver(t *testing.T, s *till) {
	ada, _ := s.sells(t)
	web := ada.saying(keyHeader, "web")
	web.post(t, pay, paymentWith(byWeb)).is(200)
	s.clock.advance(5 * time.Minute)
	web.post(t, pay, paymentWith(byWeb)).fails(409, "CONFLICT") // the address has ended
	app := ada.saying(keyHeader, "app")
	app.post(t, pay, paymentWith(byApp)).is(200)
	s.clock.advance(5 * time.Minute)
	ada.post(t, pay, paymentWith(byCode)).is(200)
	app.post(t, pay, paymentWith(byApp)).fails(409, "CONFLICT") // its prepayment is closed
	code := ada.saying(keyHeader, "code")
	code.post(t, pay, paymentWith(byCode)).is(200)
	s.hears(t, letter(s.notice(s.isPaid(t), nil), walletKey)).isTaken()
	code.post(t, pay, paymentWith(byCode)).fails(409, "CONFLICT") // the order is paid
}
