package money_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/application/paying"
	"plaza/application/reconciling"
	"plaza/application/refunding"
	"plaza/domain/access"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
	"plaza/test/memory"
	"plaza/test/usecases"
)

// fixture is a server with a wallet. Ann is staff, too.
type fixture struct {
	*testing.T
	*paying.Paying
	*refunding.Refunding
	*reconciling.Reconciling
	ledger    payment.Ledger
	directory user.Directory
	wallet    *testWallet
	ann, bob  access.Actor
	now       time.Time
	log       *bytes.Buffer
	automatic bool  // the server refunds by itself
	killed    error // with which the comparison of a bill fails after it has taken in a payment
}

// payingLimits are waited for in synctest bubbles alone.
var payingLimits = paying.Limits{Call: 5 * time.Second, Interval: 30 * time.Second}

// newFixture returns a fixture whose wallet speaks version 2. The functions wrap the ledger.
func newFixture(t *testing.T, around ...func(payment.Ledger) payment.Ledger) *fixture {
	t.Helper()
	store := memory.New()
	w := &fixture{T: t, ledger: store.Ledger, directory: store.Directory, wallet: newWallet("v2"), now: usecases.Noon, log: &bytes.Buffer{}}
	for _, wrap := range around {
		w.ledger = wrap(w.ledger)
	}
	w.ann, w.bob = usecases.OpenActor(t, store, "+86-13900000001"), usecases.OpenActor(t, store, "+86-13900000002")
	w.restart(payment.Gateways{Current: w.wallet})
	return w
}

// restart replaces the server by one with the gateways.
func (w *fixture) restart(g payment.Gateways) {
	logger := slog.New(slog.NewTextHandler(w.log, nil))
	log, now := func(context.Context) *slog.Logger { return logger }, func() time.Time { return w.now }
	w.Paying = paying.New(w.ledger, w.directory, g, payingLimits, now, log)
	limits := refunding.Limits{Call: payingLimits.Call, Interval: payingLimits.Interval, Automatic: w.automatic}
	w.Refunding = refunding.New(w.ledger, g, limits, now, log)
	w.Reconciling = reconciling.New(w.ledger, g, func(ctx context.Context, over payment.Protocol, r payment.Receipt) (payment.Payment, error) {
		p, err := w.ApplyReceipt(ctx, over, r)
		if err == nil && w.killed != nil {
			return payment.Payment{}, w.killed
		}
		return p, err
	}, now, log)
}

func (w *fixture) order(t *testing.T, of access.Actor, change ...func(*payment.Order)) payment.OrderID {
	t.Helper()
	o := payment.NewOrder(of.ID, "Tea", 990, time.Hour, usecases.Noon)
	for _, c := range change {
		c(&o)
	}
	o, err := w.ledger.AddOrder(t.Context(), o, nil)
	require.NoError(t, err)
	return o.ID
}

// nativeIntent is a payment with a QR code.
var nativeIntent = payment.Intent{EndType: payment.Native, App: payment.OfficialAccount}

func (w *fixture) pay(t *testing.T, who access.Actor, id payment.OrderID) (payment.OrderID, error) {
	t.Helper()
	chosen, _, err := w.Pay(t.Context(), who, paying.PayRequest{Intent: nativeIntent, Order: id})
	return chosen.ID, err
}

// change changes the order's trade in the ledger.
func (w *fixture) change(id payment.OrderID, fn func(*payment.Trade)) {
	w.Helper()
	require.NoError(w, w.ledger.Change(w.Context(), id, func(t *payment.Trade) error {
		fn(t)
		return nil
	}))
}

// opens stores an order of Ann with a prepayment, and returns the receipt that its payment would have.
func (w *fixture) opens(n int, at time.Time) payment.Receipt {
	w.Helper()
	id := w.order(w.T, w.ann, func(o *payment.Order) { o.Created, o.Expires = at.Add(-time.Minute), at.Add(time.Hour) })
	no := payment.TradeNo(fmt.Sprintf("order-%d-%d", id, n))
	w.change(id, func(t *payment.Trade) {
		_, err := t.Begin(payment.BeginRequest{
			Intent: nativeIntent, TradeNo: no, Protocol: w.wallet.protocol, Lease: time.Second, BuildRequest: w.wallet.BuildRequest,
		}, at)
		require.NoError(w, err)
	})
	return payment.Receipt{
		TransactionID: fmt.Sprint("t", n), TradeNo: no, App: payment.OfficialAccount, Amount: 990, Currency: "CNY", Paid: at,
	}
}

// settles stores payments of the receipt's order with the transactions, and returns them. The second one is RefundDue.
func (w *fixture) settles(r payment.Receipt, transactions ...string) (all []payment.Payment) {
	w.Helper()
	id, err := w.ledger.OrderOf(w.Context(), r.TradeNo)
	require.NoError(w, err)
	w.change(id, func(t *payment.Trade) {
		for _, r.TransactionID = range transactions {
			t.Settle(r, r.Paid.Add(time.Second))
		}
	})
	w.change(id, func(t *payment.Trade) { all = t.Payments })
	return all
}

// payments returns all payments in the ledger.
func (w *fixture) payments() []payment.Payment {
	w.Helper()
	paged, err := w.ledger.Payments(w.Context(), payment.PaymentFilter{}, page.Request{})
	require.NoError(w, err)
	return paged.Items
}
