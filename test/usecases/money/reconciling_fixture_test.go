package money_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/adapters/memory"
	"plaza/application/paying"
	"plaza/application/reconciling"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
	"plaza/test/usecases"
)

// reconcilingWallet is a gateway with the wallet's bills alone.
type reconcilingWallet struct {
	payment.Gateway
	bills map[payment.Day][]payment.BillLine
	err   error // of the next Bill, after half of its lines
	asked []payment.Day
}

func (w *reconcilingWallet) Protocol() payment.Protocol { return payment.Protocol("v3") }

func (w *reconcilingWallet) Bill(_ context.Context, d payment.Day, fn func(payment.BillLine) error) error {
	w.asked = append(w.asked, d)
	lines, err := w.bills[d], w.err
	if w.err = nil; err != nil {
		lines = lines[:len(lines)/2]
	}
	for _, l := range lines {
		if err := fn(l); err != nil {
			return err
		}
	}
	return err
}

var (
	noonInBeijing = time.Date(2026, 11, 20, 4, 0, 0, 0, time.UTC) // in Beijing
	billDay       = payment.DayOf(noonInBeijing)
	billReady     = noonInBeijing.Add(22 * time.Hour) // when the bill of today is made
)

type reconcilingFixture struct {
	*testing.T
	*reconciling.Reconciling
	ledger payment.Ledger
	wallet *reconcilingWallet
	user   user.ID
	now    time.Time
	log    bytes.Buffer
	killed error // with which Apply fails after it has taken effect
}

func newReconcilingFixture(t *testing.T) *reconcilingFixture {
	t.Helper()
	store := memory.New()
	w := &reconcilingFixture{T: t, ledger: store.Ledger(), wallet: &reconcilingWallet{bills: map[payment.Day][]payment.BillLine{}},
		now: billReady}
	w.user = usecases.OpenActor(t, store, "+86-13900000001").ID
	logger := slog.New(slog.NewTextHandler(&w.log, nil))
	log := func(context.Context) *slog.Logger { return logger }
	now := func() time.Time { return w.now }
	gateways := payment.Gateways{Current: w.wallet}
	receipts := paying.New(w.ledger, store.Accounts(), gateways, paying.NewLimits(time.Second, time.Second), now, log)
	w.Reconciling = reconciling.New(w.ledger, gateways, func(ctx context.Context, over payment.Protocol, r payment.Receipt) (payment.Payment,
		error) {
		p, err := receipts.ApplyReceipt(ctx, over, r)
		if err == nil && w.killed != nil {
			return payment.Payment{}, w.killed
		}
		return p, err
	}, now, log)
	return w
}

// opens stores an order with a prepayment, and returns the receipt that its payment would have.
func (w *reconcilingFixture) opens(n int, at time.Time) payment.Receipt {
	w.Helper()
	o, err := w.ledger.AddOrder(w.Context(), payment.NewOrder(w.user, "Tea", 990, time.Hour, at.Add(-time.Minute)), nil)
	require.NoError(w, err)
	no := payment.TradeNo(fmt.Sprintf("order-%d-%d", o.ID, n))
	require.NoError(w, w.ledger.Change(w.Context(), o.ID, func(t *payment.Trade) error {
		_, err := t.Begin(payment.BeginRequest{
			Intent: nativeIntent, TradeNo: no, Protocol: payment.Protocol("v3"), Lease: time.Second,
			BuildRequest: func(payment.Order, payment.Intent, payment.TradeNo) ([]byte, error) { return []byte("request"), nil },
		}, at)
		return err
	}))
	return payment.Receipt{TransactionID: fmt.Sprintf("t%d", n), TradeNo: no, App: payment.OfficialAccount, Amount: 990, Currency: "CNY",
		Paid: at}
}

// pays stores the payment of an order, and returns its line in a bill.
func (w *reconcilingFixture) pays(n int, at time.Time) payment.BillLine {
	w.Helper()
	r := w.opens(n, at)
	id, err := w.ledger.OrderOf(w.Context(), r.TradeNo)
	require.NoError(w, err)
	require.NoError(w, w.ledger.Change(w.Context(), id, func(t *payment.Trade) error {
		t.Settle(r, at.Add(time.Second))
		return nil
	}))
	return billLineOf(r)
}

func billLineOf(r payment.Receipt) payment.BillLine {
	return payment.BillLine{TransactionID: r.TransactionID, TradeNo: r.TradeNo, App: r.App, Amount: r.Amount, Currency: r.Currency, At: r.Paid}
}

// refunds stores a refund of 300 that the wallet has confirmed, and returns its line in a bill.
func (w *reconcilingFixture) refunds(l payment.BillLine, no payment.RefundNo, at time.Time) payment.BillLine {
	w.Helper()
	all, err := w.ledger.Payments(w.Context(), payment.PaymentFilter{}, page.Request{})
	require.NoError(w, err)
	for _, p := range all.Items {
		if p.TransactionID != l.TransactionID {
			continue
		}
		amount := int64(300)
		_, err := w.ledger.ChangeRefunds(w.Context(), p.ID, func(a *payment.RefundAccount) error {
			if err := a.Request(payment.RefundDraft{Payment: p.ID, Amount: &amount, Reason: "Cold", Origin: payment.RefundByCommand}, no,
				at); err != nil {
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
func (w *reconcilingFixture) reconciles(d payment.Day) (reconciling.Result, []payment.Finding) {
	w.Helper()
	result, err := w.Reconcile(w.Context(), d)
	require.NoError(w, err)
	return result, w.found(d)
}

func (w *reconcilingFixture) found(d payment.Day) (all []payment.Finding) {
	w.Helper()
	found, err := w.Findings(w.Context(), payment.FindingFilter{Day: d}, page.Request{})
	require.NoError(w, err)
	for _, f := range found.Items {
		f.ID = 0
		all = append([]payment.Finding{f}, all...)
	}
	return all
}
