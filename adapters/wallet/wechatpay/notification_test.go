package wechatpay

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

func TestPAY10_a_notification(t *testing.T) {
	type change struct {
		field  string
		value  any
		change func(*payment.Receipt)
	}
	own := map[string][]change{
		"v2": {
			{"fee_type", "USD", func(r *payment.Receipt) { r.Currency = "USD" }},
			{"fee_type", nil, func(*payment.Receipt) {}},
			{"total_fee", "1", func(r *payment.Receipt) { r.Amount = 1 }},
		},
		"v3": {
			{"amount", map[string]any{"total": 1, "payer_total": 990, "currency": "CNY"}, func(r *payment.Receipt) { r.Amount = 1 }},
			{"amount", map[string]any{"total": 990, "currency": "USD"}, func(r *payment.Receipt) { r.Currency = "USD" }},
			{"amount", map[string]any{"total": 990}, func(*payment.Receipt) {}},
			{"trade_state", "REFUND", func(r *payment.Receipt) { r.Refunded = true }},
			{"unknown", map[string]any{"new": true}, func(*payment.Receipt) {}},
		},
	}
	forVersions(t, func(t *testing.T, v version) {
		g := v.wallet(t)
		for range 2 { // the ledger knows what came before
			n, err := g.Receive(v.notified())
			require.NoError(t, err)
			want := paidReceipt()
			assert.Equal(t, payment.Notice{Receipt: &want}, n)
			assert.Equal(t, time.UTC, n.Receipt.Paid.Location())
		}
		for _, c := range append(own[v.name],
			change{"appid", service, func(r *payment.Receipt) { r.App = payment.SvcIOSApp }},
			change{"appid", "wx0000000000000000", func(r *payment.Receipt) { r.App = "" }},
			change{"out_trade_no", "z", func(r *payment.Receipt) { r.TradeNo = "z" }},
		) {
			n, err := g.Receive(v.notified(c.field, c.value))
			require.NoError(t, err)
			want := paidReceipt()
			c.change(&want)
			assert.Equal(t, payment.Notice{Receipt: &want}, n, "others judge that")
		}
	})
}

func TestPAY10_notifications_are_counted_by_their_signature(t *testing.T) {
	v2 := openV2(t, "https://wallet.example")
	for _, way := range []string{"HMAC", "MD5", "MD5"} {
		n, err := v2.Receive(notificationV2(writtenV2(otherSignV2(way, mergedV2(paidV2)))))
		require.NoError(t, err)
		assert.Equal(t, paidReceipt(), *n.Receipt, way)
	}
	_, err := v2.Receive(notificationV2(writtenV2(otherSignV2("MD5", mergedV2(changed(paidV2, "result_code", "FAIL"))))))
	require.ErrorIs(t, err, payment.ErrNothingPaid)
	_, err = v2.Receive(notificationV2(writtenV2(mergedV2(paidV2))))
	require.ErrorIs(t, err, payment.ErrForged)
	assert.Equal(t, map[string]int64{"HMAC-SHA256": 1, "MD5": 3}, v2.Notifications(), "not the forged one")

	v3 := newWalletV3(t)
	for range 2 {
		_, err := v3.Receive(notifiedV3(paidEventV3()))
		require.NoError(t, err)
	}
	c, body := firstCertificate(), paidEventV3()
	_, err = v3.Receive(payment.Notification{Header: signedHeader(c.key, c.serial, noon, body), Body: []byte(body)})
	require.NoError(t, err)
	_, err = v3.Receive(payment.Notification{Body: []byte(body)})
	require.ErrorIs(t, err, payment.ErrForged)
	assert.Equal(t, map[string]int64{"RSA-certificate": 1, "RSA-public-key": 2}, v3.Notifications())
}

// What the wallet reports and needs no action is acknowledged, or it would come again for a day.
func TestPAY10_notifications_of_no_payment(t *testing.T) {
	of := map[string][]payment.Notification{
		"v2": {notificationV2(signedV2("result_code", "FAIL", "err_code", "PAYERROR", "out_trade_no", string(number)))},
		"v3": {
			notifiedV3(paidEventV3("trade_state", "PAYERROR")), notifiedV3(paidEventV3("trade_state", nil)),
			notifiedV3(eventV3("TRANSACTION.CLOSED", sealed(keyV3, fieldsV3(paidV3), "transaction"))),
			notifiedV3(eventV3("COUPON.USE", sealed(keyV3, "{}", ""))), notifiedV3(`{}`),
		},
	}
	forVersions(t, func(t *testing.T, v version) {
		for _, n := range of[v.name] {
			notice, err := v.wallet(t).Receive(n)
			require.ErrorIs(t, err, payment.ErrNothingPaid)
			assert.NotErrorIs(t, err, payment.ErrForged)
			assert.Zero(t, notice)
		}
	})
}
