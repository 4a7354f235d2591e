package wechatpay

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

func reported(more ...string) []string {
	return append([]string{
		"out_trade_no", string(number), "transaction_id", "t1", "total_fee", "990", "fee_type", "CNY", "openid", payer,
		"time_end", "20261120200102", "trade_type", "JSAPI", "is_subscribe", "N", "coupon_fee_0", "9",
	}, more...)
}

func notification(text string) payment.Notification { return payment.Notification{Body: []byte(text)} }

func TestPAY10_a_notification(t *testing.T) {
	g := newGateway(t, "https://wallet.example")
	want := payment.Receipt{
		TransactionID: "t1", TradeNo: number, App: payment.OfficialAccount, Amount: 990, Currency: "CNY",
		Paid: noon.Add(time.Minute + 2*time.Second),
	}
	for _, way := range []string{"HMAC", "MD5"} {
		n, err := g.Receive(notification(written(otherSign(way, merged(reported())))))
		require.NoError(t, err, way)
		assert.Equal(t, payment.Notice{Receipt: &want}, n)
		assert.Equal(t, time.UTC, n.Receipt.Paid.Location())
	}
	for _, c := range []struct {
		field, value string
		change       func(*payment.Receipt)
	}{
		{"appid", service, func(r *payment.Receipt) { r.App = payment.SvcIOSApp }},
		{"appid", "wx0000000000000000", func(r *payment.Receipt) { r.App = "" }},
		{"fee_type", "USD", func(r *payment.Receipt) { r.Currency = "USD" }},
		{"fee_type", "", func(*payment.Receipt) {}},
		{"total_fee", "1", func(r *payment.Receipt) { r.Amount = 1 }},
		{"out_trade_no", "z", func(r *payment.Receipt) { r.TradeNo = "z" }},
	} {
		n, err := g.Receive(notification(signed(reported(c.field, c.value)...)))
		require.NoError(t, err)
		changed := want
		c.change(&changed)
		assert.Equal(t, payment.Notice{Receipt: &changed}, n, "others judge that")
	}
}

func TestPAY10_notifications_are_counted_by_their_signature(t *testing.T) {
	g := newGateway(t, "https://wallet.example")
	for _, way := range []string{"HMAC", "MD5", "MD5"} {
		_, err := g.Receive(notification(written(otherSign(way, merged(reported())))))
		require.NoError(t, err)
	}
	_, err := g.Receive(notification(written(otherSign("MD5", merged(reported("result_code", "FAIL"))))))
	require.ErrorIs(t, err, payment.ErrNothingPaid)
	_, err = g.Receive(notification(written(merged(reported()))))
	require.ErrorIs(t, err, payment.ErrForged)
	assert.Equal(t, map[string]int64{"HMAC-SHA256": 1, "MD5": 3}, g.Notifications(), "not the forged one")
}

func TestPAY10_a_notification_of_a_failure(t *testing.T) {
	g := newGateway(t, "https://wallet.example")
	text := signed("result_code", "FAIL", "err_code", "PAYERROR", "out_trade_no", string(number))
	r, err := g.Receive(notification(text))
	require.ErrorIs(t, err, payment.ErrNothingPaid)
	assert.NotErrorIs(t, err, payment.ErrForged)
	assert.Zero(t, r)
}

func FuzzReceive(f *testing.F) {
	g, err := New(testConfig("https://wallet.example"))
	if err != nil {
		f.Fatal(err)
	}
	genuine := signed(reported()...)
	f.Add([]byte(genuine))
	f.Add([]byte(written(merged(reported()))))
	for _, text := range []string{
		"", "<xml/>", genuine + genuine, strings.Replace(genuine, "990", "99", 1), strings.Replace(genuine, "<xml>", "<xml><attach>x</attach>", 1), strings.Replace(genuine, "<xml>", "<xml><total_fee>990</total_fee>", 1),
		strings.ToLower(genuine), strings.Replace(genuine, "HMAC-SHA256", "MD5", 1), strings.Replace(genuine, "<sign>", "<sign> ", 1), strings.Replace(genuine, "<xml>", "<xml><empty></empty>", 1), "<?xml version=\"1.0\"?>\n" + genuine,
	} {
		f.Add([]byte(text))
	}
	f.Add([]byte(written([][2]string{{"return_code", "SUCCESS"}, {"mch_id", merchant}, {"req_info", reqInfo}})))
	want, err := g.Receive(notification(genuine))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		// Without the key, only the genuine notification can be accepted.
		if n, err := g.Receive(payment.Notification{Body: text}); err == nil && n.Receipt != nil && *n.Receipt != *want.Receipt {
			t.Fatalf("%q gives %v", text, *n.Receipt)
		}
	})
}
