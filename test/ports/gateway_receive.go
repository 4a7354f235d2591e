package ports

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

var gatewayReceivePromises = []gatewayPromise{
	{"Receive reads a notification: its receipt is the one that Query gives", gatewayReceivesReceipts},
	{"Receive takes a notification that was changed in any way for ErrForged, or for what it was", gatewayReceivesForged},
	{"Receive of a notification without the wallet's key is ErrForged", gatewayReceivesForgeries},
	{"Acknowledge says that a notification is taken, or is to come again", gatewayAcknowledges},
}

// receives is the receipt of a notification that is genuine.
func receives(d *gatewayFixture, g payment.Gateway, n payment.Notification) payment.Receipt {
	notice, err := g.Receive(n)
	require.NoError(d, err)
	require.NotNil(d, notice.Receipt)
	return *notice.Receipt
}

// assertForgedOr asserts that the notification is ErrForged, or has that receipt.
func (d *gatewayFixture) assertForgedOr(genuine payment.Receipt, n payment.Notification) {
	notice, err := d.gateway.Receive(n)
	if err != nil {
		d.assertFault(payment.ErrForged, err)
		return
	}
	require.Equal(d, payment.Notice{Receipt: &genuine}, notice, "%q", n)
}

func gatewayReceivesReceipts(d *gatewayFixture) {
	for _, i := range d.intents() {
		p, other := d.prepared(i), d.prepared(i)
		said, otherSaid := d.paid(p), d.paid(other)
		for range 2 {
			r := receives(d, d.gateway, said)
			d.assertReceipt(p, r)
			assert.Equal(d, payment.Report{State: payment.WalletPaid, Receipt: r}, d.ask(p))

			o := receives(d, d.another(), otherSaid)
			d.assertReceipt(other, o)
			assert.NotEqual(d, r.TransactionID, o.TransactionID)
		}
	}
}

// changes are what may become of a text on its way, at about so many places: bytes that get lost, come twice or are others, and an end
// that is missing.
func changes(text []byte, places int) (all [][]byte) {
	for n := 0; n < len(text); n += max(1, len(text)/places) {
		other := slices.Clone(text)
		other[n] ^= 0x20
		all = append(all, slices.Concat(text[:n], text[n+1:]), slices.Concat(text[:n+1], text[n:]), text[:n], other)
	}
	return all
}

func gatewayReceivesForged(d *gatewayFixture) {
	p := d.prepared(d.intent())
	said := d.paid(p)
	genuine := receives(d, d.gateway, said)
	for _, changed := range changes(said.Body, 100) {
		d.assertForgedOr(genuine, payment.Notification{Header: said.Header, Body: changed})
	}
	_, err := d.gateway.Receive(payment.Notification{Header: said.Header, Body: p.request})
	d.assertFault(payment.ErrForged, err) // of ours, though well signed
}

func gatewayReceivesForgeries(d *gatewayFixture) {
	said := d.paid(d.prepared(d.intent()))
	all := d.Forgeries(said)
	assert.NotEmpty(d, all)
	for _, forged := range all {
		_, err := d.gateway.Receive(forged)
		d.assertFault(payment.ErrForged, err)
	}
}

func gatewayAcknowledges(d *gatewayFixture) {
	for _, taken := range []bool{true, false} {
		p := d.prepared(d.intent())
		understood, err := d.Pay(p.no, func(payment.Notification) payment.Acknowledgement { return d.gateway.Acknowledge(taken) })
		require.NoError(d, err)
		assert.Equal(d, taken, understood)
	}
}

var gatewayRefundPromises = []gatewayPromise{
	{"a refund returns money once, however often it is sent", gatewayRefundsOnce},
	{"a payment is refunded in whole or in parts, and never more than was paid", gatewayRefundsParts},
	{"a refund with a number that was sent before, with another amount or for another payment, is ErrRefundDiffers", gatewayRefundDiffers},
	{"a refund that the wallet has never received is ErrRefundNotFound; one of an unknown payment is ErrWalletNotFound", gatewayRefundUnknown},
	{"a refund ends as the wallet says, which notifies of its number and no more; Succeeded is set only if it has succeeded",
		gatewayRefundEnds},
	{"Receive of a refund notification that was changed is ErrForged, or names a refund that the wallet is asked about", gatewayRefundForged},
	{"a bill has each refund of its day once, with its number", gatewayBillRefunds},
}

// refundRequest is an order to refund a part of the payment.
func refundRequest(p prepayment, r payment.Receipt, amount int64) payment.RefundRequest {
	return payment.RefundRequest{
		No: payment.RefundNo("refund-7-" + rand.Text()), App: p.intent.App, TransactionID: r.TransactionID, Amount: amount, Total: r.Amount,
		Currency: r.Currency, Reason: `Cold 茶 <b>&amp; "50%" ]]> ?`,
	}
}

// bought is a payment of 990 with its receipt.
func (d *gatewayFixture) bought() (prepayment, payment.Receipt) {
	p := d.prepared(d.intent())
	d.paid(p)
	return p, d.ask(p).Receipt
}

// owing is an order to refund a part of a new payment.
func (d *gatewayFixture) owing(amount int64) payment.RefundRequest {
	p, r := d.bought()
	return refundRequest(p, r, amount)
}

func (d *gatewayFixture) refunded(r payment.RefundRequest) payment.RefundReport {
	report, err := d.gateway.Refund(d.Context(), r)
	require.NoError(d, err)
	d.assertRefund(r, report)
	return report
}

func (d *gatewayFixture) refundOf(r payment.RefundRequest) payment.RefundReport {
	report, err := d.gateway.QueryRefund(d.Context(), r.App, r.No)
	require.NoError(d, err)
	d.assertRefund(r, report)
	return report
}

// assertRefund asserts that the report is that of the refund.
func (d *gatewayFixture) assertRefund(r payment.RefundRequest, report payment.RefundReport) {
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

func gatewayRefundForged(d *gatewayFixture) {
	r := d.owing(300)
	d.refunded(r)
	said := d.refundEnds(r.No, payment.RefundSucceeded)
	for _, changed := range changes(said.Body, 50) {
		notice, err := d.gateway.Receive(payment.Notification{Header: said.Header, Body: changed})
		if err != nil {
			d.assertFault(payment.ErrForged, err)
			continue
		}
		require.Nil(d, notice.Receipt, "%q", changed)
		require.NotEmpty(d, notice.Refund)
	}
}

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

var gatewayQueryPromises = []gatewayPromise{
	{"Query returns the state of a prepayment, and the receipt if it is paid", gatewayQueries},
	{"after Close the prepayment can't be paid, Prepare is ErrWalletClosed, and Close again is nil or ErrWalletClosed", gatewayCloses},
	{"Close of what is too young is ErrWalletNotClosed, and it can still be paid", gatewayClosesTooEarly},
	{"Close of an unknown prepayment is ErrWalletNotFound, or it can't be paid from then on", gatewayClosesUnknown},
	{"of those who close and who pay at once one wins", gatewayRaces},
}

func gatewayQueries(d *gatewayFixture) {
	for _, i := range d.intents() {
		p, bystander := d.prepared(i), d.prepared(i)
		for range 2 {
			assert.Equal(d, payment.Report{State: payment.WalletUnpaid}, d.ask(p))
		}
		d.paid(p)
		report := d.ask(p)
		assert.Equal(d, payment.WalletPaid, report.State)
		d.assertReceipt(p, report.Receipt)
		for _, life := range []time.Duration{0, payment.TicketLife} {
			d.pass(life)
			other, err := d.another().Query(d.Context(), i.App, p.no)
			require.NoError(d, err)
			assert.Equal(d, report, other, "of another gateway, at another time")
		}
		assert.Equal(d, payment.Report{State: payment.WalletUnpaid}, d.ask(bystander))

		d.pass(d.CloseAge)
		d.assertClosed(d.gateway.Close(d.Context(), i.App, bystander.no))
		assert.Equal(d, payment.Report{State: payment.WalletClosed}, d.ask(bystander))
		assert.Equal(d, report, d.ask(p))
	}
}

func gatewayCloses(d *gatewayFixture) {
	for _, i := range d.intents() {
		bystander, p := d.prepared(i), d.old(i)
		require.NoError(d, d.gateway.Close(d.Context(), i.App, p.no))
		d.assertUnpayable(p)
		d.assertClosed(d.gateway.Close(d.Context(), i.App, p.no))
		d.assertClosed(d.another().Close(d.Context(), i.App, p.no))
		_, err := d.gateway.Prepare(d.Context(), p.request)
		d.assertFault(payment.ErrWalletClosed, err)
		d.assertUnpayable(p)
		assert.Equal(d, payment.Report{State: payment.WalletClosed}, d.ask(p))
		assert.Equal(d, payment.Report{State: payment.WalletUnpaid}, d.ask(bystander))
	}
}

func gatewayClosesTooEarly(d *gatewayFixture) {
	for _, i := range d.intents() {
		p := d.prepared(i)
		err := d.gateway.Close(d.Context(), i.App, p.no)
		if d.CloseAge == 0 {
			require.NoError(d, err)
			continue
		}
		d.assertFault(payment.ErrWalletNotClosed, err)
		assert.Equal(d, payment.Report{State: payment.WalletUnpaid}, d.ask(p))
		d.send(&p)
		d.paid(p)
		d.assertReceipt(p, d.ask(p).Receipt)
	}
}

func gatewayClosesUnknown(d *gatewayFixture) {
	for _, i := range d.intents() {
		p := d.drawn(d.wanted("Tea", 990), i)
		err := d.gateway.Close(d.Context(), i.App, p.no)
		if len(faultsOf(err)) > 0 && faultsOf(err)[0] == payment.ErrWalletNotFound {
			d.assertFault(payment.ErrWalletNotFound, err)
			continue
		}
		d.assertClosed(err)
		_, err = d.gateway.Prepare(d.Context(), p.request)
		d.assertFault(payment.ErrWalletClosed, err)
		d.assertUnpayable(p)
	}
}

func gatewayRaces(d *gatewayFixture) {
	for range 4 {
		p := d.old(d.intent())
		var closed, paid error
		atOnce(2, func(n int) bool {
			if n == 0 {
				closed = d.gateway.Close(d.Context(), p.intent.App, p.no)
				return true
			}
			_, paid = d.Pay(p.no, func(payment.Notification) payment.Acknowledgement { return d.gateway.Acknowledge(true) })
			return true
		})
		if paid == nil {
			d.assertFault(payment.ErrWalletPaid, closed)
			d.assertReceipt(p, d.ask(p).Receipt)
			continue
		}
		require.NoError(d, closed, "neither has won: %v", paid)
		assert.Equal(d, payment.WalletClosed, d.ask(p).State)
	}
}
