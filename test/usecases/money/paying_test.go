package money_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/memory"
	"plaza/application/paying"
	"plaza/domain/access"
	"plaza/domain/payment"
	"plaza/domain/user"
	"plaza/test/usecases"
)

type payingFixture struct {
	*paying.Paying
	ledger    payment.Ledger
	directory user.Directory
	wallet    *payingWallet
	ann, bob  access.Actor
	now       time.Time
	log       *bytes.Buffer
}

// payingLimits are waited for in synctest bubbles alone.
var payingLimits = paying.Limits{Call: 5 * time.Second, Lease: 10 * time.Second, Interval: 30 * time.Second}

// newPayingFixture returns a fixture without a wallet.
func newPayingFixture(t *testing.T) *payingFixture {
	t.Helper()
	return newPayingFixtureWith(t, payment.Gateways{}, nil)
}

// newPayingFixtureWithWallet returns a fixture with a wallet.
func newPayingFixtureWithWallet(t *testing.T) *payingFixture {
	t.Helper()
	wallet := newPayingWallet()
	w := newPayingFixtureWith(t, payment.Gateways{Current: wallet}, nil)
	w.wallet = wallet
	return w
}

// newPayingFixtureWith returns a fixture with the gateways, whose ledger around wraps.
func newPayingFixtureWith(t *testing.T, gateways payment.Gateways, around func(payment.Ledger) payment.Ledger) *payingFixture {
	t.Helper()
	store := memory.New()
	w := &payingFixture{ledger: store.Ledger(), directory: store.Accounts(), now: usecases.Noon, log: &bytes.Buffer{}}
	if around != nil {
		w.ledger = around(w.ledger)
	}
	w.ann, w.bob = usecases.OpenActor(t, store, "+86-13900000001"), usecases.OpenActor(t, store, "+86-13900000002")
	w.restart(gateways)
	return w
}

// restart replaces the server by one with the gateways.
func (w *payingFixture) restart(gateways payment.Gateways) {
	log := slog.New(slog.NewTextHandler(w.log, nil))
	w.Paying = paying.New(w.ledger, w.directory, gateways, payingLimits, func() time.Time { return w.now },
		func(context.Context) *slog.Logger { return log })
}

func (w *payingFixture) order(t *testing.T, of access.Actor, change ...func(*payment.Order)) payment.OrderID {
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

func (w *payingFixture) pay(t *testing.T, who access.Actor, id payment.OrderID) (payment.OrderID, error) {
	t.Helper()
	chosen, _, err := w.Pay(t.Context(), who, paying.PayRequest{Intent: nativeIntent, Order: id})
	return chosen.ID, err
}

func TestPAY07_which_order_is_paid(t *testing.T) {
	w := newPayingFixture(t)
	_, err := w.pay(t, w.ann, 0)
	assert.ErrorIs(t, err, payment.ErrNoOpenOrder)
	paid := w.order(t, w.ann, func(o *payment.Order) { o.State, o.PaidAt, o.Transaction = payment.Paid, usecases.Noon, "t1" })
	closed := w.order(t, w.ann, func(o *payment.Order) { o.State = payment.Closed })
	first := w.order(t, w.ann)
	theirs := w.order(t, w.bob)
	chosen, err := w.pay(t, w.ann, 0)
	assert.ErrorIs(t, err, payment.ErrNoWallet, "all else is right")
	assert.Equal(t, first, chosen)
	for id, want := range map[payment.OrderID]error{
		paid: payment.ErrPaid, closed: payment.ErrClosed, theirs: payment.ErrNoOrder, 999: payment.ErrNoOrder,
	} {
		_, err = w.pay(t, w.ann, id)
		assert.ErrorIs(t, err, want)
	}
	second := w.order(t, w.ann)
	_, err = w.pay(t, w.ann, 0)
	assert.ErrorIs(t, err, payment.ErrAmbiguousOrder)
	chosen, err = w.pay(t, w.ann, second)
	assert.ErrorIs(t, err, payment.ErrNoWallet)
	assert.Equal(t, second, chosen)

	w.now = usecases.Noon.Add(time.Hour)
	_, err = w.pay(t, w.ann, second)
	assert.ErrorIs(t, err, payment.ErrExpired)
	_, err = w.pay(t, w.ann, 0)
	assert.ErrorIs(t, err, payment.ErrNoOpenOrder)
}
