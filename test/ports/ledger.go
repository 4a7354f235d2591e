package ports

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// Ledger is the suite of payment.Ledger.
func Ledger(t *testing.T, open Open) {
	open.keeps(t, slices.Concat(ledgerOrders, ledgerChanges, ledgerPayments, ledgerRefunds, ledgerFindings, ledgerKeys))
}

var ledgerOrders = []promise{
	{"AddOrder stores the order and returns it with its number, and so does Order, or else ErrNoOrder", addOrder},
	{"an order or a key of an unknown user is an error, and is not stored", addDanglingOrder},
	{"Orders returns the user's orders in the state, or of all, and OpenOrders the open ones: newest first, ties by descending id", ordersOf},
	{"orders, payments and refunds are listed by whose they are and by spans of time", ledgerSpans},
	{"an order begins its journal, and is to be looked at when it ends", addOrderNotes},
}

func order(of user.ID, at time.Time) payment.Order {
	return payment.NewOrder(of, "A subject", 1250, time.Hour, at)
}

// charge stores the order.
func (w *fixtures) charge(o payment.Order) payment.Order {
	w.Helper()
	o, err := w.Ledger.AddOrder(w.Context(), o, nil)
	require.NoError(w, err)
	return o
}

func (w *fixtures) ordersOf(id user.ID, s payment.State) []payment.Order {
	w.Helper()
	orders, err := w.Ledger.Orders(w.Context(), payment.OrderFilter{User: id, State: s}, pageNo(1, 100))
	require.NoError(w, err)
	assert.Equal(w, len(orders.Items), orders.Total)
	return orders.Items
}

func addOrder(w *fixtures) {
	who := w.newUser()
	full := payment.Order{
		User: who, Subject: broad(31) + "'%", Amount: 10_000_000, Currency: payment.CNY, State: payment.Paid, Created: noon,
		Expires: noon.Add(time.Hour), PaidAt: noon.Add(time.Microsecond), Transaction: "4200000000202603141234567890",
	}
	for _, o := range []payment.Order{order(who, noon), full} {
		added := w.charge(o)
		require.Positive(w, added.ID)
		o.ID = added.ID
		assert.Equal(w, o, added)
		got, err := w.Ledger.Order(w.Context(), o.ID)
		require.NoError(w, err)
		assert.Equal(w, o, got)
		assert.Equal(w, []payment.Order{o}, w.ordersOf(who, o.State))
		full.ID = o.ID
	}
	assertComplete(w, []payment.Order{full})
	for _, none := range []payment.OrderID{0, -1, 1 << 40} {
		_, err := w.Ledger.Order(w.Context(), none)
		assert.ErrorIs(w, err, payment.ErrNoOrder)
	}
}

func addDanglingOrder(w *fixtures) {
	for _, nobody := range []user.ID{0, -1, w.newUser() + 1} {
		_, err := w.Ledger.AddOrder(w.Context(), order(nobody, noon), nil)
		require.Error(w, err)
		assert.Equal(w, fault.Internal, fault.KindOf(err))
		assert.Empty(w, w.ordersOf(nobody, payment.Open))
		_, err = w.Ledger.Reserve(w.Context(), keyNamed(nobody, "k"), noon, noon.Add(time.Minute))
		require.Error(w, err)
		assert.Equal(w, fault.Internal, fault.KindOf(err))
	}
}

func addOrderNotes(w *fixtures) {
	who := w.newUser()
	open := w.charge(order(who, noon))
	closed := order(who, noon)
	closed.State = payment.Closed
	closed = w.charge(closed)
	for _, o := range []payment.Order{open, closed} {
		assert.Equal(w, []payment.Entry{{At: noon, Noted: payment.NotedOrdered}}, w.journal(o.ID))
	}
	assert.Empty(w, w.journal(closed.ID+1))
	assert.Empty(w, w.due(open.Expires.Add(-time.Microsecond), 10))
	assert.Equal(w, []payment.OrderID{open.ID}, w.due(open.Expires, 10), "nothing can become of the other")
}

func ordersOf(w *fixtures) {
	who := w.newUser()
	old, same, newer := w.charge(order(who, noon)), w.charge(order(who, noon)), w.charge(order(who, noon.Add(time.Microsecond)))
	closed, others := order(who, noon), w.charge(order(w.newUser(), noon))
	closed.State = payment.Closed
	closed = w.charge(closed)
	newest := []payment.Order{newer, same, old}
	assert.Equal(w, newest, w.ordersOf(who, payment.Open))
	open, err := w.Ledger.OpenOrders(w.Context(), who)
	require.NoError(w, err)
	assert.Equal(w, newest, open)
	assert.Equal(w, []payment.Order{newer, closed, same, old}, w.ordersOf(who, ""))
	assert.Empty(w, w.ordersOf(who, "OPEN"))
	assert.Len(w, w.ordersOf(0, payment.Open), 4, "of anybody")
	found, err := w.Ledger.OrdersOf(w.Context(), []payment.OrderID{others.ID, 1 << 40, old.ID, others.ID, 0})
	require.NoError(w, err)
	assert.ElementsMatch(w, []payment.Order{others, old}, found)
}
