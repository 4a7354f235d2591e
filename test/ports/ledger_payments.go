package ports

import (
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/page"
	"plaza/domain/payment"
)

var ledgerPayments = []promise{
	{"AddUnmatched stores a payment of no order, once for each transaction", addUnmatched},
	{"AddUnmatched of one transaction at once stores one payment", addUnmatchedAtOnce},
	{"Payments are those in the state, of an order, the one with a number, and the one with a transaction", paymentsFound},
	{"Due returns the orders whose Look has come, the earliest first, and puts them off", due},
	{"Due never gives an order to two who ask at once", dueAtOnce},
}

// unmatchedPayment is a payment without a known order.
func unmatchedPayment(transaction string, at time.Time) payment.Payment {
	return payment.UnmatchedPayment(payment.Receipt{
		TransactionID: transaction, TradeNo: "lost", App: payment.OfficialAccount, Amount: 990, Currency: "USD", Paid: at,
	}, payment.Protocol("v3"), at)
}

func (w *fixtures) addUnmatched(transaction string, at time.Time) payment.Payment {
	w.Helper()
	p, err := w.Ledger.AddUnmatched(w.Context(), unmatchedPayment(transaction, at))
	require.NoError(w, err)
	return p
}

func (w *fixtures) payments(v payment.PaymentState, r page.Request) page.Page[payment.Payment] {
	w.Helper()
	p, err := w.Ledger.Payments(w.Context(), payment.PaymentFilter{State: v}, r)
	require.NoError(w, err)
	return p
}

// due are at most limit of the orders that are due, which are put off for a day.
func (w *fixtures) due(now time.Time, limit int) []payment.OrderID {
	w.Helper()
	ids, err := w.Ledger.Due(w.Context(), now, now.AddDate(0, 0, 1), limit)
	require.NoError(w, err)
	return ids
}

func addUnmatched(w *fixtures) {
	o := w.charge(order(w.newUser(), noon))
	w.pays(o.ID, "a", "known", noon)
	want := unmatchedPayment("t", noon)
	added := w.addUnmatched("t", noon)
	require.Positive(w, added.ID)
	want.ID = added.ID
	assert.Equal(w, want, added)
	assert.Equal(w, want, w.addUnmatched("t", noon.Add(time.Hour)), "what came first stays")
	other := w.addUnmatched("T", noon)
	assert.NotEqual(w, added.ID, other.ID)

	known := w.addUnmatched("known", noon.Add(time.Hour))
	assert.Equal(w, o.ID, known.Order)
	assert.Equal(w, payment.Applied, known.State)
	assert.Equal(w, 3, w.payments("", pageNo(1, 10)).Total)

	claimed := unmatchedPayment("u", noon)
	claimed.Order = o.ID
	got, err := w.Ledger.AddUnmatched(w.Context(), claimed)
	require.NoError(w, err)
	assert.Zero(w, got.Order, "it belongs to none")
	assert.Len(w, w.traded(o.ID).Payments, 1)
}

func addUnmatchedAtOnce(w *fixtures) {
	all := atOnce(many, func(n int) payment.Payment {
		p, err := w.Ledger.AddUnmatched(w.Context(), unmatchedPayment("t", noon.Add(time.Duration(n)*time.Second)))
		assert.NoError(w, err)
		return p
	})
	for _, p := range all {
		assert.Equal(w, all[0], p)
	}
	assert.Equal(w, []payment.Payment{all[0]}, w.payments("", pageNo(1, 10)).Items)
}

func paymentsFound(w *fixtures) {
	o, other := w.charge(order(w.newUser(), noon)), w.charge(order(w.newUser(), noon))
	w.pays(o.ID, "a", "applied", noon.Add(2*time.Second))
	w.pays(other.ID, "b", "of another", noon.Add(time.Second))
	stray := w.addUnmatched("stray", noon)
	for f, want := range map[payment.PaymentFilter][]string{
		{Order: o.ID}: {"applied"}, {ID: stray.ID}: {"stray"}, {Transaction: "of another"}: {"of another"}, {Transaction: "lost"}: nil,
		{State: payment.Applied}: {"applied", "of another"}, {State: payment.Disputed}: {"stray"}, {Order: o.ID, State: payment.Disputed}: nil,
		{Order: o.ID, ID: stray.ID}: nil, {}: {"applied", "of another", "stray"},
	} {
		p, err := w.Ledger.Payments(w.Context(), f, page.Request{})
		require.NoError(w, err)
		var got []string
		for _, one := range p.Items {
			got = append(got, one.TransactionID)
		}
		assert.Equal(w, want, got, f)
		assert.Equal(w, len(want), p.Total, f)
	}
}

// orderDueAt stores an order that is to be looked at then.
func (w *fixtures) orderDueAt(at time.Time) payment.OrderID {
	w.Helper()
	id := w.charge(order(w.newUser(), noon)).ID
	w.trade(id, func(t *payment.Trade) { t.NextCheck = at })
	return id
}

func due(w *fixtures) {
	assert.Empty(w, w.due(noon, 10))
	late, early, never, future := w.orderDueAt(noon), w.orderDueAt(noon.Add(-time.Hour)), w.orderDueAt(time.Time{}),
		w.orderDueAt(noon.Add(time.Microsecond))
	same := w.orderDueAt(noon)
	assert.Empty(w, w.due(noon, 0))
	assert.Equal(w, []payment.OrderID{early}, w.due(noon, 1))
	assert.Equal(w, []payment.OrderID{late, same}, w.due(noon, 10))
	assert.Empty(w, w.due(noon, 10))
	assert.Equal(w, []payment.OrderID{future}, w.due(noon.Add(time.Hour), 10))
	assert.Empty(w, w.due(noon.AddDate(0, 0, 1).Add(-time.Microsecond), 10), "they are put off")
	assert.Equal(w, []payment.OrderID{late, early, same}, w.due(noon.AddDate(0, 0, 1), 10))
	assert.NotContains(w, w.due(noon.AddDate(10, 0, 0), 10), never)
}

// each is how many of what is due a caller asks for at once.
const each = 3

// assertGivenOnce asserts that callers at once get all of what is due, each thing once.
func assertGivenOnce[T any](w *fixtures, all []T, ask func(limit int) []T) {
	w.Helper()
	given := slices.Concat(atOnce(many, func(int) []T { return ask(each) })...)
	assert.ElementsMatch(w, all, append(given, ask(len(all))...), "callers that met others may have got fewer")
}

func dueAtOnce(w *fixtures) {
	var all []payment.OrderID
	for i := range many * each {
		all = append(all, w.orderDueAt(noon.Add(-time.Duration(i)*time.Second)))
	}
	assertGivenOnce(w, all, func(limit int) []payment.OrderID {
		ids, err := w.Ledger.Due(w.Context(), noon, noon.AddDate(0, 0, 1), limit)
		assert.NoError(w, err)
		return ids
	})
}
