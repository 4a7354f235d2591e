package money_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/reconciling"
	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/payment"
)

var (
	noonInBeijing = time.Date(2026, 11, 20, 4, 0, 0, 0, time.UTC) // in Beijing
	billDay       = payment.DayOf(noonInBeijing)
	billReady     = noonInBeijing.Add(22 * time.Hour) // when the bill of today is made
)

func newBillFixture(t *testing.T) *fixture {
	t.Helper()
	w := newFixture(t)
	w.wallet.protocol, w.now = payment.Protocol("v3"), billReady
	return w
}

// pays stores the payment of an order, and returns its line in a bill.
func (w *fixture) pays(n int, at time.Time) payment.BillLine {
	w.Helper()
	r := w.opens(n, at)
	w.settles(r, r.TransactionID)
	return billLineOf(r)
}

func billLineOf(r payment.Receipt) payment.BillLine {
	return payment.BillLine{TransactionID: r.TransactionID, TradeNo: r.TradeNo, App: r.App, Amount: r.Amount, Currency: r.Currency, At: r.Paid}
}

// refunded stores a refund of 300 that the wallet has confirmed, and returns its line in a bill.
func (w *fixture) refunded(l payment.BillLine, no payment.RefundNo, at time.Time) payment.BillLine {
	w.Helper()
	for _, p := range w.payments() {
		if p.TransactionID != l.TransactionID {
			continue
		}
		amount := int64(300)
		_, err := w.ledger.ChangeRefunds(w.Context(), p.ID, func(a *payment.RefundAccount) error {
			draft := payment.RefundDraft{Payment: p.ID, Amount: &amount, Reason: "Cold", Origin: payment.RefundByCommand}
			if err := a.Request(draft, no, at); err != nil {
				return err
			}
			_, isSent := a.BeginSending(no, time.Minute, at)
			require.True(w, isSent)
			a.RecordReport(no, payment.RefundReport{
				No: no, WalletID: "5030", TransactionID: p.TransactionID, State: payment.RefundSucceeded, Amount: amount, Currency: p.Currency,
			}, time.Minute, at.Add(time.Second))
			return nil
		})
		require.NoError(w, err)
	}
	l.RefundNo, l.WalletRefund, l.RefundState, l.Amount, l.At = no, "5030", payment.RefundSucceeded, 300, at
	return l
}

// reconciles compares the bill of the day, and returns the findings of the day, the oldest first.
func (w *fixture) reconciles(d payment.Day) (reconciling.Result, []payment.Finding) {
	w.Helper()
	result, err := w.Reconcile(w.Context(), d)
	require.NoError(w, err)
	return result, w.found(d)
}

func (w *fixture) found(d payment.Day) (all []payment.Finding) {
	w.Helper()
	found, err := w.ledger.Findings(w.Context(), payment.FindingFilter{}.Of(d), page.Request{})
	require.NoError(w, err)
	for _, f := range found.Items {
		f.ID = 0
		all = append([]payment.Finding{f}, all...)
	}
	return all
}

func TestPAY15_a_payment_that_only_the_bill_knows_is_taken_in(t *testing.T) {
	w := newBillFixture(t)
	r := w.opens(1, noonInBeijing)
	stray := billLineOf(r)
	stray.TransactionID, stray.TradeNo = "t9", "of-no-order"
	w.wallet.bills[billDay] = []payment.BillLine{billLineOf(r), stray}
	result, found := w.reconciles(billDay)
	assert.Equal(t, reconciling.Result{Day: billDay, Payments: 2, Findings: 2, Repaired: 2, Unapplied: 1}, result)
	order, err := w.ledger.Order(t.Context(), found[0].Order)
	require.NoError(t, err)
	assert.Equal(t, payment.Paid, order.State)
	assert.Equal(t, noonInBeijing, order.PaidAt)
	sum := payment.Detail{Amount: 990, Currency: "CNY"}
	assert.Equal(t, []payment.Finding{
		{Day: billDay, Kind: payment.FoundUnknownHere, TransactionID: "t1", Order: order.ID, Found: sum, Resolved: billReady},
		{Day: billDay, Kind: payment.FoundUnknownHere, TransactionID: "t9", Found: sum, Resolved: billReady},
	}, found)
	disputed, err := w.ledger.Payments(t.Context(), payment.PaymentFilter{State: payment.Disputed}, page.Request{})
	require.NoError(t, err)
	require.Len(t, disputed.Items, 1)
	assert.Equal(t, payment.Protocol("v3"), disputed.Items[0].Protocol)
	assert.Contains(t, w.log.String(), "unapplied payment needs review")
	assert.Equal(t, 1, w.wallet.asked("query"), "not about what is of no order")

	again, same := w.reconciles(billDay)
	assert.Zero(t, again.Findings)
	assert.Equal(t, found, same)
}

func TestPAY15_a_payment_that_the_wallet_has_given_back_pays_nothing(t *testing.T) {
	w := newBillFixture(t)
	r := w.opens(1, noonInBeijing)
	r.TransactionID = "t-" + string(r.TradeNo)
	w.wallet.trades[r.TradeNo] = &walletTrade{
		Order: payment.Order{Amount: r.Amount, Currency: r.Currency}, Intent: nativeIntent, No: r.TradeNo, state: payment.WalletPaid,
		refunded: true,
	}
	w.wallet.bills[billDay] = []payment.BillLine{billLineOf(r)}
	result, found := w.reconciles(billDay)
	assert.Equal(t, reconciling.Result{Day: billDay, Payments: 1, Findings: 1, Repaired: 1, Unapplied: 1}, result)
	assert.Equal(t, payment.Open, w.state(t, found[0].Order))
	w.wallet.fails("query", payment.ErrWalletTimeout)
	r.TransactionID = "t9"
	w.wallet.bills[billDay] = []payment.BillLine{billLineOf(r)}
	_, err := w.Reconcile(t.Context(), billDay)
	assert.ErrorIs(t, err, payment.ErrWalletTimeout)
}

func TestPAY15_what_differs_is_stored_once_until_it_does_not(t *testing.T) {
	w := newBillFixture(t)
	missing, amount := w.pays(1, noonInBeijing), w.pays(2, noonInBeijing)
	back := w.refunded(missing, "refund-1", noonInBeijing.Add(time.Hour))
	other := back
	other.RefundNo = "refund-9"
	amount.Amount++
	w.wallet.bills[billDay] = []payment.BillLine{amount, other}
	result, found := w.reconciles(billDay)
	assert.Equal(t, 4, result.Open())
	require.Len(t, found, 4)
	kinds := map[payment.FindingKind][]string{}
	for _, f := range found {
		assert.Zero(t, f.Resolved)
		assert.NotZero(t, f.Order)
		kinds[f.Kind] = append(kinds[f.Kind], fmt.Sprintf("%s %s/%s", f.TransactionID, f.Expected, f.Found))
	}
	assert.Equal(t, map[payment.FindingKind][]string{
		payment.FoundAmount: {"t2 990 CNY/991 CNY"}, payment.FoundUnknownThere: {"t1 990 CNY/"},
		payment.FoundRefund: {"t1 /refund-9: 300 CNY, succeeded", "t1 refund-1: 300 CNY, succeeded/"},
	}, kinds)
	assert.Contains(t, w.log.String(), "bill differs from the ledger and needs review")

	w.now = billReady.Add(time.Hour)
	_, same := w.reconciles(billDay)
	assert.Equal(t, found, same)

	w.now = billReady.Add(2 * time.Hour)
	amount.Amount--
	w.wallet.bills[billDay] = []payment.BillLine{amount, missing, back}
	result, found = w.reconciles(billDay)
	assert.Zero(t, result.Findings)
	for _, f := range found {
		assert.Equal(t, w.now, f.Resolved, f.Kind)
	}
	w.wallet.bills[billDay] = nil
	w.reconciles(billDay)
	assert.Len(t, w.found(billDay), 5, "t2 is new; t1 and its refund are open again")
}

func TestPAY15_a_line_that_can_not_be_read_stays_a_finding_and_is_no_payment(t *testing.T) {
	w := newBillFixture(t)
	w.wallet.bills[billDay] = []payment.BillLine{{TransactionID: "line 2", Line: 2, Unread: "no time"}, w.pays(1, noonInBeijing)}
	result, found := w.reconciles(billDay)
	assert.Equal(t, reconciling.Result{Day: billDay, Payments: 1, Findings: 1}, result)
	require.Len(t, found, 1)
	assert.Equal(t, payment.Detail{Line: 2, Note: "no time"}, found[0].Found)
	assert.Zero(t, found[0].Resolved)
}

func TestPAY15_a_payment_at_midnight_may_be_in_the_bill_of_the_next_day(t *testing.T) {
	w := newBillFixture(t)
	_, midnight := billDay.Bounds()
	tomorrow := payment.DayOf(midnight)
	w.now = billReady.Add(48 * time.Hour)
	late := w.pays(1, midnight.Add(-time.Second))
	early := w.pays(2, midnight.Add(time.Second))
	lost := w.pays(3, midnight.Add(-time.Minute))
	w.wallet.bills[billDay], w.wallet.bills[tomorrow] = []payment.BillLine{early}, []payment.BillLine{late}
	_, found := w.reconciles(billDay)
	assert.Empty(t, found, "what happens before midnight is left to the next bill")
	_, found = w.reconciles(tomorrow)
	require.Len(t, found, 1)
	assert.Equal(t, lost.TransactionID, found[0].TransactionID)
	assert.Equal(t, []payment.Day{billDay, tomorrow, billDay}, w.wallet.days)
}

func TestPAY15_a_comparison_that_is_interrupted_finds_the_same_when_it_is_repeated(t *testing.T) {
	stop := errors.New("stop")
	for name, interrupt := range map[string]func(*fixture){
		"reading the bill": func(w *fixture) { w.wallet.billErr = stop },
		"taking in":        func(w *fixture) { w.killed = stop },
	} {
		w := newBillFixture(t)
		r := w.opens(1, noonInBeijing)
		w.pays(2, noonInBeijing)
		w.wallet.bills[billDay] = []payment.BillLine{billLineOf(r),
			billLineOf(payment.Receipt{TransactionID: "t8", TradeNo: "of-no-order", Amount: 1, Currency: "CNY", Paid: noonInBeijing})}
		interrupt(w)
		_, err := w.Reconcile(t.Context(), billDay)
		require.ErrorIs(t, err, stop, name)
		w.killed = nil
		w.now = billReady.Add(time.Minute)
		_, found := w.reconciles(billDay)
		require.Len(t, found, 3, name)
		for _, f := range found {
			assert.Equal(t, f.Kind != payment.FoundUnknownThere, !f.Resolved.IsZero(), "%s: %v", name, f)
		}
		assert.Len(t, w.payments(), 3, name)
	}
}

func TestPAY15_many_lines_are_compared_in_batches(t *testing.T) {
	t.Parallel()
	w := newBillFixture(t)
	for n := range 2*reconciling.BatchSize + 1 {
		w.wallet.bills[billDay] = append(w.wallet.bills[billDay], w.pays(n, noonInBeijing.Add(time.Duration(n/3)*time.Second)))
	}
	lost := w.wallet.bills[billDay][700]
	w.wallet.bills[billDay] = append(w.wallet.bills[billDay][:700:700], w.wallet.bills[billDay][701:]...)
	w.wallet.bills[billDay] = append(w.wallet.bills[billDay], w.wallet.bills[billDay][0])
	result, found := w.reconciles(billDay)
	assert.Equal(t, 2*reconciling.BatchSize, result.Payments, "a line that is repeated counts once")
	require.Len(t, found, 1)
	assert.Equal(t, lost.TransactionID, found[0].TransactionID)
}

func TestPAY15_days_that_have_no_bill(t *testing.T) {
	w := newBillFixture(t)
	_, err := w.Reconcile(t.Context(), payment.DayOf(billReady.Add(24*time.Hour)))
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
	w.wallet.billErr = payment.ErrBillNotReady
	_, err = w.Reconcile(t.Context(), payment.DayOf(billReady))
	require.ErrorIs(t, err, payment.ErrBillNotReady)
	w.pays(1, billReady.Add(-time.Hour))
	w.pays(2, billReady)
	result, _ := w.reconciles(payment.DayOf(billReady))
	assert.Equal(t, 1, result.Open(), "the wallet makes bills of days that are not over: what comes later is not missing")
	without := reconciling.New(w.ledger, payment.Gateways{}, nil, nil, nil)
	_, err = without.Reconcile(t.Context(), billDay)
	require.ErrorIs(t, err, payment.ErrNoWallet)
	require.NoError(t, without.ReconcileDue(t.Context()))
}

func TestPAY15_one_server_compares_the_last_days_once(t *testing.T) {
	w := newBillFixture(t)
	w.wallet.billErr = payment.ErrBillNotReady
	require.NoError(t, w.ReconcileDue(t.Context()))
	last := []payment.Day{billDay, billDay.Before(), billDay.Before().Before()}
	assert.Equal(t, last, w.wallet.days)
	require.NoError(t, w.ReconcileDue(t.Context()))
	assert.Len(t, w.wallet.days, 3, "one is leased, two are done")
	w.now = billReady.Add(time.Hour)
	require.NoError(t, w.ReconcileDue(t.Context()))
	assert.Equal(t, billDay, w.wallet.days[3])
	assert.Contains(t, w.log.String(), "bill compared")
	w.now = billReady.Add(9 * time.Hour)
	require.NoError(t, w.ReconcileDue(t.Context()))
	assert.Len(t, w.wallet.days, 4, "nothing is due")
	w.now = billReady.Add(24 * time.Hour)
	w.wallet.billErr = payment.ErrWalletTimeout
	require.ErrorIs(t, w.ReconcileDue(t.Context()), payment.ErrWalletTimeout)
	w.now = billReady.Add(25 * time.Hour)
	require.NoError(t, w.ReconcileDue(t.Context()))
	assert.Len(t, w.wallet.days, 6, "a failure is repeated")
}
