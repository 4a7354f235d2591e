package wechatpay

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

func TestPAY10_a_notification_v3(t *testing.T) {
	g := newV3(t, "https://wallet.example")
	n := notifiedV3(t, paidEventV3(t))
	for range 2 { // the ledger knows what came before
		notice, err := g.Receive(n)
		require.NoError(t, err)
		receipt := paidReceiptV3()
		assert.Equal(t, payment.Notice{Receipt: &receipt}, notice)
		assert.Equal(t, time.UTC, notice.Receipt.Paid.Location())
	}
	for _, c := range []struct {
		field  string
		value  any
		change func(*payment.Receipt)
	}{
		{"appid", service, func(r *payment.Receipt) { r.App = payment.SvcIOSApp }},
		{"appid", "wx0000000000000000", func(r *payment.Receipt) { r.App = "" }},
		{"amount", map[string]any{"total": 1, "payer_total": 990, "currency": "USD"}, func(r *payment.Receipt) { r.Amount, r.Currency = 1, "USD" }},
		{"amount", map[string]any{"total": 990}, func(*payment.Receipt) {}},
		{"out_trade_no", "z", func(r *payment.Receipt) { r.TradeNo = "z" }},
		{"trade_state", "REFUND", func(r *payment.Receipt) { r.Refunded = true }},
		{"unknown", map[string]any{"new": true}, func(*payment.Receipt) {}},
	} {
		notice, err := g.Receive(notifiedV3(t, paidEventV3(t, c.field, c.value)))
		require.NoError(t, err)
		changed := paidReceiptV3()
		c.change(&changed)
		assert.Equal(t, changed, *notice.Receipt, "others judge that")
	}
}

func TestPAY10_notifications_are_counted_by_the_kind_of_key(t *testing.T) {
	w := newWalletV3(t)
	for range 2 {
		_, err := w.Receive(notifiedV3(t, paidEventV3(t)))
		require.NoError(t, err)
	}
	c, body := firstCertificate(), paidEventV3(t)
	_, err := w.Receive(payment.Notification{Header: signedHeader(t, c.key, c.serial, noon, body), Body: []byte(body)})
	require.NoError(t, err)
	_, err = w.Receive(payment.Notification{Body: []byte(body)})
	require.ErrorIs(t, err, payment.ErrForged)
	assert.Equal(t, map[string]int64{"RSA-certificate": 1, "RSA-public-key": 2}, w.Notifications())
}

// What the wallet reports and needs no action is acknowledged, or it would come again for a day.
func TestPAY10_events_that_are_no_payments(t *testing.T) {
	g := newV3(t, "https://wallet.example")
	for _, body := range []string{
		paidEventV3(t, "trade_state", "PAYERROR"), paidEventV3(t, "trade_state", nil),
		eventV3(t, "TRANSACTION.CLOSED", sealed(t, keyV3, fieldsV3(t, paidFieldsV3()), "transaction")),
		eventV3(t, "COUPON.USE", sealed(t, keyV3, "{}", "")), `{}`,
	} {
		notice, err := g.Receive(notifiedV3(t, body))
		require.ErrorIs(t, err, payment.ErrNothingPaid)
		assert.NotErrorIs(t, err, payment.ErrForged)
		assert.Zero(t, notice)
	}
}
