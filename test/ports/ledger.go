package ports

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/page"
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
	o, err := w.Ledger.AddOrder(w.Context(), o, nil)
	require.NoError(w, err)
	return o
}

func (w *fixtures) ordersOf(id user.ID, s payment.State) []payment.Order {
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
	w.begins(old.ID, byCode, "doubtful", noon)
	w.begins(same.ID, byCode, "alive", noon)
	w.trade(old.ID, func(t *payment.Trade) { t.RecordFailed("doubtful", payment.ErrWalletTimeout, noon) })
	doubtful, err := w.Ledger.Orders(w.Context(), payment.OrderFilter{IsInDoubt: true}, page.Request{})
	require.NoError(w, err)
	assert.Equal(w, []payment.Order{old}, doubtful.Items)
}

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
	p, err := w.Ledger.AddUnmatched(w.Context(), unmatchedPayment(transaction, at))
	require.NoError(w, err)
	return p
}

func (w *fixtures) payments(v payment.PaymentState, r page.Request) page.Page[payment.Payment] {
	p, err := w.Ledger.Payments(w.Context(), payment.PaymentFilter{State: v}, r)
	require.NoError(w, err)
	return p
}

// due are at most limit of the orders that are due, which are put off for a day.
func (w *fixtures) due(now time.Time, limit int) []payment.OrderID {
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

var ledgerKeys = []promise{
	{"Reserve keeps a key until it is answered, by a Change or an AddOrder", reserve},
	{"a key that came with another request is ErrKeyReused", reserveReused},
	{"a key whose time has come without an answer is free for the same request", reserveAgain},
	{"Release forgets a key, unless it was answered", release},
	{"Release of another holder forgets nothing", releaseOfAnother},
	{"who answers too late stores nothing: the request has had its effect", answerTwice},
	{"of those who come at once with one key, one reserves it", reserveAtOnce},
	{"of those who answer one key at once, one has an effect", answerAtOnce},
	{"an answer that fn fails with is not stored", answerFails},
}

// keyNamed is a key for the request of that name.
func keyNamed(of user.ID, name string) idempotency.Key {
	return idempotency.Key{User: of, Name: name, Fingerprint: sha256.Sum256([]byte(name)), Holder: [16]byte{1}}
}

func (w *fixtures) reserves(k idempotency.Key, now time.Time) *idempotency.Answer {
	a, err := w.Ledger.Reserve(w.Context(), k, now, now.Add(time.Minute))
	require.NoError(w, err)
	return a
}

// answers gives the key an answer by a Change of the order.
func (w *fixtures) answers(id payment.OrderID, k idempotency.Key, reply string, at time.Time) idempotency.Answer {
	a := idempotency.Answer{Key: k, Kind: idempotency.Order, ID: int64(id), Reply: []byte(reply), At: at}
	w.trade(id, func(t *payment.Trade) { t.Answer = &a })
	return a
}

func reserve(w *fixtures) {
	who, other := w.newUser(), w.newUser()
	k := keyNamed(who, broad(63)+"'\"%_")
	require.Nil(w, w.reserves(k, noon))
	_, err := w.Ledger.Reserve(w.Context(), k, noon.Add(time.Second), noon.Add(time.Hour))
	assert.ErrorIs(w, err, idempotency.ErrKeyInUse)
	for _, free := range []idempotency.Key{keyNamed(other, k.Name), keyNamed(who, "K"), keyNamed(who, "k")} {
		assert.Nil(w, w.reserves(free, noon))
	}
	o, err := w.Ledger.AddOrder(w.Context(), order(who, noon.Add(time.Second)), &k)
	require.NoError(w, err)
	assert.Equal(w, &idempotency.Answer{Key: k, Kind: idempotency.Order, ID: int64(o.ID), At: o.Created}, w.reserves(k, noon.Add(time.Hour)))

	k = keyNamed(who, "k")
	a := w.answers(o.ID, k, "\x00\xffreply", noon.Add(2*time.Second))
	assert.Equal(w, &a, w.reserves(k, noon.Add(time.Hour)))
	assert.Equal(w, &a, w.reserves(k, noon.Add(2*time.Hour)), "as often as they ask")
}

func reserveReused(w *fixtures) {
	who := w.newUser()
	k := keyNamed(who, "k")
	another := keyNamed(who, "another request")
	another.Name = k.Name
	reused := func(at time.Time) {
		_, err := w.Ledger.Reserve(w.Context(), another, at, at.Add(time.Minute))
		assert.ErrorIs(w, err, idempotency.ErrKeyReused)
	}
	w.reserves(k, noon)
	reused(noon)
	reused(noon.Add(time.Hour))
	o, err := w.Ledger.AddOrder(w.Context(), order(who, noon), &k)
	require.NoError(w, err)
	reused(noon.Add(time.Hour))
	assert.Equal(w, int64(o.ID), w.reserves(k, noon.Add(time.Hour)).ID)
}

func reserveAgain(w *fixtures) {
	k := keyNamed(w.newUser(), "k")
	w.reserves(k, noon)
	_, err := w.Ledger.Reserve(w.Context(), k, noon.Add(time.Minute-time.Microsecond), noon.Add(time.Hour))
	assert.ErrorIs(w, err, idempotency.ErrKeyInUse)
	assert.Nil(w, w.reserves(k, noon.Add(time.Minute)))
	_, err = w.Ledger.Reserve(w.Context(), k, noon.Add(time.Minute), noon.Add(time.Hour))
	assert.ErrorIs(w, err, idempotency.ErrKeyInUse, "now it is theirs")
}

func release(w *fixtures) {
	who := w.newUser()
	k, other := keyNamed(who, "k"), keyNamed(who, "other")
	require.NoError(w, w.Ledger.Release(w.Context(), k), "there is none")
	w.reserves(k, noon)
	w.reserves(other, noon)
	require.NoError(w, w.Ledger.Release(w.Context(), k))
	_, err := w.Ledger.Reserve(w.Context(), other, noon, noon.Add(time.Minute))
	assert.ErrorIs(w, err, idempotency.ErrKeyInUse)

	another := k
	another.Fingerprint[0]++
	another.Holder[0]++
	assert.Nil(w, w.reserves(another, noon), "it is free for any request")
	o, err := w.Ledger.AddOrder(w.Context(), order(who, noon), &another)
	require.NoError(w, err)
	require.NoError(w, w.Ledger.Release(w.Context(), another))
	assert.Equal(w, int64(o.ID), w.reserves(another, noon).ID)
}

func releaseOfAnother(w *fixtures) {
	first := keyNamed(w.newUser(), "k")
	second := first
	second.Holder[0]++
	w.reserves(first, noon)
	late := noon.Add(time.Minute) // the first reservation has ended
	w.reserves(second, late)
	require.NoError(w, w.Ledger.Release(w.Context(), first))
	_, err := w.Ledger.Reserve(w.Context(), first, late, late.Add(time.Minute))
	assert.ErrorIs(w, err, idempotency.ErrKeyInUse, "the second call holds it")
	require.NoError(w, w.Ledger.Release(w.Context(), second))
	assert.Nil(w, w.reserves(first, late))
}

func answerTwice(w *fixtures) {
	who := w.newUser()
	k := keyNamed(who, "k")
	w.reserves(k, noon)
	o, err := w.Ledger.AddOrder(w.Context(), order(who, noon), &k)
	require.NoError(w, err)
	_, err = w.Ledger.AddOrder(w.Context(), order(who, noon), &k)
	assert.ErrorIs(w, err, idempotency.ErrKeyInUse)
	assert.Equal(w, []payment.Order{o}, w.ordersOf(who, payment.Open))
	before, noted := w.traded(o.ID), w.journal(o.ID)
	err = w.Ledger.Change(w.Context(), o.ID, func(t *payment.Trade) error {
		spoil(t)
		t.Answer = &idempotency.Answer{Key: k, Kind: idempotency.Order, ID: int64(o.ID), At: noon}
		return nil
	})
	assert.ErrorIs(w, err, idempotency.ErrKeyInUse)
	w.kept(before, noted)
	assert.Equal(w, &idempotency.Answer{Key: k, Kind: idempotency.Order, ID: int64(o.ID), At: noon}, w.reserves(k, noon))
}

func reserveAtOnce(w *fixtures) {
	k := keyNamed(w.newUser(), "k")
	assertOneWins(w, atOnce(many, func(int) error {
		a, err := w.Ledger.Reserve(w.Context(), k, noon, noon.Add(time.Minute))
		assert.Nil(w, a)
		return err
	}), idempotency.ErrKeyInUse)
}

func answerAtOnce(w *fixtures) {
	who := w.newUser()
	k := keyNamed(who, "k")
	w.reserves(k, noon)
	assertOneWins(w, atOnce(many, func(n int) error {
		o := order(who, noon)
		o.Subject = fmt.Sprint("Nº ", n)
		_, err := w.Ledger.AddOrder(w.Context(), o, &k)
		return err
	}), idempotency.ErrKeyInUse)
	orders := w.ordersOf(who, payment.Open)
	require.Len(w, orders, 1)
	assert.Equal(w, int64(orders[0].ID), w.reserves(k, noon).ID)
}

func answerFails(w *fixtures) {
	o := w.charge(order(w.newUser(), noon))
	k := keyNamed(o.User, "k")
	w.reserves(k, noon)
	err := w.Ledger.Change(w.Context(), o.ID, func(t *payment.Trade) error {
		t.Answer = &idempotency.Answer{Key: k, Kind: idempotency.Order, ID: int64(o.ID), At: noon}
		return errBoom
	})
	assert.ErrorIs(w, err, errBoom)
	_, err = w.Ledger.AddOrder(w.Context(), order(o.User+1, noon), &k)
	assert.Equal(w, fault.Internal, fault.KindOf(err), "the order of an unknown user")
	_, err = w.Ledger.Reserve(w.Context(), k, noon, noon.Add(time.Minute))
	assert.ErrorIs(w, err, idempotency.ErrKeyInUse)
}
