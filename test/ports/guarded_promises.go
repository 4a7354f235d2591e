package ports

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/ratelimit"
)

// Keys is the suite of all methods that complete an idempotency key (GEN-13). The suite of the
// Ledger has the promises of Reserve and Release, and of answers with orders.
func Keys(t *testing.T, open Open) {
	for _, m := range guardedWrites {
		if m.kind == "" {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			promised := func(kept func(w *fixtures, c guardedWrite, kind idempotency.Kind)) func(*fixtures) {
				return func(w *fixtures) { kept(w, m.prepare(w), m.kind) }
			}
			open.keeps(t, []promise{
				{"the key is completed with what was made", promised(keyCompleted)},
				{"without the reservation nothing is stored and nothing is charged", promised(keyLost)},
				{"of those who hold one key at once, one stores", promised(keyedAtOnce)},
				{"a write that fails leaves the key reserved", promised(keyedFails)},
			})
		})
	}
	open.keeps(t, []promise{
		{"Follow of what is followed already says so in the key", existingCompleted},
		{"a Change completes its key with the newest of several plates", newestPlateCompleted},
		{"a Change with a key and no new plate fails", keyedWithoutPlate},
		{"a key is reserved again for an order, and then for a comment", reservedAcrossKinds},
	})
}

func keyCompleted(w *fixtures, c guardedWrite, kind idempotency.Kind) {
	id, err := c.write(guard{})
	require.NoError(w, err, "without a key")
	ids := []int64{id}
	for i, name := range []string{"one", "two"} {
		k := keyNamed(c.account, name)
		require.Nil(w, w.reserves(k, noon))
		id, err := c.write(guard{n: 1 + i, key: &k})
		require.NoError(w, err)
		assert.Equal(w, &idempotency.Answer{Key: k, Kind: kind, ID: id, At: noon}, w.reserves(k, noon.Add(time.Hour)))
		ids = append(ids, id)
	}
	assert.ElementsMatch(w, ids, c.stored())
}

func keyLost(w *fixtures, c guardedWrite, _ idempotency.Kind) {
	limit := ratelimit.Limits{ratelimit.Comment: {Count: 1, Period: time.Hour}}
	charge := []ratelimit.Charge{limit.Charge(int64(c.account), ratelimit.Comment, noon)}
	never, released, taken, answered := keyNamed(c.account, "never"), keyNamed(c.account, "released"), keyNamed(c.account, "taken"),
		keyNamed(c.account, "answered")
	w.reserves(released, noon)
	require.NoError(w, w.Keys.Release(w.Context(), released))
	w.reserves(taken, noon)
	other := taken
	other.Holder[0]++
	require.Nil(w, w.reserves(other, noon.Add(time.Minute)))
	w.reserves(answered, noon)
	_, err := c.write(guard{key: &answered})
	require.NoError(w, err)
	for i, k := range []idempotency.Key{never, released, taken, answered} {
		_, err := c.write(guard{1 + i, &k, charge})
		assert.ErrorIs(w, err, idempotency.ErrKeyInUse, k.Name)
	}
	assert.Len(w, c.stored(), 1)
	_, err = c.write(guard{5, &other, charge})
	require.NoError(w, err, "it is not charged")
	assert.Len(w, c.stored(), 2)
}

func keyedAtOnce(w *fixtures, c guardedWrite, _ idempotency.Kind) {
	k := keyNamed(c.account, "one")
	w.reserves(k, noon)
	assertOneWins(w, atOnce(many, func(i int) error {
		_, err := c.write(guard{n: i, key: &k})
		return err
	}), idempotency.ErrKeyInUse)
	stored := c.stored()
	require.Len(w, stored, 1)
	assert.Equal(w, stored[0], w.reserves(k, noon).ID)
}

func keyedFails(w *fixtures, c guardedWrite, _ idempotency.Kind) {
	k := keyNamed(c.account, "one")
	w.reserves(k, noon)
	_, err := c.fail(guard{key: &k})
	require.Error(w, err)
	_, err = w.Keys.Reserve(w.Context(), k, noon, noon.Add(time.Minute))
	assert.ErrorIs(w, err, idempotency.ErrKeyInUse)
	require.NoError(w, w.Keys.Release(w.Context(), k))
	assert.Nil(w, w.reserves(k, noon))
	_, err = c.write(guard{key: &k})
	require.NoError(w, err)
	assert.Len(w, c.stored(), 1)
}

func existingCompleted(w *fixtures) {
	who, followed := w.newUser(), w.newUser()
	stands := w.subscribe(toUser(who, followed, noon))
	again := toUser(who, followed, noon.Add(time.Hour))
	k := keyNamed(who, "one")
	w.reserves(k, noon)
	again.Completes = &k
	got, isNew, err := w.Subscriptions.Follow(w.Context(), again)
	require.NoError(w, err)
	assert.False(w, isNew)
	assert.Equal(w, stands, got)
	assert.Equal(w, &idempotency.Answer{Key: k, Kind: idempotency.ExistingSubscription, ID: int64(stands.ID), At: noon}, w.reserves(k, noon))
}

func newestPlateCompleted(w *fixtures) {
	author := w.newUser()
	k := keyNamed(author, "one")
	w.reserves(k, noon)
	attach := func(e *event.Event) error {
		e.CompleteKey(&k)
		require.NoError(w, e.AddPlate(event.Plate{Photo: "plates/a"}, noon))
		return e.AddPlate(event.Plate{Photo: "plates/b"}, noon)
	}
	e := w.change(w.write(author, noon).ID(), attach)
	assert.Nil(w, e.State().Completes)
	assert.Equal(w, int64(e.State().Plates[1].ID), w.reserves(k, noon).ID)
}

func keyedWithoutPlate(w *fixtures) {
	author := w.newUser()
	k := keyNamed(author, "one")
	w.reserves(k, noon)
	id := w.write(author, noon).ID()
	_, err := w.Events.Change(w.Context(), id, func(e *event.Event) error {
		e.CompleteKey(&k)
		return e.Apply(change(titled("Another")), noon)
	})
	assert.True(w, fault.Is(err, fault.Internal), "%v", err)
	assert.Equal(w, "An event", w.entry(id).State().Title)
}

func reservedAcrossKinds(w *fixtures) {
	who := w.newUser()
	on, k, at := w.write(who, noon).ID(), keyNamed(who, "one"), noon
	say := func() int64 {
		require.Nil(w, w.reserves(k, at))
		c, _, err := w.Discussion.AddComment(w.Context(), event.Comment{Event: on, Author: who, Content: "One", Created: at, Completes: &k})
		require.NoError(w, err)
		return int64(c.ID)
	}
	assert.Equal(w, &idempotency.Answer{Key: k, Kind: idempotency.Comment, ID: say(), At: at}, w.reserves(k, at))
	at = at.Add(idempotency.KeyLife)
	require.Nil(w, w.reserves(k, at))
	o, err := w.Ledger.AddOrder(w.Context(), order(who, at), &k)
	require.NoError(w, err)
	assert.Equal(w, &idempotency.Answer{Key: k, Kind: idempotency.Order, ID: int64(o.ID), At: at}, w.reserves(k, at))
	at = at.Add(idempotency.KeyLife)
	assert.Equal(w, &idempotency.Answer{Key: k, Kind: idempotency.Comment, ID: say(), At: at}, w.reserves(k, at))
}

// RateLimits is the suite of all methods that take charges (GEN-14).
func RateLimits(t *testing.T, open Open) {
	for _, m := range guardedWrites {
		t.Run(m.name, func(t *testing.T) {
			promised := func(kept func(w *fixtures, c guardedWrite)) func(*fixtures) {
				return func(w *fixtures) { kept(w, m.prepare(w)) }
			}
			open.keeps(t, []promise{
				{"a limit admits its count, and again when the refusal said", promised(chargedCount)},
				{"writers at once never exceed a limit, and use all of it", promised(chargedAtOnce)},
				{"a write that fails is not charged", promised(failedNotCharged)},
				{"of several charges all are applied, or none", promised(chargedAll)},
				{"a charge that is undone gives back what it still takes up", promised(chargedUndone)},
				{"what a clock that ran ahead has charged is no debt", promised(chargedAhead)},
				{"accounts and actions are charged apart, and a free charge costs nothing", promised(chargedApart)},
			})
		})
	}
}

// charge is one unit of the account's comments, whichever method it pays for.
func (c guardedWrite) charge(limit ratelimit.Limit, now time.Time) ratelimit.Charge {
	return ratelimit.Limits{ratelimit.Comment: limit}.Charge(int64(c.account), ratelimit.Comment, now)
}

// pays is the write, which completes no key.
func (c guardedWrite) pays(i int, charges ...ratelimit.Charge) error {
	_, err := c.write(guard{n: i, charges: charges})
	return err
}

// requireThrottled asserts that the write was refused, and returns how long to wait.
func requireThrottled(w *fixtures, err error) time.Duration {
	f, isFault := fault.As(err)
	require.True(w, isFault, "%v", err)
	require.Equal(w, fault.Throttled, f.Kind, "%v", err)
	return f.RetryAfter
}

func chargedCount(w *fixtures, c guardedWrite) {
	limit := ratelimit.Limit{Count: 3, Period: time.Hour}
	for i := range 3 {
		require.NoError(w, c.pays(i, c.charge(limit, noon)))
	}
	assert.Equal(w, 20*time.Minute, requireThrottled(w, c.pays(3, c.charge(limit, noon))))
	almost := noon.Add(20*time.Minute - time.Microsecond)
	assert.Equal(w, time.Microsecond, requireThrottled(w, c.pays(3, c.charge(limit, almost))), "a refusal is not charged")
	assert.Len(w, c.stored(), 3, "a refused write stores nothing")
	require.NoError(w, c.pays(3, c.charge(limit, noon.Add(20*time.Minute))))
	assert.Len(w, c.stored(), 4)
	requireThrottled(w, c.pays(4, c.charge(limit, noon.Add(20*time.Minute))))

	later := noon.Add(24 * time.Hour)
	for i := range 3 {
		require.NoError(w, c.pays(4+i, c.charge(limit, later)))
	}
	assert.Equal(w, 20*time.Minute, requireThrottled(w, c.pays(7, c.charge(limit, later))), "unused time is not saved")
}

func chargedAtOnce(w *fixtures, c guardedWrite) {
	limit := ratelimit.Limit{Count: 5, Period: time.Hour}
	admitted := 0
	for _, err := range atOnce(many, func(i int) error { return c.pays(i, c.charge(limit, noon)) }) {
		if err == nil {
			admitted++
			continue
		}
		assert.Equal(w, 12*time.Minute, requireThrottled(w, err))
	}
	assert.Equal(w, 5, admitted)
	assert.Len(w, c.stored(), 5)
}

func failedNotCharged(w *fixtures, c guardedWrite) {
	limit := ratelimit.Limit{Count: 1, Period: time.Hour}
	for range 3 {
		_, err := c.fail(guard{charges: []ratelimit.Charge{c.charge(limit, noon)}})
		require.Error(w, err)
		require.False(w, fault.Is(err, fault.Throttled), "%v", err)
	}
	require.NoError(w, c.pays(0, c.charge(limit, noon)))
	assert.Equal(w, time.Hour, requireThrottled(w, c.pays(1, c.charge(limit, noon))))
}

func chargedAll(w *fixtures, c guardedWrite) {
	limits := ratelimit.Limits{ratelimit.Upload: {Count: 3, Period: time.Hour}, ratelimit.UploadBytes: {Count: 100, Period: time.Hour}}
	upload := func(bytes int64) []ratelimit.Charge { return limits.Upload(int64(c.account), bytes, noon) }
	require.NoError(w, c.pays(0, upload(60)...))
	for range 3 {
		assert.Equal(w, 12*time.Minute, requireThrottled(w, c.pays(1, upload(60)...)))
	}
	assert.Len(w, c.stored(), 1)
	require.NoError(w, c.pays(1, upload(20)...))
	require.NoError(w, c.pays(2, upload(10)...), "refused uploads have not used up the count")
	for range 3 {
		assert.Equal(w, 20*time.Minute, requireThrottled(w, c.pays(3, upload(10)...)))
	}
	assert.Len(w, c.stored(), 3)
	delete(limits, ratelimit.Upload)
	require.NoError(w, c.pays(3, upload(10)...), "nor the bytes")
	requireThrottled(w, c.pays(4, upload(1)...))
}

func chargedUndone(w *fixtures, c guardedWrite) {
	limit, later := ratelimit.Limit{Count: 2, Period: time.Hour}, noon.Add(10*time.Minute)
	first := c.charge(limit, noon)
	require.NoError(w, c.pays(0, first))
	require.NoError(w, c.pays(1, first))
	assert.Equal(w, 20*time.Minute, requireThrottled(w, c.pays(2, c.charge(limit, later))))
	require.NoError(w, c.pays(2, first.Undone(later)))
	require.NoError(w, c.pays(3, c.charge(limit, later)))
	require.NoError(w, c.pays(4, first.Undone(noon.Add(30*time.Minute))), "of which nothing is left")
	assert.Equal(w, 30*time.Minute, requireThrottled(w, c.pays(5, c.charge(limit, later))))
	assert.Len(w, c.stored(), 5)
}

func chargedAhead(w *fixtures, c guardedWrite) {
	limit := ratelimit.Limit{Count: 3, Period: time.Hour}
	for i := range 3 {
		require.NoError(w, c.pays(i, c.charge(limit, noon.Add(24*time.Hour))))
	}
	for i := range 3 {
		require.NoError(w, c.pays(3+i, c.charge(limit, noon)))
	}
	assert.Equal(w, 20*time.Minute, requireThrottled(w, c.pays(6, c.charge(limit, noon))))
	assert.Equal(w, 20*time.Minute+ratelimit.Skew, requireThrottled(w, c.pays(6, c.charge(limit, noon.Add(-ratelimit.Skew)))),
		"clocks differ by so much")
}

func chargedApart(w *fixtures, c guardedWrite) {
	limit := ratelimit.Limit{Count: 1, Period: time.Hour}
	require.NoError(w, c.pays(0, c.charge(limit, noon)))
	requireThrottled(w, c.pays(1, c.charge(limit, noon)))
	other := c.charge(limit, noon)
	other.Action = ratelimit.Like
	require.NoError(w, c.pays(1, other))
	another := c.charge(limit, noon)
	another.Account = int64(w.newUser())
	require.NoError(w, c.pays(2, another))
	for i := range 3 {
		require.NoError(w, c.pays(3+i, ratelimit.Charge{}, c.charge(ratelimit.Off, noon)))
	}
}
