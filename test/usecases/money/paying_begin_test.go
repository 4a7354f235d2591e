package money_test

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/paying"
	"plaza/domain/fault"
	"plaza/domain/payment"
)

// begin begins the payment of Ann's order with a QR code.
func (w *fixture) begin(t *testing.T, id payment.OrderID) (payment.ClientParams, error) {
	t.Helper()
	_, v, err := w.Pay(t.Context(), w.ann, paying.PayRequest{Intent: nativeIntent, Order: id})
	return v, err
}

func (w *fixture) state(t *testing.T, id payment.OrderID) payment.State {
	t.Helper()
	o, err := w.Order(t.Context(), id)
	require.NoError(t, err)
	return o.State
}

// noted returns the journal without its first entry, the creation.
func (w *fixture) noted(t *testing.T, id payment.OrderID) []payment.Noted {
	t.Helper()
	entries, err := w.Journal(t.Context(), id)
	require.NoError(t, err)
	var all []payment.Noted
	for _, e := range entries[1:] {
		all = append(all, e.Noted)
	}
	return all
}

func TestPAY09_what_is_asked_is_stored_before_and_its_answer_even_if_the_client_has_gone(t *testing.T) {
	w := newFixture(t)
	id := w.order(t, w.ann)
	w.wallet.hold, w.wallet.held = make(chan struct{}), make(chan struct{})
	ctx, leave := context.WithCancel(t.Context())
	var paid sync.WaitGroup
	paid.Go(func() { _, _, _ = w.Pay(ctx, w.ann, paying.PayRequest{Intent: nativeIntent, Order: id}) })
	<-w.wallet.held
	assert.Equal(t, []payment.Noted{payment.NotedSending}, w.noted(t, id), "the wallet has not even answered")
	leave()
	close(w.wallet.hold)
	paid.Wait()
	assert.Equal(t, []payment.Noted{payment.NotedSending, payment.NotedLive}, w.noted(t, id))
}

func TestPAY09_the_wallet_gets_a_number_that_names_the_order(t *testing.T) {
	w := newFixture(t)
	seen := map[payment.TradeNo]bool{}
	for range 20 {
		id := w.order(t, w.ann)
		_, err := w.begin(t, id)
		require.NoError(t, err)
		for no := range w.wallet.trades {
			if strings.HasPrefix(string(no), fmt.Sprintf("order-%d-", id)) {
				assert.Regexp(t, `^order-[0-9]+-[A-Z2-7]{20,}$`, no)
				assert.Len(t, no, 32, "as long as the wallet allows")
				seen[no] = true
			}
		}
	}
	assert.Len(t, seen, 20)
}

// countingLedger is a ledger that counts Changes.
type countingLedger struct {
	payment.Ledger
	changes atomic.Int64
}

func (c *countingLedger) Change(ctx context.Context, id payment.OrderID, fn func(*payment.Trade) error) error {
	c.changes.Add(1)
	return c.Ledger.Change(ctx, id, fn)
}

func TestPAY09_calls_at_once_wait_without_the_ledger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ledger := &countingLedger{}
		w := newFixture(t, func(l payment.Ledger) payment.Ledger { ledger.Ledger = l; return ledger })
		id := w.order(t, w.ann)
		w.wallet.hold, w.wallet.held = make(chan struct{}), make(chan struct{})
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				_, err := w.begin(t, id)
				assert.NoError(t, err)
			})
		}
		<-w.wallet.held
		<-time.After(payingLimits.Call - time.Millisecond) // of the bubble's time
		assert.EqualValues(t, 1, ledger.changes.Load())
		close(w.wallet.hold)
		all.Wait()
	})
}

func TestPAY09_who_waits_too_long_comes_again(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t)
		id := w.order(t, w.ann)
		w.wallet.hold, w.wallet.held = make(chan struct{}), make(chan struct{}, 2)
		var first sync.WaitGroup
		first.Go(func() {
			_, err := w.begin(t, id)
			assert.Equal(t, fault.Timeout, fault.KindOf(err), "%v", err)
		})
		<-w.wallet.held
		gone, leave := context.WithCancel(t.Context())
		leave()
		_, _, err := w.Pay(gone, w.ann, paying.PayRequest{Intent: nativeIntent, Order: id})
		assert.ErrorIs(t, err, context.Canceled)
		first.Wait()

		// Another server holds the lease.
		require.NoError(t, w.ledger.Change(t.Context(), id, func(t *payment.Trade) error {
			_, err := t.Begin(payment.BeginRequest{Intent: nativeIntent, Lease: 7 * time.Second}, w.now)
			return err
		}))
		_, err = w.begin(t, id)
		f, _ := fault.As(err)
		require.NotNil(t, f)
		assert.Equal(t, fault.Conflict, f.Kind)
		assert.Equal(t, 7*time.Second, f.RetryAfter)
	})
}

func TestPAY09_a_number_that_is_something_else_there_is_given_up(t *testing.T) {
	w := newFixture(t)
	id := w.order(t, w.ann)
	w.wallet.fails("prepare", payment.ErrWalletOtherOrder)
	_, err := w.begin(t, id)
	require.NoError(t, err)
	assert.Len(t, w.wallet.trades, 2)
	assert.Equal(t, 1, w.wallet.asked("close"))
	assert.Contains(t, w.log.String(), "level=ERROR", "it needs review")
}

func TestPAY13_a_wallet_that_denies_every_number_is_at_fault(t *testing.T) {
	w := newFixture(t)
	id := w.order(t, w.ann)
	w.wallet.denies = payment.ErrWalletOtherOrder
	_, err := w.begin(t, id)
	require.ErrorIs(t, err, payment.ErrWalletBadResponse)
	w.wallet.denies = nil
	_, err = w.begin(t, id)
	require.NoError(t, err)
}

// TestPAY09_a_prepayment_that_a_crashed_server_closed_is_replaced: the ticket of the first
// prepayment is lost, and then that the wallet has closed it for another way to pay.
func TestPAY09_a_prepayment_that_a_crashed_server_closed_is_replaced(t *testing.T) {
	w := newFixture(t)
	id := w.order(t, w.ann)
	w.wallet.fails("prepare", payment.ErrWalletTimeout)
	_, err := w.begin(t, id)
	require.ErrorIs(t, err, payment.ErrWalletTimeout)
	for _, trade := range w.wallet.trades {
		trade.state = payment.WalletClosed
	}
	_, err = w.begin(t, id)
	require.NoError(t, err)
	assert.Len(t, w.wallet.trades, 2)
	assert.Contains(t, w.log.String(), "level=WARN")
	assert.NotContains(t, w.log.String(), "level=ERROR", "no review is needed")
}

func TestPAY09_an_order_that_is_paid_there_is_paid_here(t *testing.T) {
	w := newFixture(t)
	id := w.order(t, w.ann)
	w.wallet.fails("prepare", payment.ErrWalletTimeout)
	_, err := w.begin(t, id)
	require.ErrorIs(t, err, payment.ErrWalletTimeout)
	w.wallet.pays()
	_, err = w.begin(t, id)
	require.ErrorIs(t, err, payment.ErrPaid)
	assert.Equal(t, payment.Paid, w.state(t, id))
}

func TestPAY13_a_wallet_that_contradicts_itself(t *testing.T) {
	for name, query := range map[string]error{
		"it says unpaid": nil, "it is silent": payment.ErrWalletTimeout, "it is garbled": payment.ErrWalletBadResponse,
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			id := w.order(t, w.ann)
			w.wallet.fails("prepare", payment.ErrWalletPaid)
			w.wallet.fails("query", query)
			_, err := w.begin(t, id)
			require.ErrorIs(t, err, cmp.Or(query, error(payment.ErrWalletBadResponse)))
			f, _ := fault.As(err)
			require.NotNil(t, f)
			assert.NotContains(t, f.Text, "charged", "it may have been")
			assert.Equal(t, payment.Open, w.state(t, id))
			_, err = w.begin(t, id)
			require.NoError(t, err)
		})
	}
}
