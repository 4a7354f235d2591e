package wechatpay

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

func reportedV2(more ...string) []string {
	return append([]string{
		"out_trade_no", string(number), "transaction_id", "t1", "total_fee", "990", "fee_type", "CNY", "openid", payer,
		"time_end", "20261120200102", "trade_type", "JSAPI", "is_subscribe", "N", "coupon_fee_0", "9",
	}, more...)
}

func notificationV2(text string) payment.Notification {
	return payment.Notification{Body: []byte(text)}
}

func TestPAY10_a_notification(t *testing.T) {
	g := newV2(t, "https://wallet.example")
	want := payment.Receipt{
		TransactionID: "t1", TradeNo: number, App: payment.OfficialAccount, Amount: 990, Currency: "CNY",
		Paid: noon.Add(time.Minute + 2*time.Second),
	}
	for _, way := range []string{"HMAC", "MD5"} {
		n, err := g.Receive(notificationV2(writtenV2(otherSignV2(way, mergedV2(reportedV2())))))
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
		n, err := g.Receive(notificationV2(signedV2(reportedV2(c.field, c.value)...)))
		require.NoError(t, err)
		changed := want
		c.change(&changed)
		assert.Equal(t, payment.Notice{Receipt: &changed}, n, "others judge that")
	}
}

func TestPAY10_notifications_are_counted_by_their_signature(t *testing.T) {
	g := newV2(t, "https://wallet.example")
	for _, way := range []string{"HMAC", "MD5", "MD5"} {
		_, err := g.Receive(notificationV2(writtenV2(otherSignV2(way, mergedV2(reportedV2())))))
		require.NoError(t, err)
	}
	_, err := g.Receive(notificationV2(writtenV2(otherSignV2("MD5", mergedV2(reportedV2("result_code", "FAIL"))))))
	require.ErrorIs(t, err, payment.ErrNothingPaid)
	_, err = g.Receive(notificationV2(writtenV2(mergedV2(reportedV2()))))
	require.ErrorIs(t, err, payment.ErrForged)
	assert.Equal(t, map[string]int64{"HMAC-SHA256": 1, "MD5": 3}, g.Notifications(), "not the forged one")
}

func TestPAY10_a_notification_of_a_failure(t *testing.T) {
	g := newV2(t, "https://wallet.example")
	text := signedV2("result_code", "FAIL", "err_code", "PAYERROR", "out_trade_no", string(number))
	r, err := g.Receive(notificationV2(text))
	require.ErrorIs(t, err, payment.ErrNothingPaid)
	assert.NotErrorIs(t, err, payment.ErrForged)
	assert.Zero(t, r)
}

func FuzzReceive(f *testing.F) {
	g, err := NewV2(configV2("https://wallet.example"))
	if err != nil {
		f.Fatal(err)
	}
	genuine := signedV2(reportedV2()...)
	f.Add([]byte(genuine))
	f.Add([]byte(writtenV2(mergedV2(reportedV2()))))
	for _, text := range []string{
		"", "<xml/>", genuine + genuine, strings.Replace(genuine, "990", "99", 1), strings.Replace(genuine, "<xml>", "<xml><attach>x</attach>", 1), strings.Replace(genuine, "<xml>", "<xml><total_fee>990</total_fee>", 1),
		strings.ToLower(genuine), strings.Replace(genuine, "HMAC-SHA256", "MD5", 1), strings.Replace(genuine, "<sign>", "<sign> ", 1), strings.Replace(genuine, "<xml>", "<xml><empty></empty>", 1), "<?xml version=\"1.0\"?>\n" + genuine,
	} {
		f.Add([]byte(text))
	}
	f.Add([]byte(writtenV2([][2]string{{"return_code", "SUCCESS"}, {"mch_id", merchantV2}, {"req_info", reqInfo}})))
	want, err := g.Receive(notificationV2(genuine))
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
