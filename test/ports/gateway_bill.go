package ports

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

var gatewayBillPromises = []gatewayPromise{
	{"a bill has each payment of its day once, and nothing that was not paid", gatewayBillPayments},
	{"a day without payments has no lines; a day that is not over is ErrBillNotReady", gatewayBillDays},
	{"a bill that was cut short gives no line", gatewayBillCut},
	{"an error of fn ends the bill, and comes back as it is", gatewayBillEnded},
}

// now is the time at the wallet.
func (d *gatewayFixture) now() time.Time { return time.Now().Add(d.passed) }

// idleDay is a day before all payments, whose bill the wallet has made.
func (d *gatewayFixture) idleDay() payment.Day { return payment.LastBilled(d.began).Before() }

// billOf reads the bill of the day.
func (d *gatewayFixture) billOf(day payment.Day) (lines []payment.BillLine, err error) {
	err = d.gateway.Bill(d.Context(), day, func(l payment.BillLine) error {
		lines = append(lines, l)
		return nil
	})
	return lines, err
}

// billed passes the time until the bills of all days from the first one on are made, and reads them.
func (d *gatewayFixture) billed(first payment.Day) (lines []payment.BillLine) {
	d.Helper()
	last := payment.DayOf(d.now())
	_, until := last.Bounds()
	d.pass(until.Add(payment.BillReady + time.Minute).Sub(d.now()))
	for day := last; ; day = day.Before() {
		some, err := d.billOf(day)
		require.NoError(d, err)
		lines = append(some, lines...)
		if day == first {
			return lines
		}
	}
}

// lineOf is the line of the payment.
func lineOf(r payment.Receipt) payment.BillLine {
	return payment.BillLine{
		TransactionID: r.TransactionID, TradeNo: r.TradeNo, App: r.App, Amount: r.Amount, Currency: r.Currency, At: r.Paid.Truncate(time.Second),
	}
}

func gatewayBillPayments(d *gatewayFixture) {
	first := payment.DayOf(d.now())
	d.prepared(d.intent())
	var want []payment.BillLine
	for _, i := range d.intents() {
		p := d.prepared(i)
		d.paid(p)
		want = append(want, lineOf(d.ask(p).Receipt))
	}
	lines := d.billed(first)
	for n := range lines {
		assert.Equal(d, time.UTC, lines[n].At.Location())
	}
	assert.ElementsMatch(d, want, lines)
}

func gatewayBillRefunds(d *gatewayFixture) {
	first := payment.DayOf(d.now())
	p, r := d.bought()
	one, two := refundRequest(p, r, 300), refundRequest(p, r, 690)
	d.refunded(one)
	d.refundEnds(one.No, payment.RefundSucceeded)
	d.pass(payment.RefundSpacing)
	d.refunded(two)
	d.refundEnds(two.No, payment.RefundClosed)
	lines := slices.DeleteFunc(d.billed(first), func(l payment.BillLine) bool { return !l.IsRefund() })
	require.Len(d, lines, 2)
	for n, want := range []struct {
		request payment.RefundRequest
		state   payment.RefundState
	}{{one, payment.RefundSucceeded}, {two, payment.RefundClosed}} {
		l := lines[slices.IndexFunc(lines, func(l payment.BillLine) bool { return l.RefundNo == want.request.No })]
		assert.NotEmpty(d, l.WalletRefund)
		assert.WithinRange(d, l.At, d.began.Add(-time.Minute), d.now())
		assert.Equal(d, payment.BillLine{
			TransactionID: r.TransactionID, TradeNo: p.no, RefundNo: want.request.No, WalletRefund: l.WalletRefund, RefundState: want.state,
			App: p.intent.App, Amount: want.request.Amount, Currency: r.Currency, At: l.At,
		}, l, n)
	}
}

func gatewayBillDays(d *gatewayFixture) {
	d.bought()
	lines, err := d.billOf(d.idleDay())
	require.NoError(d, err)
	assert.Empty(d, lines)
	lines, err = d.billOf(payment.DayOf(d.now().Add(24 * time.Hour)))
	d.assertFault(payment.ErrBillNotReady, err)
	assert.Empty(d, lines)
}

func gatewayBillCut(d *gatewayFixture) {
	day := payment.DayOf(d.now())
	d.bought()
	require.NotEmpty(d, d.billed(day))
	for _, cut := range []failure{halves, cutsOff} {
		d.line.breaks(cut)
		lines, err := d.billOf(day)
		d.assertUndecided(err)
		assert.Empty(d, lines)
	}
	d.line.breaks(well)
}

func gatewayBillEnded(d *gatewayFixture) {
	day := payment.DayOf(d.now())
	d.bought()
	require.NotEmpty(d, d.billed(day))
	enough, calls := errors.New("enough"), 0
	err := d.gateway.Bill(context.WithoutCancel(d.Context()), day, func(payment.BillLine) error {
		calls++
		return enough
	})
	assert.Same(d, enough, err)
	assert.Equal(d, 1, calls)
}
