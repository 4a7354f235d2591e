package sandbox

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPAY02_an_order_gets_what_its_way_of_paying_needs(t *testing.T) {
	s := start(t, config(newClock()))
	for kind, change := range map[string]fields{
		"NATIVE": {}, "APP": {"product_id": "-"}, "JSAPI": {"product_id": "-", "openid": "o1"},
		"MWEB": {"product_id": "-", "scene_info": `{"h5_info":{}}`},
	} {
		no := "order-|*_" + kind
		reply := ask(t, s, UnifiedOrder, with(with(order(no), fields{"trade_type": kind}), change))
		require.Equal(t, "SUCCESS", reply["result_code"], reply["err_code_des"])
		assert.Equal(t, kind, reply["trade_type"])
		assert.True(t, strings.HasPrefix(reply["prepay_id"], "wx20260102110405"), reply["prepay_id"])
		assert.Equal(t, kind == "NATIVE", reply["code_url"] != "")
		assert.Equal(t, kind == "MWEB", reply["mweb_url"] != "")
		if link := reply["code_url"] + reply["mweb_url"]; link != "" {
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, link, nil))
			assert.Contains(t, w.Body.String(), no)
		}
	}
}

func TestPAY08_a_request_that_is_not_the_merchants_is_refused_unsigned(t *testing.T) {
	s := start(t, config(newClock()))
	good := signedAs(order("order-1"))
	for name, c := range map[string]struct {
		body []byte
		want string
	}{
		"no XML":             {[]byte("{}"), "XML_FORMAT_ERROR"},
		"nothing":            {nil, "XML_FORMAT_ERROR"},
		"too much":           {append(render(good), bytes.Repeat([]byte(" "), maxBody)...), "POST_DATA_EMPTY"},
		"no merchant":        {render(with(good, fields{"mch_id": "-"})), "LACK_PARAMS"},
		"another merchant":   {render(with(good, fields{"mch_id": "1"})), "MCHID_NOT_EXIST"},
		"no signature":       {render(with(good, fields{"sign": "-"})), "SIGNERROR"},
		"another amount":     {render(with(good, fields{"total_fee": "1"})), "SIGNERROR"},
		"another field":      {render(with(good, fields{"attach": "x"})), "SIGNERROR"},
		"the other way":      {render(with(good, fields{"sign_type": "-"})), "SIGNERROR"},
		"no known way":       {render(with(good, fields{"sign_type": "RSA"})), "SIGNERROR"},
		"a signature in a…z": {render(with(good, fields{"sign": strings.ToLower(good["sign"])})), "SIGNERROR"},
	} {
		w := post(s, "/pay/unifiedorder", c.body)
		reply, err := parse(w.Body.Bytes())
		require.NoError(t, err, name)
		assert.Equal(t, "FAIL", reply["return_code"], name)
		assert.True(t, strings.HasPrefix(reply["return_msg"], c.want), "%s: %s", name, reply["return_msg"])
		assert.Len(t, reply, 2, name)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/pay/unifiedorder", nil))
	assert.Contains(t, w.Body.String(), "REQUIRE_POST_METHOD")
	assert.Empty(t, s.Ledger())
	for _, how := range []string{hmacSign, md5Sign, "-"} {
		reply := ask(t, s, UnifiedOrder, with(order("order"+how), fields{"sign_type": how}))
		assert.Equal(t, "SUCCESS", reply["result_code"], how)
	}
}

func TestPAY08_an_order_is_checked(t *testing.T) {
	s := start(t, config(newClock()))
	for _, c := range []struct {
		change fields
		want   string
	}{
		{fields{"appid": "-"}, "LACK_PARAMS"}, {fields{"appid": "wxno"}, "APPID_NOT_EXIST"},
		{fields{"nonce_str": "-"}, "LACK_PARAMS"}, {fields{"nonce_str": strings.Repeat("n", 33)}, "PARAM_ERROR"},
		{fields{"body": ""}, "LACK_PARAMS"}, {fields{"body": strings.Repeat("茶", 43)}, "PARAM_ERROR"},
		{fields{"out_trade_no": "-"}, "LACK_PARAMS"}, {fields{"out_trade_no": "five5"}, "PARAM_ERROR"},
		{fields{"out_trade_no": strings.Repeat("a", 33)}, "PARAM_ERROR"}, {fields{"out_trade_no": "order 1"}, "PARAM_ERROR"},
		{fields{"out_trade_no": "orderé"}, "PARAM_ERROR"},
		{fields{"total_fee": "-"}, "LACK_PARAMS"}, {fields{"total_fee": "9.90"}, "PARAM_ERROR"},
		{fields{"total_fee": "0"}, "PARAM_ERROR"}, {fields{"total_fee": "-1"}, "PARAM_ERROR"},
		{fields{"total_fee": "+1"}, "PARAM_ERROR"}, {fields{"total_fee": "12345678901"}, "PARAM_ERROR"},
		{fields{"fee_type": "EUR"}, "PARAM_ERROR"},
		{fields{"spbill_create_ip": "-"}, "LACK_PARAMS"}, {fields{"spbill_create_ip": "here"}, "PARAM_ERROR"},
		{fields{"notify_url": "-"}, "LACK_PARAMS"}, {fields{"notify_url": "https://plaza.example/?a=1"}, "PARAM_ERROR"},
		{fields{"notify_url": "https://plaza.example/?"}, "PARAM_ERROR"}, {fields{"notify_url": "http://plaza.example/"}, "PARAM_ERROR"},
		{fields{"notify_url": "/notify/"}, "PARAM_ERROR"}, {fields{"notify_url": "https://a/" + strings.Repeat("a", 250)}, "PARAM_ERROR"},
		{fields{"trade_type": "-"}, "LACK_PARAMS"}, {fields{"trade_type": "H5"}, "PARAM_ERROR"},
		{fields{"trade_type": "JSAPI"}, "LACK_PARAMS"}, {fields{"product_id": "-"}, "LACK_PARAMS"},
		{fields{"trade_type": "MWEB"}, "LACK_PARAMS"}, {fields{"trade_type": "MWEB", "scene_info": "x"}, "PARAM_ERROR"},
		{fields{"trade_type": "JSAPI", "openid": strings.Repeat("o", 129)}, "PARAM_ERROR"},
		{fields{"time_expire": "2026-01-02"}, "PARAM_ERROR"}, {fields{"time_expire": "20260102110405"}, "PARAM_ERROR"},
		{fields{"time_expire": "20261302110405"}, "PARAM_ERROR"}, {fields{"time_start": "20260103130405"}, "PARAM_ERROR"},
		{fields{"no_such_field": "1"}, "PARAM_ERROR"},
	} {
		reply := ask(t, s, UnifiedOrder, with(order("order-1"), c.change))
		assert.Equal(t, c.want, reply["err_code"], c.change)
		assert.Empty(t, reply["prepay_id"])
	}
	assert.Empty(t, s.Ledger())
	for _, local := range []string{"http://127.0.0.1:8080/n/", "http://[::1]:8080/n/", "http://localhost/n/"} {
		assert.True(t, isNotifyURL(local))
	}
}

func TestPAY09_the_same_order_again_is_the_same_prepayment(t *testing.T) {
	c := newClock()
	s := start(t, config(c))
	first := ask(t, s, UnifiedOrder, order("order-1"))
	c.add(prepayLife - time.Second)
	again := ask(t, s, UnifiedOrder, with(order("order-1"), fields{"nonce_str": "another"}))
	assert.Equal(t, first["prepay_id"], again["prepay_id"])
	c.add(prepayLife)
	later := ask(t, s, UnifiedOrder, order("order-1"))
	assert.Equal(t, "SUCCESS", later["result_code"])
	assert.NotEqual(t, first["prepay_id"], later["prepay_id"])
	require.Len(t, s.Ledger(), 1)
	assert.Equal(t, 3, s.Ledger()[0].Requests)

	for _, change := range []fields{{"total_fee": "991"}, {"body": "Coffee"}, {"attach": "x"}, {"time_expire": "20260102140405"}} {
		assert.Equal(t, "INVALID_REQUEST", ask(t, s, UnifiedOrder, with(order("order-1"), change))["err_code"])
	}
	for _, change := range []fields{{"trade_type": "APP"}, {"appid": "wxother"}} {
		assert.Equal(t, "OUT_TRADE_NO_USED", ask(t, s, UnifiedOrder, with(order("order-1"), change))["err_code"])
	}
	assert.Equal(t, int64(990), s.Ledger()[0].Amount)
	c.add(30 * time.Hour)
	assert.Equal(t, "PARAM_ERROR", ask(t, s, UnifiedOrder, order("order-1"))["err_code"], "its time_expire has passed")
}

func TestPAY09_lifetimes_end_and_are_scaled(t *testing.T) {
	web := fields{"trade_type": "MWEB", "scene_info": "{}", "time_expire": "-"}
	for name, c := range map[string]struct {
		change fields
		scale  int
		life   time.Duration
	}{
		"a code":            {fields{"time_expire": "-"}, 1, 2 * time.Hour},
		"a code, scaled":    {fields{"time_expire": "-"}, 60, 2 * time.Minute},
		"a page":            {web, 0, 5 * time.Minute},
		"a page, scaled":    {web, 60, 5 * time.Second},
		"an order's end":    {fields{"time_expire": "20260102110505"}, 1, time.Minute},
		"it is not scaled":  {fields{"time_expire": "20260102110505"}, 60, time.Minute},
		"but ends no later": {fields{"time_expire": "20260102150405"}, 60, 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			clk := newClock()
			cfg := config(clk)
			cfg.Scale = c.scale
			s := start(t, cfg)
			for _, no := range []string{"order-1", "order-2"} {
				require.Equal(t, "SUCCESS", ask(t, s, UnifiedOrder, with(order(no), c.change))["result_code"])
			}
			clk.add(c.life - 1)
			_, err := s.Pay("order-1", PaymentOptions{})
			require.NoError(t, err)
			clk.add(1)
			_, err = s.Pay("order-2", PaymentOptions{})
			require.ErrorIs(t, err, ErrExpired)
			assert.Equal(t, "NOTPAY", ask(t, s, OrderQuery, about("order-2"))["trade_state"])
		})
	}
}

func TestPAY09_closing(t *testing.T) {
	clk := newClock()
	s := start(t, config(clk))
	assert.Equal(t, "ORDERNOTEXIST", ask(t, s, CloseOrder, about("order-1"))["err_code"])
	assert.Equal(t, "LACK_PARAMS", ask(t, s, CloseOrder, about(""))["err_code"])
	placed(t, s, "order-1")
	paid(t, s, "order-2")
	assert.Equal(t, "APPID_MCHID_NOT_MATCH", ask(t, s, CloseOrder, with(about("order-1"), fields{"appid": "wxother"}))["err_code"])
	assert.Equal(t, "ORDERPAID", ask(t, s, CloseOrder, about("order-2"))["err_code"])
	clk.add(closeAge - 1)
	assert.Equal(t, "ORDER_NOT_YET", ask(t, s, CloseOrder, about("order-1"))["err_code"])
	clk.add(1)
	assert.Equal(t, "SUCCESS", ask(t, s, CloseOrder, about("order-1"))["result_code"])
	assert.Equal(t, "ORDERCLOSED", ask(t, s, CloseOrder, about("order-1"))["err_code"])
	assert.Equal(t, "ORDERCLOSED", ask(t, s, UnifiedOrder, order("order-1"))["err_code"])
	assert.Equal(t, "ORDERPAID", ask(t, s, UnifiedOrder, order("order-2"))["err_code"])
	_, err := s.Pay("order-1", PaymentOptions{})
	assert.ErrorIs(t, err, ErrClosed)
	assert.Equal(t, "CLOSED", ask(t, s, OrderQuery, about("order-1"))["trade_state"])
}

func TestPAY11_asking(t *testing.T) {
	s := start(t, config(newClock()))
	assert.Equal(t, "ORDERNOTEXIST", ask(t, s, OrderQuery, about("order-1"))["err_code"])
	assert.Equal(t, "LACK_PARAMS", ask(t, s, OrderQuery, with(about(""), fields{"out_trade_no": "-"}))["err_code"])
	placed(t, s, "order-1")
	assert.Equal(t, "NOTPAY", ask(t, s, OrderQuery, about("order-1"))["trade_state"])
	got, err := s.Pay("order-1", PaymentOptions{OpenID: "o1", Coupon: 90})
	require.NoError(t, err)
	assert.Len(t, got.TransactionID, 28)
	for _, question := range []fields{
		about("order-1"), with(about("-"), fields{"out_trade_no": "-", "transaction_id": got.TransactionID}),
	} {
		reply := ask(t, s, OrderQuery, question)
		for name, want := range map[string]string{
			"trade_state": "SUCCESS", "out_trade_no": "order-1", "transaction_id": got.TransactionID, "total_fee": "990",
			"cash_fee": "900", "coupon_fee_0": "90", "openid": "o1", "fee_type": "CNY", "time_end": "20260102110405",
		} {
			assert.Equal(t, want, reply[name], name)
		}
	}
}

func TestPAY09_an_order_is_paid_once_however_many_try(t *testing.T) {
	s := start(t, config(newClock()))
	placed(t, s, "order-1")
	var all sync.WaitGroup
	var times atomic.Int32
	for range 50 {
		all.Go(func() {
			if _, err := s.Pay("order-1", PaymentOptions{}); err == nil {
				times.Add(1)
			} else {
				assert.ErrorIs(t, err, ErrPaid)
			}
		})
	}
	all.Wait()
	assert.Equal(t, int32(1), times.Load())
	_, err := s.Pay("order-2", PaymentOptions{})
	assert.ErrorIs(t, err, ErrUnknown)
	placed(t, s, "order-3")
	_, err = s.Pay("order-3", PaymentOptions{Coupon: 991})
	assert.Error(t, err)
}
