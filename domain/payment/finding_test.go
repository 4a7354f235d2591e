package payment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

var billed = payment.DayOf(time.Date(2026, time.November, 20, 12, 0, 0, 0, payment.Beijing))

func billLine(change func(*payment.BillLine)) payment.BillLine {
	l := payment.BillLine{TransactionID: "t1", TradeNo: "order-1", App: payment.OfficialAccount, Amount: 990, Currency: "CNY",
		At: time.Date(2026, 11, 20, 4, 0, 0, 0, time.UTC)}
	if change != nil {
		change(&l)
	}
	return l
}

func refundLine(change func(*payment.BillLine)) payment.BillLine {
	return billLine(func(l *payment.BillLine) {
		l.RefundNo, l.RefundState, l.Amount = "refund-1", payment.RefundProcessing, 300
		if change != nil {
			change(l)
		}
	})
}

func TestPAY15_a_line_is_compared_with_the_ledger(t *testing.T) {
	paid := payment.Payment{ID: 7, Order: 3, TransactionID: "t1", State: payment.Applied, Amount: 990, Currency: "CNY"}
	refund := payment.Refund{ID: 9, Payment: 7, No: "refund-1", Amount: 300, Currency: "CNY", State: payment.RefundSucceeded}
	c := payment.NewComparison(billed, []payment.LedgerEntry{{Payment: paid}, {Payment: paid, Refund: refund}})
	for name, line := range map[string]payment.BillLine{
		"payment": billLine(nil), "refund": refundLine(nil),
		"a state from before": refundLine(func(l *payment.BillLine) { l.RefundState = payment.RefundAbnormal }),
	} {
		_, differs := c.Compare(line)
		assert.False(t, differs, name)
	}
	about := payment.Finding{Day: billed, TransactionID: "t1", Order: 3}
	sum := payment.Detail{Amount: 990, Currency: "CNY"}
	refunded := func(no string, amount int64, state payment.RefundState) payment.Detail {
		return payment.Detail{Number: no, Amount: amount, Currency: "CNY", Note: string(state)}
	}
	back := refunded("refund-1", 300, payment.RefundSucceeded)
	for name, a := range map[string]struct {
		line            payment.BillLine
		kind            payment.FindingKind
		expected, found payment.Detail
	}{
		"amount": {billLine(func(l *payment.BillLine) { l.Amount++ }), payment.FoundAmount, sum,
			payment.Detail{Amount: 991, Currency: "CNY"}},
		"currency": {billLine(func(l *payment.BillLine) { l.Currency = "USD" }), payment.FoundAmount, sum,
			payment.Detail{Amount: 990, Currency: "USD"}},
		"refund amount": {refundLine(func(l *payment.BillLine) { l.Amount-- }), payment.FoundRefund, back,
			refunded("refund-1", 299, payment.RefundProcessing)},
		"refund state": {refundLine(func(l *payment.BillLine) { l.RefundState = payment.RefundClosed }), payment.FoundRefund, back,
			refunded("refund-1", 300, payment.RefundClosed)},
		"other refund": {refundLine(func(l *payment.BillLine) { l.RefundNo = "refund-2" }), payment.FoundRefund, payment.Detail{},
			refunded("refund-2", 300, payment.RefundProcessing)},
	} {
		want := about
		want.Kind, want.Expected, want.Found, want.RefundNo = a.kind, a.expected, a.found, a.line.RefundNo
		got, differs := c.Compare(a.line)
		assert.True(t, differs, name)
		assert.Equal(t, want, got, name)
	}
	got, differs := c.Compare(billLine(func(l *payment.BillLine) { l.TransactionID = "t2" }))
	assert.True(t, differs)
	assert.Equal(t, payment.Finding{Day: billed, Kind: payment.FoundUnknownHere, TransactionID: "t2", Found: sum}, got)
	got, differs = c.Compare(refundLine(func(l *payment.BillLine) { l.TransactionID = "t2" }))
	assert.True(t, differs, "a refund of another payment")
	assert.Equal(t, payment.FoundRefund, got.Kind)

	want := about
	want.Kind, want.Expected = payment.FoundUnknownThere, sum
	assert.Equal(t, want, c.Missing(payment.LedgerEntry{Payment: paid}))
	want.Kind, want.Expected, want.RefundNo = payment.FoundRefund, back, "refund-1"
	assert.Equal(t, want, c.Missing(payment.LedgerEntry{Payment: paid, Refund: refund}))
}

func TestPAY15_a_refund_that_is_closed_here_returned_nothing(t *testing.T) {
	refund := payment.Refund{ID: 9, No: "refund-1", Amount: 300, Currency: "CNY", State: payment.RefundClosed}
	c := payment.NewComparison(billed, []payment.LedgerEntry{{Payment: payment.Payment{TransactionID: "t1"}, Refund: refund}})
	for state, want := range map[payment.RefundState]bool{
		payment.RefundProcessing: false, payment.RefundClosed: false, payment.RefundSucceeded: true, payment.RefundAbnormal: true,
	} {
		_, differs := c.Compare(refundLine(func(l *payment.BillLine) { l.RefundState = state }))
		assert.Equal(t, want, differs, state)
	}
}

func TestPAY15_days_are_Beijings(t *testing.T) {
	midnight := time.Date(2026, 11, 19, 16, 0, 0, 0, time.UTC)
	assert.Equal(t, billed, payment.DayOf(midnight))
	assert.Equal(t, billed.Before(), payment.DayOf(midnight.Add(-1)))
	d, err := payment.ParseDay("2026-11-20")
	require.NoError(t, err)
	assert.Equal(t, billed, d)
	assert.Equal(t, "2026-11-20", d.String())
	assert.Equal(t, "2026-10-31", payment.DayOf(time.Date(2026, time.November, 1, 12, 0, 0, 0, payment.Beijing)).Before().String())
	for _, wrong := range []string{"", "2026-11-31", "20261120", "2026-11-20T00:00:00Z", "yesterday", "2026-1-2"} {
		_, err := payment.ParseDay(wrong)
		require.Error(t, err, wrong)
	}
	ready := midnight.Add(34 * time.Hour)
	assert.Equal(t, billed, payment.LastBilled(ready))
	assert.Equal(t, billed.Before(), payment.LastBilled(ready.Add(-1)))
}

func TestPAY15_what_happens_about_midnight_is_left_to_the_next_bill(t *testing.T) {
	midnight := time.Date(2026, 11, 19, 16, 0, 0, 0, time.UTC)
	next := midnight.Add(24 * time.Hour)
	from, until := billed.Compared(next)
	assert.Equal(t, midnight.Add(-payment.BillMargin), from.UTC())
	assert.Equal(t, next.Add(-payment.BillMargin), until.UTC())
	_, until = billed.Compared(midnight.Add(time.Hour + time.Millisecond))
	assert.Equal(t, midnight.Add(time.Hour), until.UTC(), "the day is not over")
	assert.True(t, billed.IsOver(next))
	assert.False(t, billed.IsOver(next.Add(-1)))
}

func TestPAY15_positions(t *testing.T) {
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	paid := payment.LedgerEntry{Payment: payment.Payment{ID: 5, Received: noon}}
	assert.Equal(t, payment.Cursor{At: noon, ID: 5}, paid.Cursor(), "an older program has stored it")
	paid.Payment.Paid = noon.Add(-time.Second)
	assert.True(t, paid.Cursor().IsBefore(payment.Cursor{At: noon}))
	back := payment.LedgerEntry{Payment: paid.Payment, Refund: payment.Refund{ID: 6, Sent: noon}}
	assert.True(t, payment.Cursor{At: noon, ID: 5}.IsBefore(back.Cursor()))
	assert.False(t, back.Cursor().IsBefore(back.Cursor()))
}
