package ports

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/payment"
	"plaza/domain/user"
)

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
	w.Helper()
	a, err := w.Ledger.Reserve(w.Context(), k, now, now.Add(time.Minute))
	require.NoError(w, err)
	return a
}

// answers gives the key an answer by a Change of the order.
func (w *fixtures) answers(id payment.OrderID, k idempotency.Key, reply string, at time.Time) idempotency.Answer {
	w.Helper()
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
		w.Helper()
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
