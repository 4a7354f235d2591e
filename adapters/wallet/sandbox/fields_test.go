package sandbox

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPAY08_a_request_with_wrong_fields_is_refused(t *testing.T) {
	s := start(t, config(newClock()))
	for want, changes := range map[string][]fields{
		"LACK_PARAMS": {{"nonce_str": "-"}, {"body": ""}, {"product_id": "-"}, {"trade_type": "JSAPI"}, {"trade_type": "MWEB"}},
		"PARAM_ERROR": {
			{"extra": "1"}, {"total_fee": "0"}, {"total_fee": "12345678901"}, {"total_fee": "1.0"}, {"fee_type": "USD"},
			{"out_trade_no": "a b c d"}, {"out_trade_no": "short"}, {"trade_type": "MICROPAY"},
			{"notify_url": "http://plaza.example/"}, {"notify_url": "https://plaza.example/?a"},
			{"spbill_create_ip": "here"}, {"time_expire": "2026-01-03"}, {"time_expire": "20260101000000"}, {"scene_info": "[]"},
			{"time_start": "20260104130405"}, {"attach": fmt.Sprintf("%128d", 1)},
		},
		"APPID_NOT_EXIST": {{"appid": "wxelse"}},
	} {
		for _, change := range changes {
			assert.Equal(t, want, ask(t, s, UnifiedOrder, with(order("order-1"), change))["err_code"], change)
		}
	}
	assert.Empty(t, s.Ledger())
	assert.Equal(t, "LACK_PARAMS", ask(t, s, OrderQuery, with(about(""), fields{"out_trade_no": "-"}))["err_code"])
}

func TestPAY08_v3_a_request_with_wrong_fields_is_refused(t *testing.T) {
	s, _ := startV3(t)
	refused := func(method, uri, body string) {
		t.Helper()
		status, reply := askV3(t, s, method, uri, body)
		assert.Equal(t, http.StatusBadRequest, status, body)
		assert.Equal(t, "PARAM_ERROR", reply["code"], body)
	}
	const prepay = "/v3/pay/transactions/"
	scene := object{"payer_client_ip": "127.0.0.1", "h5_info": object{"type": "Wap"}}
	for _, change := range []object{
		{"extra": "1"}, {"Attach": "a"}, {"attach": object{}}, {"attach": []string{"a"}}, {"attach": nil, "amount/total": 990},
		{"description": nil}, {"description": ""}, {"description": 1}, {"out_trade_no": "short"},
		{"amount": nil}, {"amount": 990}, {"amount": object{}}, {"amount": object{"total": "990"}},
		{"amount": object{"total": 0}}, {"amount": object{"total": 9.5}}, {"amount": object{"total": 10_000_000_000}},
		{"amount": object{"total": 990, "currency": "USD"}}, {"amount": object{"total": 990, "extra": "1"}},
		{"notify_url": "http://plaza.example/"}, {"time_expire": "2026-01-03T13:04:05Z"}, {"payer": object{"openid": "o1"}},
		{"scene_info": scene},
	} {
		refused(http.MethodPost, prepay+"native", orderV3("order-1", change))
	}
	refused(http.MethodPost, prepay+"jsapi", orderV3("order-1", nil))
	refused(http.MethodPost, prepay+"h5", orderV3("order-1", nil))
	for _, wrong := range []object{
		{"h5_info": object{"type": "Wap"}}, {"payer_client_ip": "here", "h5_info": object{"type": "Wap"}},
		{"payer_client_ip": "127.0.0.1", "h5_info": object{"type": "else"}},
	} {
		refused(http.MethodPost, prepay+"h5", orderV3("order-1", object{"scene_info": wrong}))
	}
	refused(http.MethodPost, prepay+"native?mchid=10000100", orderV3("order-1", nil))
	for _, body := range []string{"[]", "{", "{}", `{"mchid":"10000100","mchid":"10000100"}`, `{"mchid":"10000100"}{}`, `{"mchid":null}`} {
		refused(http.MethodPost, aboutV3+"order-1/close", body)
	}
	for _, query := range []string{
		"", "?mchid=", "?mchid=10000100&mchid=10000100", "?mchid=10000100&extra=1", "?mchid=10000100&out_trade_no=order-1",
	} {
		refused(http.MethodGet, aboutV3+"order-1"+query, "")
	}
	assert.Empty(t, s.Ledger())
	status, reply := askV3(t, s, http.MethodPost, prepay+"h5", orderV3("order-1", object{"scene_info": scene}))
	assert.Equal(t, http.StatusOK, status, reply)
}
