package money_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/test/usecases"
)

func (w *fixture) notify(t *testing.T, text []byte) string {
	t.Helper()
	said, err := w.Notify(t.Context(), payment.Protocol("v2"), payment.Notification{Body: text})
	require.NoError(t, err)
	assert.Equal(t, 200, said.Status)
	assert.Equal(t, "text/plain", said.MediaType)
	return string(said.Body)
}

func TestPAY10_forged_notifications_are_logged_once_a_minute(t *testing.T) {
	w := newFixture(t)
	for range 100 {
		assert.Equal(t, "false", w.notify(t, []byte("forged")))
	}
	assert.Equal(t, 1, strings.Count(w.log.String(), "level=WARN"))
	w.now = w.now.Add(time.Minute)
	assert.Equal(t, "false", w.notify(t, []byte("forged")))
	assert.Equal(t, 2, strings.Count(w.log.String(), "level=WARN"))
	assert.Contains(t, w.log.String(), "unlogged=99")
	_, err := w.Notify(t.Context(), payment.Protocol("v3"), payment.Notification{})
	assert.ErrorIs(t, err, payment.ErrNoWallet, "no gateway speaks that")
}

// failingLedger is a ledger that fails for a while.
type failingLedger struct {
	payment.Ledger
	fails bool
}

func (d *failingLedger) Change(ctx context.Context, id payment.OrderID, fn func(*payment.Trade) error) error {
	return d.Ledger.Change(ctx, id, func(t *payment.Trade) error {
		err := fn(t)
		if d.fails {
			return errors.New("database unavailable")
		}
		return err
	})
}

func TestPAY10_what_is_not_stored_is_not_acknowledged(t *testing.T) {
	ledger := &failingLedger{}
	w := newFixture(t, func(l payment.Ledger) payment.Ledger { ledger.Ledger = l; return ledger })
	id := w.order(t, w.ann)
	_, err := w.begin(t, id)
	require.NoError(t, err)
	ledger.fails = true
	assert.Error(t, w.Close(t.Context(), id))
	assert.Zero(t, w.wallet.asked("close"), "what is not stored is not sent either")
	text := w.wallet.pays()
	assert.Equal(t, "false", w.notify(t, text))
	ledger.fails = false
	assert.Equal(t, payment.Open, w.state(t, id))
	assert.Equal(t, "true", w.notify(t, text), "a repeated notification")
	assert.Equal(t, payment.Paid, w.state(t, id))
}

func TestPAY11_an_order_is_not_due_for_another_server_while_the_first_asks(t *testing.T) {
	w := newFixture(t)
	before := payingLimits
	t.Cleanup(func() { payingLimits = before })
	payingLimits.Interval = time.Second // a call may take longer
	w.restart(payment.Gateways{Current: w.wallet})
	_, err := w.begin(t, w.order(t, w.ann))
	require.NoError(t, err)
	w.now = usecases.Noon.Add(2 * payingLimits.Call)
	asked := 0
	w.wallet.asking = func() {
		asked++
		later := w.now.Add(4*payingLimits.Call - time.Second)
		due, err := w.ledger.Due(t.Context(), later, later.Add(time.Minute), 1)
		assert.NoError(t, err)
		assert.Empty(t, due)
	}
	_, err = w.PollDue(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, asked)
}

func TestPAY11_one_order_that_fails_does_not_hold_up_the_others(t *testing.T) {
	w := newFixture(t)
	var ids []payment.OrderID
	for range 40 {
		id := w.order(t, w.ann)
		_, err := w.begin(t, id)
		require.NoError(t, err)
		ids = append(ids, id)
	}
	w.now = usecases.Noon.Add(2 * time.Hour)
	w.wallet.fails("query", payment.ErrWalletBadResponse)
	n, err := w.PollDue(t.Context())
	require.ErrorIs(t, err, payment.ErrWalletBadResponse)
	assert.Equal(t, 32, n, "a batch")
	n, err = w.PollDue(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 8, n)
	closed := 0
	for _, id := range ids {
		if w.state(t, id) == payment.Closed {
			closed++
		}
	}
	assert.Equal(t, 39, closed)
}

func TestPAY11_a_disputed_payment_that_was_given_back_holds_its_order_no_longer(t *testing.T) {
	w := newFixture(t)
	id := w.order(t, w.ann)
	_, err := w.begin(t, id)
	require.NoError(t, err)
	w.wallet.pays()
	for _, trade := range w.wallet.trades {
		trade.Order.Amount--
	}
	w.now = w.now.Add(time.Minute)
	_, err = w.PollDue(t.Context())
	require.NoError(t, err)
	disputed, err := w.ledger.Payments(t.Context(), payment.PaymentFilter{State: payment.Disputed}, page.Request{})
	require.NoError(t, err)
	_, err = w.Request(t.Context(), w.draft(disputed.Items[0], 989), nil, nil)
	require.NoError(t, err)
	w.log.Reset()
	for range 3 {
		w.now = w.now.Add(payment.DisputeInterval)
		_, err = w.PollDue(t.Context())
		require.NoError(t, err)
	}
	assert.Equal(t, payment.Closed, w.state(t, id))
	assert.Empty(t, w.log.String())
	w.change(id, func(trade *payment.Trade) { assert.Zero(t, trade.NextCheck) })
}
