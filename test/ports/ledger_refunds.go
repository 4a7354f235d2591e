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
		ids, err := w.Ledger.Unrefunded(w.Context(), []payment.Protocol{"another", early.Protocol}, limit)
		require.NoError(w, err)
		assert.ElementsMatch(w, want, ids)
		assert.True(w, len(want) == 0 || ids[0] == early.ID)
	}
	for _, over := range [][]payment.Protocol{{"another"}, nil} {
		ids, err := w.Ledger.Unrefunded(w.Context(), over, 10)
		require.NoError(w, err)
		assert.Empty(w, ids)
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
