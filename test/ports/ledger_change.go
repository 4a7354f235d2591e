package ports

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

var ledgerChanges = []promise{
	{"Change stores what fn makes of the trade, and shows it to the next", changeTrade},
	{"Change of what is not there is ErrNoOrder", changeNoTrade},
	{"if fn fails or panics, or the context ends meanwhile, nothing is stored, an error comes back as it is, and the store goes on",
		changeTradeFails},
	{"Changes of one order at once don't lose each other's work", changeTradeAtOnce},
	{"an order that is paid stays paid", changeTradeUnpaid},
	{"OrderOf returns the order of the prepayment, or ErrNoOrder", orderOf},
}

var (
	byCode = payment.Intent{EndType: payment.Native, App: payment.OfficialAccount}
	inApp  = payment.Intent{EndType: payment.App, App: payment.SvcIOSApp}
	inside = payment.Intent{EndType: payment.JSAPI, App: payment.OfficialAccount, OpenID: "o-🀄'\"%_"}
)

// leaseOf is how long a payer leases a prepayment.
const leaseOf = 10 * time.Second

func opening(i payment.Intent, no payment.TradeNo) payment.BeginRequest {
	return payment.BeginRequest{Intent: i, TradeNo: no, Protocol: payment.Protocol("v3"), Lease: leaseOf,
		BuildRequest: func(o payment.Order, i payment.Intent, no payment.TradeNo, _ netip.Addr) ([]byte, error) {
			return fmt.Append(nil, "\x00\xff", o.ID, i, no), nil
		}}
}

// receiptOf is what the wallet says of who has paid the order.
func receiptOf(o payment.Order, transaction string, no payment.TradeNo, at time.Time) payment.Receipt {
	return payment.Receipt{
		TransactionID: transaction, TradeNo: no, App: payment.OfficialAccount, Amount: o.Amount, Currency: o.Currency, Paid: at,
	}
}

// trade changes the order, which must succeed.
func (w *fixtures) trade(id payment.OrderID, fn func(*payment.Trade)) {
	require.NoError(w, w.Ledger.Change(w.Context(), id, func(t *payment.Trade) error {
		fn(t)
		return nil
	}))
}

// begins takes the next step of a payment.
func (w *fixtures) begins(id payment.OrderID, i payment.Intent, no payment.TradeNo, at time.Time) (step payment.Step) {
	require.NoError(w, w.Ledger.Change(w.Context(), id, func(t *payment.Trade) (err error) {
		step, err = t.Begin(opening(i, no), at)
		return err
	}))
	return step
}

// pays begins and settles a payment of the order.
func (w *fixtures) pays(id payment.OrderID, no payment.TradeNo, transaction string, at time.Time) {
	w.begins(id, byCode, no, at)
	w.trade(id, func(t *payment.Trade) { t.Settle(receiptOf(t.Order, transaction, no, at), at) })
}

// traded is what the store has of the order.
func (w *fixtures) traded(id payment.OrderID) (stored payment.Trade) {
	w.trade(id, func(t *payment.Trade) { stored = cloned(*t) })
	return stored
}

// cloned is the trade anew, so that not even a store that shares its data can reach it.
func cloned(t payment.Trade) payment.Trade {
	t.Prepayments, t.Payments = slices.Clone(t.Prepayments), slices.Clone(t.Payments)
	for i, p := range t.Prepayments {
		t.Prepayments[i].Request = slices.Clone(p.Request)
	}
	return t
}

func (w *fixtures) journal(id payment.OrderID) []payment.Entry {
	entries, err := w.Ledger.Journal(w.Context(), id)
	require.NoError(w, err)
	return entries
}

// kept asserts that the store has the trade, with its new entries after those that were there.
func (w *fixtures) kept(want payment.Trade, before []payment.Entry) {
	got := w.traded(want.Order.ID)
	for i, p := range got.Payments {
		assert.Positive(w, p.ID)
		got.Payments[i].ID = 0
	}
	for i := range want.Payments {
		want.Payments[i].ID = 0
	}
	assert.Equal(w, slices.Concat(before, want.Entries), w.journal(want.Order.ID))
	want.Entries, want.Answer = nil, nil
	assert.Equal(w, want, got)
	o, err := w.Ledger.Order(w.Context(), want.Order.ID)
	require.NoError(w, err)
	assert.Equal(w, want.Order, o)
}

func changeTrade(w *fixtures) {
	o := w.charge(order(w.newUser(), noon))
	w.begins(w.charge(order(o.User, noon)).ID, inApp, "of another order", noon)
	plain := payment.Trade{Order: o, NextCheck: o.Expires, Entries: w.journal(o.ID)}
	at := noon
	var all []payment.Trade
	begin := func(i payment.Intent, no payment.TradeNo) func(*payment.Trade) {
		return func(t *payment.Trade) {
			_, err := t.Begin(opening(i, no), at)
			require.NoError(w, err)
		}
	}
	for _, do := range []func(*payment.Trade){
		begin(inside, "a"),
		func(t *payment.Trade) {
			t.RecordSent("a", payment.Ticket{PrepayID: "p'", CodeURL: "weixin://🀄", MWebURL: "https://w.example/?a=b"}, at)
		},
		begin(inApp, ""), // closes the former one
		func(t *payment.Trade) { require.NoError(w, t.RecordClosed("a", payment.ErrWalletNotFound, at)) },
		begin(byCode, "b"),
		func(t *payment.Trade) { t.RecordFailed("b", payment.ErrWalletTimeout, at) },
		func(t *payment.Trade) { t.ScheduleCheck(time.Minute, at) },
		func(t *payment.Trade) { t.Settle(receiptOf(t.Order, "disputed", "lost", at), at) },
		func(t *payment.Trade) {
			t.RecordReport("b", payment.Report{State: payment.WalletPaid, Receipt: receiptOf(t.Order, "applied", "b", at)}, at)
		},
		func(t *payment.Trade) { t.Settle(receiptOf(t.Order, "back", "b", at), at) },
	} {
		at = at.Add(30 * time.Second)
		do(&plain)
		w.trade(o.ID, do)
		w.kept(cloned(plain), nil)
		all = append(all, w.traded(o.ID))
	}
	assertComplete(w, all, "Entries", "Answer", "Payments.Refunded")
	assert.Equal(w, payment.Paid, plain.Order.State)
	assert.Len(w, w.payments("", pageNo(1, 100)).Items, len(plain.Payments))
}

func changeNoTrade(w *fixtures) {
	o := w.charge(order(w.newUser(), noon))
	for _, none := range []payment.OrderID{0, -1, o.ID + 1} {
		err := w.Ledger.Change(w.Context(), none, func(*payment.Trade) error {
			w.Error("there is nothing to change")
			return nil
		})
		assert.ErrorIs(w, err, payment.ErrNoOrder)
	}
}

// spoil changes all that there is of a trade.
func spoil(t *payment.Trade) {
	t.Begin(opening(byCode, "spoilt"), noon)
	t.Settle(receiptOf(t.Order, "spoilt", "spoilt", noon), noon)
	t.NextCheck = noon
}

func changeTradeFails(w *fixtures) {
	o := w.charge(order(w.newUser(), noon))
	before, noted := w.traded(o.ID), w.journal(o.ID)
	change := func(ctx context.Context, end func() error) error {
		return w.Ledger.Change(ctx, o.ID, func(t *payment.Trade) error {
			spoil(t)
			return end()
		})
	}
	for _, boom := range []error{errBoom, payment.ErrTooLate} {
		assert.Same(w, boom, change(w.Context(), func() error { return boom }))
	}
	assert.Panics(w, func() { _ = change(w.Context(), func() error { panic("boom") }) })
	ctx, cancel := context.WithCancel(w.Context())
	require.ErrorIs(w, change(ctx, func() error {
		cancel()
		return nil
	}), context.Canceled)
	w.promptly(func() { w.kept(before, noted) })
	_, err := w.Ledger.OrderOf(w.Context(), "spoilt")
	assert.ErrorIs(w, err, payment.ErrNoOrder)
	assert.Zero(w, w.payments("", pageNo(1, 10)).Total)
}

func changeTradeAtOnce(w *fixtures) {
	const fifty = 50
	o := w.charge(order(w.newUser(), noon))
	w.succeed(atOnce(fifty, func(n int) error {
		return w.Ledger.Change(w.Context(), o.ID, func(t *payment.Trade) error {
			at := noon.Add(time.Duration(n) * time.Second)
			t.NextCheck = t.NextCheck.Add(time.Second)
			t.Settle(receiptOf(t.Order, fmt.Sprint("t", n), "lost", at), at)
			step, err := t.Begin(opening(byCode, payment.TradeNo(fmt.Sprint("p", n))), noon)
			if step.Action == payment.ActionSend {
				return errors.Join(err, t.RecordClosed(step.Prepayment.TradeNo, nil, at))
			}
			return err
		})
	}))
	got := w.traded(o.ID)
	assert.Equal(w, o.Expires.Add(fifty*time.Second), got.NextCheck, "each begins with what the former has left")
	assert.Len(w, got.Payments, fifty)
	assert.Len(w, got.Prepayments, fifty)
	assert.Len(w, w.journal(o.ID), 1+3*fifty)
}

func changeTradeUnpaid(w *fixtures) {
	o := w.charge(order(w.newUser(), noon))
	w.pays(o.ID, "a", "t", noon)
	before, noted := w.traded(o.ID), w.journal(o.ID)
	for _, s := range []payment.State{payment.Open, payment.Closed} {
		require.Error(w, w.Ledger.Change(w.Context(), o.ID, func(t *payment.Trade) error {
			t.Order.State = s
			return nil
		}))
	}
	w.kept(before, noted)
}

func orderOf(w *fixtures) {
	who := w.newUser()
	first, second := w.charge(order(who, noon)), w.charge(order(who, noon))
	w.begins(first.ID, byCode, "a", noon)
	w.begins(second.ID, inApp, "A", noon)
	w.trade(first.ID, func(t *payment.Trade) { require.NoError(w, t.RecordClosed("a", nil, noon)) })
	w.begins(first.ID, byCode, "b", noon)
	for no, id := range map[payment.TradeNo]payment.OrderID{"a": first.ID, "A": second.ID, "b": first.ID} {
		got, err := w.Ledger.OrderOf(w.Context(), no)
		require.NoError(w, err)
		assert.Equal(w, id, got, no)
	}
	for _, none := range []payment.TradeNo{"", "B", "a "} {
		_, err := w.Ledger.OrderOf(w.Context(), none)
		assert.ErrorIs(w, err, payment.ErrNoOrder)
	}
}
