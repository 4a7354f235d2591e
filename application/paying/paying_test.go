package paying_test

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
	"plaza/test/guard"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

type fixture struct {
	*paying.Paying
	ledger    payment.Ledger
	directory user.Directory
	wallet    *toy
	ann, bob  access.Actor
	now       time.Time
	log       *bytes.Buffer
}

// limits are short where tests wait in real time.
var limits = paying.Limits{Call: 100 * time.Millisecond, Lease: 10 * time.Second, Interval: 30 * time.Second}

// newFixture returns a fixture without a wallet.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	return newFixtureWith(t, payment.Gateways{}, nil)
}

// newTrading returns a fixture with a wallet.
func newTrading(t *testing.T) *fixture {
	t.Helper()
	wallet := newToy()
	w := newFixtureWith(t, payment.Gateways{Current: wallet}, nil)
	w.wallet = wallet
	return w
}

// newFixtureWith returns a fixture with the gateways, whose ledger around wraps.
func newFixtureWith(t *testing.T, gateways payment.Gateways, around func(payment.Ledger) payment.Ledger) *fixture {
	t.Helper()
	store := memory.New()
	guarded := guard.Wrap(guard.Stores{Ledger: store.Ledger(), Directory: store.Accounts()})
	w := &fixture{ledger: guarded.Ledger, directory: guarded.Directory, now: noon, log: &bytes.Buffer{}}
	if around != nil {
		w.ledger = around(w.ledger)
	}
	open := func(number string) access.Actor {
		phone, err := user.ParsePhone(number)
		require.NoError(t, err)
		id, err := store.Accounts().Open(t.Context(), access.Account{Phone: phone}, user.Member{Timezone: "UTC", Joined: noon})
		require.NoError(t, err)
		return access.Actor{ID: id}
	}
	w.ann, w.bob = open("+86-13900000001"), open("+86-13900000002")
	w.restart(gateways)
	return w
}

// restart replaces the server by one with the gateways.
func (w *fixture) restart(gateways payment.Gateways) {
	log := slog.New(slog.NewTextHandler(w.log, nil))
	w.Paying = paying.New(w.ledger, w.directory, gateways, limits, func() time.Time { return w.now },
		func(context.Context) *slog.Logger { return log })
}

func (w *fixture) order(t *testing.T, of access.Actor, change ...func(*payment.Order)) payment.OrderID {
	t.Helper()
	o := payment.NewOrder(of.ID, "Tea", 990, time.Hour, noon)
	for _, c := range change {
		c(&o)
	}
	o, err := w.ledger.AddOrder(t.Context(), o, nil)
	require.NoError(t, err)
	return o.ID
}

// native is a payment with a QR code.
var native = payment.Intent{EndType: payment.Native, App: payment.OfficialAccount}

func (w *fixture) pay(t *testing.T, who access.Actor, id payment.OrderID) (payment.OrderID, error) {
	t.Helper()
	chosen, _, err := w.Pay(t.Context(), who, paying.PayRequest{Intent: native, Order: id})
	return chosen.ID, err
}

func TestPAY07_which_order_is_paid(t *testing.T) {
	w := newFixture(t)
	_, err := w.pay(t, w.ann, 0)
	assert.ErrorIs(t, err, payment.ErrNoOpenOrder)
	paid := w.order(t, w.ann, func(o *payment.Order) { o.State, o.PaidAt, o.Transaction = payment.Paid, noon, "t1" })
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

	w.now = noon.Add(time.Hour)
	_, err = w.pay(t, w.ann, second)
	assert.ErrorIs(t, err, payment.ErrExpired)
	_, err = w.pay(t, w.ann, 0)
	assert.ErrorIs(t, err, payment.ErrNoOpenOrder)
}
