package ports

import (
	"crypto/rand"
	"maps"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

var gatewayRefundPromises = []gatewayPromise{
	{"a refund returns money once, however often it is sent", gatewayRefundsOnce},
	{"a payment is refunded in whole or in parts, and never more than was paid", gatewayRefundsParts},
	{"a refund with a number that was sent before, with another amount or for another payment, is ErrRefundDiffers", gatewayRefundDiffers},
	{"a refund that the wallet has never received is ErrRefundNotFound; one of an unknown payment is ErrWalletNotFound", gatewayRefundUnknown},
	{"a refund ends as the wallet says, which notifies of its number and no more; Succeeded is set only if it has succeeded",
		gatewayRefundEnds},
	{"a bill has each refund of its day once, with its number", gatewayBillRefunds},
}

// refundRequest is an order to refund a part of the payment.
func refundRequest(p prepayment, r payment.Receipt, amount int64) payment.RefundRequest {
	return payment.RefundRequest{
		No: payment.RefundNo("R" + rand.Text()), App: p.intent.App, TransactionID: r.TransactionID, Amount: amount, Total: r.Amount,
		Currency: r.Currency, Reason: `Cold 茶 <b>&amp; "50%" ]]> ?`,
	}
}

// bought is a payment of 990 with its receipt.
func (d *gatewayFixture) bought() (prepayment, payment.Receipt) {
	d.Helper()
	p := d.prepared(d.intent())
	d.paid(p)
	return p, d.ask(p).Receipt
}

// owing is an order to refund a part of a new payment.
func (d *gatewayFixture) owing(amount int64) payment.RefundRequest {
	d.Helper()
	p, r := d.bought()
	return refundRequest(p, r, amount)
}

func (d *gatewayFixture) refunded(r payment.RefundRequest) payment.RefundReport {
	d.Helper()
	report, err := d.gateway.Refund(d.Context(), r)
	require.NoError(d, err)
	d.assertRefund(r, report)
	return report
}

func (d *gatewayFixture) refundOf(r payment.RefundRequest) payment.RefundReport {
	d.Helper()
	report, err := d.gateway.QueryRefund(d.Context(), r.App, r.No)
	require.NoError(d, err)
	d.assertRefund(r, report)
	return report
}

// assertRefund asserts that the report is that of the refund.
func (d *gatewayFixture) assertRefund(r payment.RefundRequest, report payment.RefundReport) {
	d.Helper()
	assert.NotEmpty(d, report.WalletID)
	assert.Contains(d, payment.RefundStates(), report.State)
	assert.Equal(d, report.State == payment.RefundSucceeded, !report.Succeeded.IsZero())
	assert.Equal(d, payment.RefundReport{
		No: r.No, WalletID: report.WalletID, TransactionID: r.TransactionID, State: report.State, Amount: r.Amount, Currency: r.Currency,
		Succeeded: report.Succeeded,
	}, report)
}

// refundEnds lets the refund end and returns the notification.
func (d *gatewayFixture) refundEnds(no payment.RefundNo, s payment.RefundState) payment.Notification {
	d.Helper()
	var said payment.Notification
	err := d.RefundOutcome(no, s, func(n payment.Notification) payment.Acknowledgement {
		said = payment.Notification{Header: maps.Clone(n.Header), Body: slices.Clone(n.Body)}
		return d.gateway.Acknowledge(true)
	})
	require.NoError(d, err)
	return said
}

func gatewayRefundsOnce(d *gatewayFixture) {
	r := d.owing(990)
	for _, err := range atOnce(5, func(n int) error {
		g := d.gateway
		if n%2 == 0 {
			g = d.another()
		}
		_, err := g.Refund(d.Context(), r)
		return err
	}) {
		assert.NoError(d, err)
	}
	first := d.refunded(r)
	assert.Equal(d, first.WalletID, d.refundOf(r).WalletID)
	d.refundEnds(r.No, payment.RefundSucceeded)
	assert.Equal(d, first.WalletID, d.refunded(r).WalletID, "also when it has ended")
	more := r
	more.No, more.Amount = "R"+payment.RefundNo(rand.Text()), 1
	_, err := d.gateway.Refund(d.Context(), more)
	d.assertFault(payment.ErrRefundTooMuch, err)
}

func gatewayRefundsParts(d *gatewayFixture) {
	p, paid := d.bought()
	var parts []payment.RefundRequest
	for _, amount := range []int64{1, 489, 500} {
		part := refundRequest(p, paid, amount)
		d.refunded(part)
		parts = append(parts, part)
		d.pass(payment.RefundSpacing)
	}
	_, err := d.gateway.Refund(d.Context(), refundRequest(p, paid, 1))
	d.assertFault(payment.ErrRefundTooMuch, err)
	d.refundEnds(parts[2].No, payment.RefundClosed)
	d.pass(payment.RefundSpacing)
	d.refunded(refundRequest(p, paid, 500))
	for _, part := range parts {
		d.refundOf(part)
	}
}

func gatewayRefundDiffers(d *gatewayFixture) {
	r, other := d.owing(300), d.owing(300)
	first := d.refunded(r)
	d.pass(payment.RefundSpacing)
	amount, paid := r, other
	amount.Amount++
	paid.No = r.No
	for _, differs := range []payment.RefundRequest{amount, paid} {
		_, err := d.gateway.Refund(d.Context(), differs)
		d.assertFault(payment.ErrRefundDiffers, err)
	}
	assert.Equal(d, first, d.refundOf(r))
}

func gatewayRefundUnknown(d *gatewayFixture) {
	r := d.owing(300)
	_, err := d.gateway.QueryRefund(d.Context(), r.App, r.No)
	d.assertFault(payment.ErrRefundNotFound, err)
	r.TransactionID = "4200000000202611200000000000"
	_, err = d.gateway.Refund(d.Context(), r)
	d.assertFault(payment.ErrWalletNotFound, err)
	_, err = d.gateway.QueryRefund(d.Context(), r.App, r.No)
	d.assertFault(payment.ErrRefundNotFound, err)
}

func gatewayRefundEnds(d *gatewayFixture) {
	for _, s := range []payment.RefundState{payment.RefundSucceeded, payment.RefundClosed, payment.RefundAbnormal} {
		r := d.owing(300)
		d.refunded(r)
		assert.Equal(d, payment.RefundProcessing, d.refundOf(r).State)
		d.pass(time.Second)
		said := d.refundEnds(r.No, s)
		for range 2 {
			notice, err := d.another().Receive(said)
			require.NoError(d, err)
			assert.Equal(d, payment.Notice{Refund: r.No}, notice)
		}
		report := d.refundOf(r)
		assert.Equal(d, s, report.State)
		if s == payment.RefundSucceeded {
			assert.WithinRange(d, report.Succeeded, d.began.Add(-time.Minute), time.Now().Add(d.passed+time.Minute))
			assert.Equal(d, time.UTC, report.Succeeded.Location())
		}
	}
}
