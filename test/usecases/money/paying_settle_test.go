package money_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/test/usecases"
)

func (w *payingFixture) notify(t *testing.T, text []byte) string {
	t.Helper()
	said, err := w.Notify(t.Context(), payment.Protocol("v2"), payment.Notification{Body: text})
	require.NoError(t, err)
	assert.Equal(t, 200, said.Status)
	assert.Equal(t, "text/plain", said.MediaType)
	return string(said.Body)
}

// payments returns all stored payments.
func (w *payingFixture) payments(t *testing.T) []payment.Payment {
	t.Helper()
	paged, err := w.ledger.Payments(t.Context(), payment.PaymentFilter{}, page.Request{})
	require.NoError(t, err)
	return paged.Items
}

func (w *payingFixture) verdicts(t *testing.T) (all []payment.PaymentState) {
	t.Helper()
	for _, p := range w.payments(t) {
		all = append(all, p.State)
	}
	return all
}

func TestPAY10_a_notification(t *testing.T) {
	w := newPayingFixtureWithWallet(t)
	id := w.order(t, w.ann)
	_, err := w.begin(t, id)
	require.NoError(t, err)
	text := w.wallet.pays()
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { assert.Equal(t, "true", w.notify(t, text)) })
	}
	all.Wait()
	assert.Equal(t, payment.Paid, w.state(t, id))
	assert.Equal(t, []payment.PaymentState{payment.Applied}, w.verdicts(t))
	assert.Empty(t, w.log.String())
	due, err := w.ledger.Due(t.Context(), w.now.Add(24*time.Hour), w.now.Add(25*time.Hour), 10)
	require.NoError(t, err)
	assert.Empty(t, due, "the wallet is not asked about it any more")
}

func TestPAY10_what_is_not_taken(t *testing.T) {
	w := newPayingFixtureWithWallet(t)
	assert.Equal(t, "false", w.notify(t, []byte("forged")))
	assert.Contains(t, w.log.String(), "level=WARN")
	assert.Equal(t, "true", w.notify(t, []byte("failed")), "there is nothing to do")
	assert.Empty(t, w.verdicts(t))

	_, err := newPayingFixture(t).Notify(t.Context(), payment.Protocol("v2"), payment.Notification{})
	assert.ErrorIs(t, err, payment.ErrNoWallet)
	_, err = w.Notify(t.Context(), payment.Protocol("v3"), payment.Notification{})
	assert.ErrorIs(t, err, payment.ErrNoWallet, "no gateway speaks that")
}

func TestPAY10_forged_notifications_are_logged_once_a_minute(t *testing.T) {
	w := newPayingFixtureWithWallet(t)
	for range 100 {
		assert.Equal(t, "false", w.notify(t, []byte("forged")))
	}
	assert.Equal(t, 1, strings.Count(w.log.String(), "level=WARN"))
	w.now = w.now.Add(time.Minute)
	assert.Equal(t, "false", w.notify(t, []byte("forged")))
	assert.Equal(t, 2, strings.Count(w.log.String(), "level=WARN"))
	assert.Contains(t, w.log.String(), "unlogged=99")
}

// failingLedger is a ledger that fails for a while.
type failingLedger struct {
	payment.Ledger
	fails bool
}

func (d *failingLedger) Change(ctx context.Context, id payment.OrderID, fn func(*payment.Trade) error) error {
	if d.fails {
		return errors.New("database unavailable")
	}
	return d.Ledger.Change(ctx, id, fn)
}

func TestPAY10_what_is_not_stored_is_not_acknowledged(t *testing.T) {
	wallet, ledger := newPayingWallet(), &failingLedger{}
	w := newPayingFixtureWith(t, payment.Gateways{Current: wallet}, func(l payment.Ledger) payment.Ledger { ledger.Ledger = l; return ledger })
	w.wallet = wallet
	id := w.order(t, w.ann)
	_, err := w.begin(t, id)
	require.NoError(t, err)
	text := wallet.pays()
	ledger.fails = true
	assert.Equal(t, "false", w.notify(t, text))
	ledger.fails = false
	assert.Equal(t, payment.Open, w.state(t, id))
	assert.Equal(t, "true", w.notify(t, text), "a repeated notification")
	assert.Equal(t, payment.Paid, w.state(t, id))
}

func TestPAY11_an_order_is_not_due_for_another_server_while_the_first_asks(t *testing.T) {
	w := newPayingFixtureWithWallet(t)
	before := payingLimits
	t.Cleanup(func() { payingLimits = before })
	payingLimits.Interval = time.Second // a call may take longer
	w.restart(payment.Gateways{Current: w.wallet})
	_, err := w.begin(t, w.order(t, w.ann))
	require.NoError(t, err)
	w.now = usecases.Noon.Add(payingLimits.Lease)
	asked := 0
	w.wallet.asking = func() {
		asked++
		later := w.now.Add(2*payingLimits.Lease - time.Second)
		due, err := w.ledger.Due(t.Context(), later, later.Add(time.Minute), 1)
		assert.NoError(t, err)
		assert.Empty(t, due)
	}
	_, err = w.PollDue(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, asked)
}

func TestPAY11_an_order_ends_when_nobody_can_pay_it_any_more(t *testing.T) {
	w := newPayingFixtureWithWallet(t)
	begun, never := w.order(t, w.ann), w.order(t, w.ann)
	_, err := w.begin(t, begun)
	require.NoError(t, err)
	w.now = usecases.Noon.Add(time.Hour)
	w.wallet.fails("close", payment.ErrWalletTimeout)
	_, err = w.PollDue(t.Context())
	require.ErrorIs(t, err, payment.ErrWalletTimeout)
	assert.Equal(t, payment.Open, w.state(t, begun), "the wallet has not confirmed the closing")
	assert.Equal(t, payment.Closed, w.state(t, never))
	w.now = w.now.Add(time.Minute)
	_, err = w.PollDue(t.Context())
	require.NoError(t, err)
	assert.Equal(t, payment.Closed, w.state(t, begun))
}

func TestPAY11_one_order_that_fails_does_not_hold_up_the_others(t *testing.T) {
	w := newPayingFixtureWithWallet(t)
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

func TestPAY14_a_notification_of_a_refund_makes_it_due_and_proves_nothing(t *testing.T) {
	w := newPayingFixtureWithWallet(t)
	id := w.order(t, w.ann)
	_, err := w.begin(t, id)
	require.NoError(t, err)
	assert.Equal(t, "true", w.notify(t, w.wallet.pays()))
	paid, err := w.Payments(t.Context(), payment.PaymentFilter{State: payment.Applied}, page.Request{})
	require.NoError(t, err)
	account, err := w.ledger.ChangeRefunds(t.Context(), paid.Items[0].ID, func(a *payment.RefundAccount) error {
		return a.Request(payment.RefundDraft{Reason: "Cold", Origin: payment.RefundByCommand}, "refund-1", usecases.Noon.Add(time.Hour))
	})
	require.NoError(t, err)
	assert.Equal(t, "true", w.notify(t, []byte("refund-1")))
	assert.Equal(t, "true", w.notify(t, []byte("refund-unknown")))
	stored, err := w.ledger.Refund(t.Context(), account.Refunds[0].ID)
	require.NoError(t, err)
	assert.Equal(t, usecases.Noon, stored.NextCheck)
	assert.Equal(t, payment.RefundProcessing, stored.State)
}
