package sandbox

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPAY02_v3_an_order_gets_what_its_way_of_paying_needs(t *testing.T) {
	s, _ := startV3(t)
	scene := object{"payer_client_ip": "127.0.0.1", "h5_info": object{"type": "Wap"}}
	for kind, c := range map[string]struct {
		tradeType, field string
		change           object
	}{
		"native": {"NATIVE", "code_url", nil},
		"jsapi":  {"JSAPI", "prepay_id", object{"payer": object{"openid": "o1"}}},
		"app":    {"APP", "prepay_id", nil},
		"h5":     {"MWEB", "h5_url", object{"scene_info": scene}},
	} {
		no := "order-|*_" + kind
		status, reply := askV3(t, s, http.MethodPost, "/v3/pay/transactions/"+kind, orderV3(no, c.change))
		require.Equal(t, http.StatusOK, status, reply)
		require.Len(t, reply, 1, "nothing but what pays")
		text := reply[c.field].(string)
		if c.field == "prepay_id" {
			assert.True(t, strings.HasPrefix(text, "wx20260102110405"), text)
		} else {
			assert.Contains(t, call(s, http.MethodGet, text, "").Body.String(), no)
		}
		trade := s.trades[no]
		assert.Equal(t, V3, trade.Protocol)
		assert.Equal(t, c.tradeType, trade.TradeType)
		assert.Equal(t, time.Date(2026, 1, 3, 5, 4, 5, 0, time.UTC), trade.Expires)
	}
	assert.Equal(t, "o1", s.trades["order-|*_jsapi"].OpenID)
}

func TestPAY08_v3_an_order_is_checked(t *testing.T) {
	s, _ := startV3(t)
	for _, c := range []struct {
		kind, body, want string
	}{
		{"native", orderV3("order-1", object{"appid": nil}), "PARAM_ERROR"},
		{"native", orderV3("order-1", object{"appid": "wxno"}), "APPID_MCHID_NOT_MATCH"},
		{"native", orderV3("order-1", object{"mchid": "1"}), "MCH_NOT_EXISTS"},
		{"native", orderV3("order-1", object{"description": ""}), "PARAM_ERROR"},
		{"native", orderV3("order-1", object{"description": strings.Repeat("茶", 43)}), "PARAM_ERROR"},
		{"native", orderV3("five5", nil), "PARAM_ERROR"},
		{"native", orderV3(strings.Repeat("a", 33), nil), "PARAM_ERROR"},
		{"native", orderV3("order 1", nil), "PARAM_ERROR"},
		{"native", orderV3("order-1", object{"notify_url": "https://plaza.example/?a=1"}), "PARAM_ERROR"},
		{"native", orderV3("order-1", object{"notify_url": "http://plaza.example/"}), "PARAM_ERROR"},
		{"native", orderV3("order-1", object{"time_expire": "20260103130405"}), "PARAM_ERROR"},
		{"native", orderV3("order-1", object{"time_expire": "2026-01-03T05:04:05Z"}), "PARAM_ERROR"},
		{"native", orderV3("order-1", object{"time_expire": "2026-01-03T13:04:05.5+08:00"}), "PARAM_ERROR"},
		{"native", orderV3("order-1", object{"time_expire": "2026-01-02T11:04:05+08:00"}), "PARAM_ERROR"},
		{"native", orderV3("order-1", object{"amount": nil}), "PARAM_ERROR"},
		{"native", orderV3("order-1", object{"amount": 990}), "PARAM_ERROR"},
		{"native", orderV3("order-1", object{"amount": object{}}), "PARAM_ERROR"},
		{"native", orderV3("order-1", object{"amount": object{"total": "990"}}), "PARAM_ERROR"},
		{"native", orderV3("order-1", object{"amount": object{"total": 9.9}}), "PARAM_ERROR"},
		{"native", orderV3("order-1", object{"amount": object{"total": 0}}), "PARAM_ERROR"},
		{"native", orderV3("order-1", object{"amount": object{"total": int64(maxAmount) + 1}}), "PARAM_ERROR"},
		{"native", orderV3("order-1", object{"amount": object{"total": 990, "currency": "EUR"}}), "PARAM_ERROR"},
		{"native", orderV3("order-1", object{"amount": object{"total": 990, "sum": 1}}), "PARAM_ERROR"},
		{"native", orderV3("order-1", object{"payer": object{"openid": "o1"}}), "PARAM_ERROR"},
		{"native", orderV3("order-1", object{"AppID": "wxd930ea5d5a258f4f"}), "PARAM_ERROR"},
		{"native", orderV3("order-1", object{"spbill_create_ip": "127.0.0.1"}), "PARAM_ERROR"},
		{"native", strings.Replace(orderV3("order-1", nil), `"total":990`, `"total":9.9e2`, 1), "PARAM_ERROR"},
		{"native", strings.Replace(orderV3("order-1", nil), `"total":990`, `"total":990,"total":1`, 1), "PARAM_ERROR"},
		{"native", strings.Replace(orderV3("order-1", nil), "{", `{"appid":"wxd930ea5d5a258f4f",`, 1), "PARAM_ERROR"},
		{"native", orderV3("order-1", nil) + "{}", "PARAM_ERROR"},
		{"native", "[]", "PARAM_ERROR"}, {"native", "{", "PARAM_ERROR"}, {"native", strings.Repeat(`{"a":`, 20), "PARAM_ERROR"},
		{"jsapi", orderV3("order-1", nil), "PARAM_ERROR"},
		{"jsapi", orderV3("order-1", object{"payer": object{"openid": ""}}), "PARAM_ERROR"},
		{"h5", orderV3("order-1", nil), "PARAM_ERROR"},
		{"h5", orderV3("order-1", object{"scene_info": object{"payer_client_ip": "127.0.0.1"}}), "PARAM_ERROR"},
		{"h5", orderV3("order-1", object{"scene_info": object{"payer_client_ip": "here", "h5_info": object{"type": "Wap"}}}), "PARAM_ERROR"},
		{"h5", orderV3("order-1", object{"scene_info": object{"payer_client_ip": "::1", "h5_info": object{"type": "Wasp"}}}), "PARAM_ERROR"},
		{"native?x=1", orderV3("order-1", nil), "PARAM_ERROR"},
	} {
		status, reply := askV3(t, s, http.MethodPost, "/v3/pay/transactions/"+c.kind, c.body)
		assert.Equal(t, http.StatusBadRequest, status, c.body)
		assert.Equal(t, c.want, reply["code"], "%s: %s", c.body, reply["message"])
	}
	assert.Empty(t, s.Ledger())
}

func TestPAY09_v3_the_same_order_again_is_the_same_prepayment(t *testing.T) {
	s, clk := startV3(t)
	app := func(change object) (int, object) {
		return askV3(t, s, http.MethodPost, "/v3/pay/transactions/app", orderV3("order-1", change))
	}
	_, first := app(nil)
	clk.add(prepayLife - time.Second)
	_, again := app(nil)
	assert.Equal(t, first, again)
	clk.add(prepayLife)
	_, later := app(nil)
	assert.NotEqual(t, first, later)
	assert.Equal(t, 3, s.Ledger()[0].Requests)
	for _, change := range []object{{"description": "Coffee"}, {"amount": object{"total": 991}}, {"attach": "x"}} {
		status, reply := app(change)
		assert.Equal(t, http.StatusBadRequest, status)
		assert.Equal(t, "INVALID_REQUEST", reply["code"])
	}
	status, reply := askV3(t, s, http.MethodPost, "/v3/pay/transactions/native", orderV3("order-1", nil))
	assert.Equal(t, http.StatusForbidden, status)
	assert.Equal(t, "OUT_TRADE_NO_USED", reply["code"])
	status, reply = app(object{"appid": "wxother"})
	assert.Equal(t, http.StatusForbidden, status, reply)
	placed(t, s, "order-2")
	status, _ = askV3(t, s, http.MethodPost, "/v3/pay/transactions/native", orderV3("order-2", nil))
	assert.Equal(t, http.StatusForbidden, status, "version 2 has ordered it")
	assert.Equal(t, "OUT_TRADE_NO_USED", ask(t, s, UnifiedOrder, with(order("order-1"), fields{"trade_type": "APP"}))["err_code"])
	clk.add(30 * time.Hour)
	_, reply = app(nil)
	assert.Equal(t, "PARAM_ERROR", reply["code"], "its time_expire has passed")
}

func TestPAY11_v3_asking(t *testing.T) {
	s, _ := startV3(t)
	status, reply := askV3(t, s, http.MethodGet, aboutV3+"order-1?mchid=10000100", "")
	assert.Equal(t, http.StatusNotFound, status)
	assert.Equal(t, "ORDER_NOT_EXIST", reply["code"])
	placedV3(t, s, "order-1")
	status, reply = askV3(t, s, http.MethodGet, aboutV3+"order-1?mchid=10000100", "")
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, object{
		"appid": "wxd930ea5d5a258f4f", "mchid": "10000100", "out_trade_no": "order-1", "attach": "", "trade_state": "NOTPAY", "trade_state_desc": "not paid",
	}, reply)
	paid, err := s.Pay("order-1", PaymentOptions{OpenID: "o1", Coupon: 90})
	require.NoError(t, err)
	for _, uri := range []string{aboutV3 + "order-1?mchid=10000100", "/v3/pay/transactions/id/" + paid.TransactionID + "?mchid=10000100"} {
		_, reply = askV3(t, s, http.MethodGet, uri, "")
		assert.Equal(t, "SUCCESS", reply["trade_state"])
		assert.Equal(t, paid.TransactionID, reply["transaction_id"])
		assert.Equal(t, "NATIVE", reply["trade_type"])
		assert.Equal(t, "2026-01-02T11:04:05+08:00", reply["success_time"])
		assert.Equal(t, map[string]any{"openid": "o1"}, reply["payer"])
		assert.Equal(t, map[string]any{"total": 990.0, "payer_total": 900.0, "currency": "CNY", "payer_currency": "CNY"}, reply["amount"])
	}
	for uri, want := range map[string]string{
		aboutV3 + "order-1": "PARAM_ERROR", aboutV3 + "order-1?mchid=1": "MCH_NOT_EXISTS", aboutV3 + "order-1?mchid=10000100&x=1": "PARAM_ERROR",
		aboutV3 + "order-1?mchid=10000100&mchid=10000100": "PARAM_ERROR", "/v3/pay/transactions/id/4200?mchid=10000100": "ORDER_NOT_EXIST",
	} {
		_, reply = askV3(t, s, http.MethodGet, uri, "")
		assert.Equal(t, want, reply["code"], uri)
	}
	assert.Equal(t, "SUCCESS", ask(t, s, OrderQuery, about("order-1"))["trade_state"], "both versions have one ledger")
}

func TestPAY09_v3_closing(t *testing.T) {
	s, _ := startV3(t)
	shut := func(no, body string) (int, object) {
		return askV3(t, s, http.MethodPost, aboutV3+no+"/close", body)
	}
	const merchant = `{"mchid":"10000100"}`
	status, _ := shut("order-1", merchant)
	assert.Equal(t, http.StatusNotFound, status)
	placedV3(t, s, "order-1")
	for _, body := range []string{`{}`, `{"mchid":"1"}`, `{"mchid":10000100}`, `{"mchid":"10000100","x":1}`, "x"} {
		status, _ = shut("order-1", body)
		assert.Equal(t, http.StatusBadRequest, status, body)
	}
	assert.Equal(t, NotPaid, s.Ledger()[0].State)
	status, _ = shut("order-1", merchant)
	assert.Equal(t, http.StatusNoContent, status)
	status, reply := shut("order-1", merchant)
	assert.Equal(t, http.StatusBadRequest, status)
	assert.Equal(t, "ORDER_CLOSED", reply["code"])
	_, reply = askV3(t, s, http.MethodPost, "/v3/pay/transactions/native", orderV3("order-1", nil))
	assert.Equal(t, "ORDER_CLOSED", reply["code"])
	paidV3(t, s, "order-2")
	_, reply = shut("order-2", merchant)
	assert.Equal(t, "ORDERPAID", reply["code"])
	_, reply = askV3(t, s, http.MethodPost, "/v3/pay/transactions/native", orderV3("order-2", nil))
	assert.Equal(t, "ORDERPAID", reply["code"])
	_, reply = askV3(t, s, http.MethodGet, aboutV3+"order-1?mchid=10000100", "")
	assert.Equal(t, "CLOSED", reply["trade_state"])
}
