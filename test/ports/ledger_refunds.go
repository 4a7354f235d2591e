package ports

import (
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/payment"
)

var ledgerRefunds = []promise{
	{"ChangeRefunds stores what fn makes of the account, and returns it with the numbers of new refunds", changeRefunds},
	{"if fn fails, no refund is stored and its error comes back as it is; of an unknown payment fn is not called", changeRefundsFails},
	{"the account has the application of the prepayment, or else that of the receipt", refundApps},
	{"refunds of one payment at once never exceed it", refundAtOnce},
	{"a payment that is being refunded does not become applied", refundDisputed},
	{"refunds that break the rules are errors, and are not stored", refundsWrong},
	{"a new refund completes the key of its request; if the key was answered, nothing is stored", refundCompletes},
	{"Refunds is newest first, ties by descending id, and selected by the filter", refundsFound},
	{"Payments that are RefundDue are those of which something is not refunded", paymentsStillDue},
	{"Unrefunded returns payments that are RefundDue without a refund, the oldest first", unrefunded},
	{"DueRefunds returns the refunds whose NextCheck has come, the earliest first, and puts them off", dueRefunds},
	{"DueRefunds never gives a refund to two callers at once", dueRefundsAtOnce},
	{"HastenRefund makes a refund due, unless it is due earlier or never", hastenRefund},
}

// refunding changes the account of the payment, which must succeed.
func (w *fixtures) refunding(id payment.PaymentID, fn func(*payment.RefundAccount)) payment.RefundAccount {
	a, err := w.Ledger.ChangeRefunds(w.Context(), id, func(a *payment.RefundAccount) error {
		fn(a)
		return nil
	})
	require.NoError(w, err)
	return a
}

// refundAccount is what the store has of the payment and its refunds.
func (w *fixtures) refundAccount(id payment.PaymentID) payment.RefundAccount {
	return w.refunding(id, func(*payment.RefundAccount) {})
}

// part is an order of a refund by the command line.
func part(amount int64) payment.RefundDraft {
	return payment.RefundDraft{Amount: &amount, Reason: "Cold 茶'\"%", Origin: payment.RefundByCommand}
}

// refunds orders a refund of a part of the payment.
func (w *fixtures) refunds(id payment.PaymentID, amount int64, no payment.RefundNo, at time.Time) payment.Refund {
	a := w.refunding(id, func(a *payment.RefundAccount) { require.NoError(w, a.Request(part(amount), no, at)) })
	r, err := a.ByNo(no)
	require.NoError(w, err)
	return r
}

// refundEnds lets the wallet report the outcome.
func (w *fixtures) refundEnds(r payment.Refund, s payment.RefundState, at time.Time) {
	w.refunding(r.Payment, func(a *payment.RefundAccount) {
		a.RecordReport(r.No, payment.RefundReport{
			No: r.No, WalletID: "5030", TransactionID: a.Payment.TransactionID, State: s, Amount: r.Amount, Currency: r.Currency,
		}, time.Minute, at)
	})
}

// paidOnce stores a paid order of 1250 and returns its payment.
func (w *fixtures) paidOnce(transaction string) payment.Payment {
	o := w.charge(order(w.newUser(), noon))
	w.pays(o.ID, payment.TradeNo("of "+transaction), transaction, noon)
	return w.traded(o.ID).Payments[0]
}

func changeRefunds(w *fixtures) {
	paid, bystander := w.paidOnce("t"), w.paidOnce("other")
	staff := w.newUser()
	before := w.journal(paid.Order)
	var entries []payment.Entry
	var all []payment.RefundAccount
	want := payment.RefundAccount{Payment: paid, App: payment.OfficialAccount}
	for n, do := range []func(a *payment.RefundAccount) error{
		func(a *payment.RefundAccount) error {
			d := part(300)
			d.Origin, d.Staff = payment.RefundByStaff, staff
			return a.Request(d, "refund-1", noon)
		},
		func(a *payment.RefundAccount) error {
			_, sent := a.BeginSending("refund-1", time.Minute, noon.Add(time.Second))
			assert.True(w, sent)
			return nil
		},
		func(a *payment.RefundAccount) error { return a.Request(part(950), "refund-2", noon.Add(time.Second)) },
		func(a *payment.RefundAccount) error {
			a.RecordReport("refund-1", payment.RefundReport{
				No: "refund-1", WalletID: "5030", TransactionID: "t", State: payment.RefundSucceeded, Amount: 300, Currency: paid.Currency,
			}, time.Minute, noon.Add(time.Hour))
			return nil
		},
		func(a *payment.RefundAccount) error {
			assert.Error(w, a.RecordFailure(payment.RefundSending{RefundRequest: payment.RefundRequest{No: "refund-2"}}, payment.ErrRefundTooMuch,
				time.Minute, noon.Add(time.Hour)))
			return nil
		},
	} {
		got, err := w.Ledger.ChangeRefunds(w.Context(), paid.ID, func(a *payment.RefundAccount) error {
			assert.Equal(w, want, *a, n)
			if err := do(a); err != nil {
				return err
			}
			want = *a
			want.Refunds = slices.Clone(a.Refunds)
			return nil
		})
		require.NoError(w, err)
		entries = append(entries, want.Entries...)
		want.Entries, want.Payment.Refunded = nil, want.Refunded()
		for i := range want.Refunds {
			assert.Positive(w, got.Refunds[i].ID)
			want.Refunds[i].ID, want.Refunds[i].Payer = got.Refunds[i].ID, w.traded(paid.Order).Order.User
		}
		all = append(all, got)
		assert.Equal(w, want, got, n)
		assert.Equal(w, want, w.refundAccount(paid.ID), n)
		assert.Equal(w, slices.Concat(before, entries), w.journal(paid.Order))
		for _, r := range want.Refunds {
			stored, err := w.Ledger.Refund(w.Context(), r.ID)
			require.NoError(w, err)
			assert.Equal(w, r, stored)
		}
		assert.Equal(w, want.Payment, w.traded(paid.Order).Payments[0], "the payment has the sum")
	}
	assert.EqualValues(w, 300, want.Payment.Refunded)
	assertComplete(w, all, "Entries", "Answer", "Completes")
	assert.Equal(w, payment.RefundAccount{Payment: bystander, App: payment.OfficialAccount}, w.refundAccount(bystander.ID))
	_, err := w.Ledger.Refund(w.Context(), want.Refunds[1].ID+1)
	assert.ErrorIs(w, err, payment.ErrNoRefund)
}

func changeRefundsFails(w *fixtures) {
	paid := w.paidOnce("t")
	w.refunds(paid.ID, 300, "refund-1", noon)
	before, noted := w.refundAccount(paid.ID), w.journal(paid.Order)
	_, err := w.Ledger.ChangeRefunds(w.Context(), paid.ID, func(a *payment.RefundAccount) error {
		a.Refunds[0].State = payment.RefundClosed
		require.NoError(w, a.Request(part(1), "refund-2", noon))
		return errBoom
	})
	assert.Same(w, errBoom, err)
	assert.Equal(w, before, w.refundAccount(paid.ID))
	assert.Equal(w, noted, w.journal(paid.Order))
	for _, id := range []payment.PaymentID{0, -1, paid.ID + 1} {
		_, err := w.Ledger.ChangeRefunds(w.Context(), id, func(*payment.RefundAccount) error {
			w.Error("fn is called")
			return nil
		})
		assert.ErrorIs(w, err, payment.ErrNoPayment)
	}
}

func refundApps(w *fixtures) {
	o := w.charge(order(w.newUser(), noon))
	w.begins(o.ID, inApp, "a", noon)
	w.trade(o.ID, func(t *payment.Trade) {
		r := receiptOf(t.Order, "t", "a", noon)
		r.App = payment.OfficialAccount
		t.Settle(r, noon)
	})
	assert.Equal(w, payment.SvcIOSApp, w.refundAccount(w.traded(o.ID).Payments[0].ID).App)
	stray := w.addUnmatched("stray", noon)
	a := w.refunding(stray.ID, func(a *payment.RefundAccount) { require.NoError(w, a.Request(part(990), "refund-1", noon)) })
	assert.Equal(w, payment.OfficialAccount, a.App)
	assert.Zero(w, a.Payment.Order, "there is no order, and so no journal")
	assert.EqualValues(w, 990, a.Payment.Refunded)
}

func refundAtOnce(w *fixtures) {
	paid := w.paidOnce("t")
	errs := atOnce(many, func(n int) error {
		_, err := w.Ledger.ChangeRefunds(w.Context(), paid.ID, func(a *payment.RefundAccount) error {
			return a.Request(part(500), payment.RefundNo(fmt.Sprint("refund-", n)), noon)
		})
		return err
	})
	ordered := 0
	for _, err := range errs {
		if err == nil {
			ordered++
			continue
		}
		assert.True(w, fault.Is(err, fault.Conflict), "%v", err)
	}
	assert.Equal(w, 2, ordered)
	a := w.refundAccount(paid.ID)
	assert.Len(w, a.Refunds, 2)
	assert.EqualValues(w, 1000, a.Payment.Refunded)
}

func refundDisputed(w *fixtures) {
	o := w.charge(order(w.newUser(), noon))
	w.begins(o.ID, byCode, "a", noon)
	wrong := receiptOf(o, "t", "a", noon)
	wrong.Amount++
	w.trade(o.ID, func(t *payment.Trade) { t.Settle(wrong, noon) })
	disputed := w.traded(o.ID).Payments[0]
	atOnce(2, func(n int) bool {
		if n == 0 {
			w.refunds(disputed.ID, o.Amount, "refund-1", noon)
			return true
		}
		w.trade(o.ID, func(t *payment.Trade) { t.Settle(wrong, noon) })
		return true
	})
	w.trade(o.ID, func(t *payment.Trade) { t.Settle(receiptOf(o, "t", "a", noon), noon) })
	trade := w.traded(o.ID)
	assert.Equal(w, payment.Open, trade.Order.State)
	assert.Equal(w, payment.Disputed, trade.Payments[0].State)
	assert.Equal(w, o.Amount, trade.Payments[0].Refunded)
}

func refundsWrong(w *fixtures) {
	paid, other := w.paidOnce("t"), w.paidOnce("other")
	w.refunds(other.ID, 1, "refund-of-other", noon)
	before := w.refundAccount(paid.ID)
	for name, spoil := range map[string]func(a *payment.RefundAccount){
		"more than was paid": func(a *payment.RefundAccount) { a.Refunds[0].Amount = a.Payment.Amount + 1 },
		"the number of another": func(a *payment.RefundAccount) {
			a.Refunds[0].No = "refund-of-other"
		},
		"staff without an id":   func(a *payment.RefundAccount) { a.Refunds[0].Origin = payment.RefundByStaff },
		"an id without staff":   func(a *payment.RefundAccount) { a.Refunds[0].Staff = 1 },
		"staff of no account":   func(a *payment.RefundAccount) { a.Refunds[0].Origin, a.Refunds[0].Staff = payment.RefundByStaff, 1<<40 },
		"the same number twice": func(a *payment.RefundAccount) { a.Refunds = append(a.Refunds, a.Refunds[0]) },
	} {
		_, err := w.Ledger.ChangeRefunds(w.Context(), paid.ID, func(a *payment.RefundAccount) error {
			require.NoError(w, a.Request(part(1), "refund-1", noon))
			spoil(a)
			return nil
		})
		assert.Error(w, err, name)
		assert.Equal(w, before, w.refundAccount(paid.ID), name)
	}
}

func refundCompletes(w *fixtures) {
	paid, who := w.paidOnce("t"), w.newUser()
	k := keyNamed(who, "k")
	require.Nil(w, w.reserves(k, noon))
	request := func(no payment.RefundNo) error {
		_, err := w.Ledger.ChangeRefunds(w.Context(), paid.ID, func(a *payment.RefundAccount) error {
			a.Completes = &k
			return a.Request(part(300), no, noon)
		})
		return err
	}
	require.NoError(w, request("refund-1"))
	a := w.refundAccount(paid.ID)
	assert.Equal(w, &idempotency.Answer{Key: k, Kind: idempotency.Refund, ID: int64(a.Refunds[0].ID), At: noon},
		w.reserves(k, noon.Add(time.Hour)))
	assert.ErrorIs(w, request("refund-2"), idempotency.ErrKeyInUse)
	assert.Equal(w, a, w.refundAccount(paid.ID))
}

func refundsFound(w *fixtures) {
	first, second := w.paidOnce("1"), w.paidOnce("2")
	w.refundEnds(w.refunds(first.ID, 10, "refund-a", noon), payment.RefundSucceeded, noon.Add(time.Hour))
	w.refunds(second.ID, 10, "refund-b", noon)
	w.refunds(first.ID, 10, "refund-c", noon)
	for f, want := range map[payment.RefundFilter][]payment.RefundNo{
		{}: {"refund-c", "refund-b", "refund-a"}, {State: payment.RefundSucceeded}: {"refund-a"}, {Payment: second.ID}: {"refund-b"},
		{State: payment.RefundProcessing, Payment: first.ID}: {"refund-c"}, {State: payment.RefundAbnormal}: nil, {Payment: second.ID + 9}: nil,
	} {
		p, err := w.Ledger.Refunds(w.Context(), f, page.Request{})
		require.NoError(w, err)
		var got []payment.RefundNo
		for _, r := range p.Items {
			got = append(got, r.No)
		}
		assert.Equal(w, want, got, f)
		assert.Equal(w, len(want), p.Total, f)
	}
}

// owed stores a payment that is RefundDue.
func (w *fixtures) owed(transaction string, at time.Time) payment.Payment {
	o := w.charge(order(w.newUser(), noon))
	w.pays(o.ID, payment.TradeNo("of "+transaction), "first "+transaction, noon)
	w.trade(o.ID, func(t *payment.Trade) {
		t.Settle(receiptOf(t.Order, transaction, payment.TradeNo("of "+transaction), at), at)
	})
	p := w.traded(o.ID).Payments[1]
	require.Equal(w, payment.RefundDue, p.State)
	return p
}

func paymentsStillDue(w *fixtures) {
	owed := w.owed("t", noon)
	transactions := func(s payment.PaymentState) (all []string) {
		for _, p := range w.payments(s, pageNo(1, 10)).Items {
			all = append(all, p.TransactionID)
		}
		return all
	}
	r := w.refunds(owed.ID, 1000, "refund-1", noon)
	assert.Equal(w, []string{"t"}, transactions(payment.RefundDue), "a part is still due")
	w.refunds(owed.ID, 250, "refund-2", noon)
	assert.Empty(w, transactions(payment.RefundDue))
	assert.Len(w, transactions(""), 2)
	w.refundEnds(r, payment.RefundClosed, noon)
	assert.Equal(w, []string{"t"}, transactions(payment.RefundDue), "nothing was returned")
	assert.EqualValues(w, 250, w.payments(payment.RefundDue, pageNo(1, 10)).Items[0].Refunded)
}

func unrefunded(w *fixtures) {
	late, early, started := w.owed("late", noon.Add(time.Hour)), w.owed("early", noon), w.owed("started", noon)
	w.paidOnce("applied")
	w.addUnmatched("stray", noon)
	w.refundEnds(w.refunds(started.ID, 1, "refund-1", noon), payment.RefundClosed, noon)
	for limit, want := range map[int][]payment.PaymentID{0: nil, 1: {early.ID}, 10: {early.ID, late.ID}} {
		ids, err := w.Ledger.Unrefunded(w.Context(), limit)
		require.NoError(w, err)
		assert.ElementsMatch(w, want, ids)
		assert.True(w, len(want) == 0 || ids[0] == early.ID)
	}
}

// dueRefunds are the numbers of at most limit refunds that are due, which are put off for a day.
func (w *fixtures) dueRefunds(now time.Time, limit int) (numbers []payment.RefundNo) {
	due, err := w.Ledger.DueRefunds(w.Context(), now, now.AddDate(0, 0, 1), limit)
	require.NoError(w, err)
	for _, r := range due {
		numbers = append(numbers, r.No)
		stored, err := w.Ledger.Refund(w.Context(), r.ID)
		require.NoError(w, err)
		assert.Equal(w, stored, r)
		assert.Equal(w, now.AddDate(0, 0, 1), r.NextCheck)
	}
	return numbers
}

func dueRefunds(w *fixtures) {
	assert.Empty(w, w.dueRefunds(noon, 10))
	paid := w.paidOnce("t")
	w.refunds(paid.ID, 1, "refund-late", noon)
	w.refunds(paid.ID, 1, "refund-early", noon.Add(-time.Hour))
	w.refunds(paid.ID, 1, "refund-future", noon.Add(time.Microsecond))
	w.refundEnds(w.refunds(paid.ID, 1, "refund-never", noon), payment.RefundSucceeded, noon)
	assert.Empty(w, w.dueRefunds(noon, 0))
	assert.Equal(w, []payment.RefundNo{"refund-early"}, w.dueRefunds(noon, 1))
	assert.Equal(w, []payment.RefundNo{"refund-late"}, w.dueRefunds(noon, 10))
	assert.Empty(w, w.dueRefunds(noon, 10))
	assert.Equal(w, []payment.RefundNo{"refund-future"}, w.dueRefunds(noon.Add(time.Hour), 10))
	assert.Len(w, w.dueRefunds(noon.AddDate(10, 0, 0), 10), 3)
}

func dueRefundsAtOnce(w *fixtures) {
	paid := w.paidOnce("t")
	var all []payment.RefundNo
	for n := range many * each {
		all = append(all, payment.RefundNo(fmt.Sprint("refund-", n)))
		w.refunding(paid.ID, func(a *payment.RefundAccount) { // more than a wallet would take
			a.Refunds = append(a.Refunds, payment.Refund{
				No: all[n], Amount: 1, Currency: payment.CNY, Origin: payment.RefundByCommand,
				State: payment.RefundProcessing, Created: noon, Updated: noon, NextCheck: noon.Add(-time.Duration(n) * time.Second),
			})
		})
	}
	assertGivenOnce(w, all, func(limit int) (numbers []payment.RefundNo) {
		due, err := w.Ledger.DueRefunds(w.Context(), noon, noon.AddDate(0, 0, 1), limit)
		assert.NoError(w, err)
		for _, r := range due {
			numbers = append(numbers, r.No)
		}
		return numbers
	})
}

func hastenRefund(w *fixtures) {
	paid := w.paidOnce("t")
	later := w.refunds(paid.ID, 1, "refund-later", noon.Add(time.Hour))
	sooner := w.refunds(paid.ID, 1, "refund-sooner", noon.Add(-time.Hour))
	never := w.refunds(paid.ID, 1, "refund-never", noon)
	w.refundEnds(never, payment.RefundSucceeded, noon)
	for _, no := range []payment.RefundNo{later.No, sooner.No, never.No, "refund-unknown"} {
		require.NoError(w, w.Ledger.HastenRefund(w.Context(), no, noon))
	}
	checks := map[payment.RefundNo]time.Time{}
	for _, r := range w.refundAccount(paid.ID).Refunds {
		checks[r.No] = r.NextCheck
	}
	assert.Equal(w, map[payment.RefundNo]time.Time{later.No: noon, sooner.No: noon.Add(-time.Hour), never.No: {}}, checks)
}

var ledgerFindings = []promise{
	{"EntriesOf returns the payments and refunds of the lines, and no others", entriesOf},
	{"PaymentsPaid returns payments in the order in which they were paid, from the cursor on", paymentsPaid},
	{"RefundsSent returns refunds that the wallet has confirmed, in the order in which they were sent", refundsSent},
	{"StoreFindings stores a finding once, with what the last comparison has found", storeFindings},
	{"EndReconciliation resolves what no comparison has found since it began", endReconciliation},
	{"ClaimReconciliation gives a day to one caller, until it is completed", claimReconciliation},
	{"ClaimReconciliation never gives a day to two callers at once", claimReconciliationAtOnce},
}

var (
	billDay  = payment.DayOf(time.Date(2026, time.March, 13, 12, 0, 0, 0, payment.Beijing))
	nextDay  = payment.DayOf(time.Date(2026, time.March, 14, 12, 0, 0, 0, payment.Beijing))
	anyCount = 100
)

// strayAt stores a payment without an order that was made and received at these times.
func (w *fixtures) strayAt(transaction string, paid, received time.Time) payment.Payment {
	p, err := w.Ledger.AddUnmatched(w.Context(), payment.Payment{
		TransactionID: transaction, TradeNo: "of no order", Protocol: payment.Protocol("v3"), App: payment.OfficialAccount,
		State: payment.Disputed, Amount: 990,
		Currency: "CNY", Received: received, Paid: paid,
	})
	require.NoError(w, err)
	return p
}

func entriesOf(w *fixtures) {
	paid, other := w.paidOnce("t1"), w.paidOnce("t2")
	w.paidOnce("t3")
	back := w.refunds(paid.ID, 300, "refund-1", noon)
	w.refunds(paid.ID, 100, "refund-2", noon.Add(time.Second))
	mine, others := w.refundAccount(paid.ID).Payment, w.refundAccount(other.ID).Payment
	for _, c := range []struct {
		lines []payment.BillLine
		want  []payment.LedgerEntry
	}{
		{nil, nil},
		{[]payment.BillLine{{TransactionID: "t9"}, {TransactionID: ""}, {TransactionID: "t9", RefundNo: "refund-9"}}, nil},
		{[]payment.BillLine{{TransactionID: "t1"}, {TransactionID: "t2"}, {TransactionID: "t1"}},
			[]payment.LedgerEntry{{Payment: mine}, {Payment: others}}},
		{[]payment.BillLine{{TransactionID: "t1", RefundNo: "refund-1"}}, []payment.LedgerEntry{{Payment: mine}, {Payment: mine, Refund: back}}},
		{[]payment.BillLine{{TransactionID: "t2", RefundNo: "refund-1"}}, []payment.LedgerEntry{{Payment: others},
			{Payment: mine, Refund: back}}},
	} {
		got, err := w.Ledger.EntriesOf(w.Context(), c.lines)
		require.NoError(w, err)
		assert.ElementsMatch(w, c.want, got)
	}
}

// walk reads all entries, limit at a time.
func (w *fixtures) walk(
	read func(after payment.Cursor, until time.Time, limit int) ([]payment.LedgerEntry, error), from, until time.Time, limit int,
) (all []payment.LedgerEntry) {
	for after := (payment.Cursor{At: from}); ; after = all[len(all)-1].Cursor() {
		some, err := read(after, until, limit)
		require.NoError(w, err)
		require.LessOrEqual(w, len(some), limit)
		if len(some) == 0 {
			return all
		}
		all = append(all, some...)
		require.Less(w, len(all), anyCount, "an entry comes again")
	}
}

func paymentsPaid(w *fixtures) {
	read := func(after payment.Cursor, until time.Time, limit int) ([]payment.LedgerEntry, error) {
		return w.Ledger.PaymentsPaid(w.Context(), after, until, limit)
	}
	var want []payment.LedgerEntry
	w.strayAt("before", noon.Add(-time.Microsecond), noon)
	w.strayAt("end", noon.Add(time.Hour), noon)
	for n, at := range []time.Duration{0, time.Second, time.Second, time.Second, time.Hour - time.Microsecond} {
		p := w.strayAt(fmt.Sprint("t", n), noon.Add(at), noon.Add(2*time.Hour))
		want = append(want, payment.LedgerEntry{Payment: p})
	}
	older := w.strayAt("older", time.Time{}, noon.Add(time.Minute))
	assert.Zero(w, older.Paid)
	want = slices.Insert(want, 4, payment.LedgerEntry{Payment: older})
	for limit := 1; limit <= len(want)+1; limit++ {
		assert.Equal(w, want, w.walk(read, noon, noon.Add(time.Hour), limit), limit)
	}
	assert.Empty(w, w.walk(read, noon, noon.Add(time.Hour), 0))
}

func refundsSent(w *fixtures) {
	read := func(after payment.Cursor, until time.Time, limit int) ([]payment.LedgerEntry, error) {
		return w.Ledger.RefundsSent(w.Context(), after, until, limit)
	}
	var want []payment.LedgerEntry
	for n, at := range []time.Duration{-time.Microsecond, 0, time.Second, time.Second, time.Hour} {
		paid := w.paidOnce(fmt.Sprint("t", n))
		no := payment.RefundNo(fmt.Sprint("refund-", n))
		w.refunds(paid.ID, 300, no, noon.Add(at))
		w.refunding(paid.ID, func(a *payment.RefundAccount) {
			_, isSent := a.BeginSending(no, time.Minute, noon.Add(at))
			require.True(w, isSent)
		})
		if n != 2 { // the wallet has not confirmed this one
			w.refundEnds(w.refundAccount(paid.ID).Refunds[0], payment.RefundProcessing, noon.Add(at))
		}
		if n == 1 || n == 3 {
			a := w.refundAccount(paid.ID)
			want = append(want, payment.LedgerEntry{Payment: a.Payment, Refund: a.Refunds[0]})
		}
	}
	for limit := 1; limit <= 3; limit++ {
		assert.Equal(w, want, w.walk(read, noon, noon.Add(time.Hour), limit), limit)
	}
	assert.Empty(w, w.walk(read, noon, noon.Add(time.Hour), 0))
}

func (w *fixtures) finds(began time.Time, all ...payment.Finding) {
	require.NoError(w, w.Ledger.StoreFindings(w.Context(), began, all))
}

func (w *fixtures) findings(f payment.FindingFilter) []payment.Finding {
	p, err := w.Ledger.Findings(w.Context(), f, pageNo(1, anyCount))
	require.NoError(w, err)
	assert.Equal(w, len(p.Items), p.Total)
	return p.Items
}

// unnumbered returns the findings without their numbers, which must be descending.
func (w *fixtures) unnumbered(all []payment.Finding) []payment.Finding {
	all = append([]payment.Finding{}, all...)
	last := payment.FindingID(1 << 62)
	for n := range all {
		assert.Less(w, all[n].ID, last)
		assert.Positive(w, all[n].ID)
		last, all[n].ID = all[n].ID, 0
	}
	return all
}

func storeFindings(w *fixtures) {
	o := w.charge(order(w.newUser(), noon))
	detail := payment.Detail{Line: 7, Number: "'% 茶", Amount: -1, Currency: "CNY", By: "<app>", Of: "t1", Staff: 5, Note: "\""}
	one := payment.Finding{Day: billDay, Kind: payment.FoundRefund, TransactionID: "t1", RefundNo: "refund-1", Expected: detail, Found: detail}
	others := []payment.Finding{one, one, one, one}
	others[0].Day, others[1].Kind, others[2].TransactionID, others[3].RefundNo = nextDay, payment.FoundAmount, "t2", ""
	w.finds(noon)
	assert.Empty(w, w.findings(payment.FindingFilter{}))
	w.finds(noon, one)
	first := w.findings(payment.FindingFilter{})
	assert.Equal(w, []payment.Finding{one}, w.unnumbered(first))
	w.finds(noon, others...)
	assert.ElementsMatch(w, append(others, one), w.unnumbered(w.findings(payment.FindingFilter{})))

	one.Order, one.Expected, one.Found, one.Resolved = o.ID, payment.Detail{}, payment.Detail{Note: "301"}, noon.Add(time.Microsecond)
	w.finds(noon.Add(time.Second), one)
	all := w.findings(payment.FindingFilter{})
	require.Len(w, all, 5)
	one.ID = first[0].ID
	assert.Equal(w, one, all[4])
	assertComplete(w, all)
	one.Resolved = time.Time{}
	w.finds(noon.Add(time.Second), one)
	assert.Equal(w, one, w.findings(payment.FindingFilter{})[4], "it is open again")
}

func endReconciliation(w *fixtures) {
	began := noon.Add(time.Minute)
	find := func(transaction string, at time.Time, change func(*payment.Finding)) {
		f := payment.Finding{Day: billDay, Kind: payment.FoundAmount, TransactionID: transaction}
		if change != nil {
			change(&f)
		}
		w.finds(at, f)
	}
	find("gone", noon, nil)
	find("stays", began, nil)
	find("was found by a later one", began.Add(time.Second), nil)
	find("was found by a later one", noon, nil)
	find("another day", noon, func(f *payment.Finding) { f.Day = nextDay })
	find("was resolved", noon, func(f *payment.Finding) { f.Resolved = noon })
	require.NoError(w, w.Ledger.EndReconciliation(w.Context(), billDay, began, noon.Add(time.Hour)))
	resolved := map[string]time.Time{}
	for _, f := range w.findings(payment.FindingFilter{}) {
		resolved[f.TransactionID] = f.Resolved
	}
	assert.Equal(w, map[string]time.Time{
		"gone": noon.Add(time.Hour), "stays": {}, "was found by a later one": {}, "another day": {}, "was resolved": noon,
	}, resolved)
}

func (w *fixtures) claimsDay(d payment.Day, now time.Time) bool {
	isMine, err := w.Ledger.ClaimReconciliation(w.Context(), d, now, now.Add(time.Hour))
	require.NoError(w, err)
	return isMine
}

func claimReconciliation(w *fixtures) {
	ends := func(d payment.Day, now time.Time) {
		require.NoError(w, w.Ledger.EndReconciliation(w.Context(), d, now, now))
	}
	_, over := billDay.Bounds()
	assert.True(w, w.claimsDay(billDay, over))
	assert.False(w, w.claimsDay(billDay, over.Add(time.Hour-time.Microsecond)))
	assert.True(w, w.claimsDay(nextDay, over), "another day")
	assert.True(w, w.claimsDay(billDay, over.Add(time.Hour)), "the lease has ended")
	ends(billDay, over.Add(-time.Microsecond))
	assert.True(w, w.claimsDay(billDay, over.Add(2*time.Hour)), "the day was not over")
	ends(billDay, over)
	assert.False(w, w.claimsDay(billDay, over.Add(240*time.Hour)))
	ends(billDay, over.Add(time.Hour))
	assert.False(w, w.claimsDay(billDay, over.Add(240*time.Hour)))
	unclaimed := payment.Day{Date: nextDay.AddDays(1)}
	ends(unclaimed, over.Add(240*time.Hour))
	assert.False(w, w.claimsDay(unclaimed, over.Add(240*time.Hour)))
}

func claimReconciliationAtOnce(w *fixtures) {
	assertOneWins(w, atOnce(many, func(int) error {
		isMine, err := w.Ledger.ClaimReconciliation(w.Context(), billDay, noon, noon.Add(time.Hour))
		if err == nil && !isMine {
			return errBoom
		}
		return err
	}), errBoom)
}
