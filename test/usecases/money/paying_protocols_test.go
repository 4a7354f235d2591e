package money_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
	"plaza/test/usecases"
)

// moves restarts the server with version 3 as the current protocol and returns its wallet.
func (w *fixture) moves() (current *testWallet) {
	current = newWallet("v3")
	w.restart(payment.Gateways{Current: current, Others: []payment.Gateway{w.wallet}})
	return current
}

func (w *fixture) protocols(t *testing.T) (all []payment.Protocol) {
	t.Helper()
	for _, p := range w.payments() {
		all = append(all, p.Protocol)
	}
	return all
}

func TestPAY09_a_prepayment_stays_with_the_protocol_that_opened_it(t *testing.T) {
	w := newFixture(t)
	id := w.order(t, w.ann)
	_, err := w.begin(t, id)
	require.NoError(t, err)
	former, current := w.wallet, w.moves()

	_, err = w.begin(t, id)
	require.NoError(t, err)
	assert.Equal(t, 2, former.asked("params"), "the former gateway signs for its own ticket")
	assert.Zero(t, current.asked("params"))

	w.now = usecases.Noon.Add(payingLimits.Interval)
	_, err = w.PollDue(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1, former.asked("query"))
	assert.Zero(t, current.asked("query"))

	other := w.order(t, w.bob)
	_, err = w.pay(t, w.bob, other)
	require.NoError(t, err)
	assert.Equal(t, 1, current.asked("prepare"), "a new prepayment")

	assert.Equal(t, "true", w.notify(t, former.pays()))
	said, err := w.Notify(t.Context(), payment.Protocol("v3"), payment.Notification{Body: current.pays()})
	require.NoError(t, err)
	assert.Equal(t, "true", string(said.Body))
	assert.Equal(t, payment.Paid, w.state(t, id))
	assert.Equal(t, payment.Paid, w.state(t, other))
	assert.ElementsMatch(t, []payment.Protocol{payment.Protocol("v2"), payment.Protocol("v3")}, w.protocols(t))
}

func TestPAY09_without_the_gateway_of_a_prepayment_nothing_happens_to_it(t *testing.T) {
	w := newFixture(t)
	id := w.order(t, w.ann)
	_, err := w.begin(t, id)
	require.NoError(t, err)
	current := newWallet("v3")
	w.restart(payment.Gateways{Current: current})
	_, err = w.begin(t, id)
	assert.ErrorIs(t, err, payment.ErrNoWallet)
	for _, at := range []time.Duration{time.Minute, 2 * time.Hour} {
		w.now = usecases.Noon.Add(at)
		_, err = w.PollDue(t.Context())
		assert.ErrorIs(t, err, payment.ErrNoWallet)
		assert.Equal(t, payment.Open, w.state(t, id), "it may still be paid")
	}
	for _, call := range []string{"prepare", "query", "close"} {
		assert.Zero(t, current.asked(call), "the wallet would not know it, and Plaza would take it for absent")
	}
}

func TestPAY10_a_payment_of_no_order_has_the_protocol_of_its_notification(t *testing.T) {
	w := newFixture(t)
	w.moves()
	for p, id := range map[payment.Protocol]string{payment.Protocol("v2"): "t2", payment.Protocol("v3"): "t3"} {
		_, err := w.Notify(t.Context(), p, payment.Notification{Body: []byte(`{"TransactionID": "` + id + `", "TradeNo": "of-no-order"}`)})
		require.NoError(t, err)
	}
	assert.ElementsMatch(t, []payment.Protocol{payment.Protocol("v2"), payment.Protocol("v3")}, w.protocols(t))
}
