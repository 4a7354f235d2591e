package ports

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// Keys is the suite of all methods that complete an idempotency key (GEN-13). The suite of the
// Ledger has the promises of Reserve and Release, and of answers with orders.
func Keys(t *testing.T, open Open) {
	for name, prepare := range keyedWrites {
		t.Run(name, func(t *testing.T) {
			promised := func(kept func(w *fixtures, c keyedWrite)) func(*fixtures) {
				return func(w *fixtures) { kept(w, prepare(w)) }
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

// keyedWrite is a method that completes a key.
type keyedWrite struct {
	account user.ID
	kind    idempotency.Kind
	write   func(k *idempotency.Key, charges ...ratelimit.Charge) (id int64, err error)
	stored  func() []int64                 // the numbers of what the writes made
	fail    func(k *idempotency.Key) error // is a call that fails for another reason
}

func (c keyedWrite) key(name string) idempotency.Key { return keyNamed(c.account, name) }

func keyCompleted(w *fixtures, c keyedWrite) {
	id, err := c.write(nil)
	require.NoError(w, err, "without a key")
	ids := []int64{id}
	for _, name := range []string{"one", "two"} {
		k := c.key(name)
		require.Nil(w, w.reserves(k, noon))
		id, err := c.write(&k)
		require.NoError(w, err)
		want := &idempotency.Answer{Key: k, Kind: c.kind, ID: id, At: noon}
		assert.Equal(w, want, w.reserves(k, noon.Add(time.Hour)))
		ids = append(ids, id)
		require.NoError(w, w.Keys.Release(w.Context(), k))
		assert.Equal(w, want, w.reserves(k, noon.Add(time.Hour)), "it has an answer")
		reused := k
		reused.Fingerprint[0]++
		_, err = w.Keys.Reserve(w.Context(), reused, noon, noon.Add(time.Minute))
		assert.ErrorIs(w, err, idempotency.ErrKeyReused)
	}
	assert.ElementsMatch(w, ids, c.stored())
}

func keyLost(w *fixtures, c keyedWrite) {
	limit := ratelimit.Limits{ratelimit.Comment: {Count: 1, Period: time.Hour}}
	charge := limit.Charge(int64(c.account), ratelimit.Comment, noon)
	never, released, taken, answered := c.key("never"), c.key("released"), c.key("taken"), c.key("answered")
	w.reserves(released, noon)
	require.NoError(w, w.Keys.Release(w.Context(), released))
	w.reserves(taken, noon)
	other := taken
	other.Holder[0]++
	require.Nil(w, w.reserves(other, noon.Add(time.Minute)))
	w.reserves(answered, noon)
	_, err := c.write(&answered)
	require.NoError(w, err)
	for _, k := range []idempotency.Key{never, released, taken, answered} {
		_, err := c.write(&k, charge)
		assert.ErrorIs(w, err, idempotency.ErrKeyInUse, k.Name)
	}
	assert.Len(w, c.stored(), 1)
	_, err = c.write(&other, charge)
	require.NoError(w, err, "it is not charged")
	assert.Len(w, c.stored(), 2)
}

func keyedAtOnce(w *fixtures, c keyedWrite) {
	k := c.key("one")
	w.reserves(k, noon)
	assertOneWins(w, atOnce(many, func(int) error {
		_, err := c.write(&k)
		return err
	}), idempotency.ErrKeyInUse)
	stored := c.stored()
	require.Len(w, stored, 1)
	assert.Equal(w, stored[0], w.reserves(k, noon).ID)
}

func keyedFails(w *fixtures, c keyedWrite) {
	k := c.key("one")
	w.reserves(k, noon)
	require.Error(w, c.fail(&k))
	_, err := w.Keys.Reserve(w.Context(), k, noon, noon.Add(time.Minute))
	assert.ErrorIs(w, err, idempotency.ErrKeyInUse)
	require.NoError(w, w.Keys.Release(w.Context(), k))
	assert.Nil(w, w.reserves(k, noon))
	_, err = c.write(&k)
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
		require.NoError(w, e.AddPlate("plates/a", 0, noon))
		return e.AddPlate("plates/b", 0, noon)
	}
	e := w.change(w.write(author, noon).ID(), attach)
	assert.Nil(w, e.State().Completes)
	assert.Equal(w, int64(e.State().Plates[1].ID), w.reserves(k, noon).ID)

	k = keyNamed(author, "two")
	w.reserves(k, noon)
	e = w.changeRead(w.got(w.write(author, noon).ID()), attach)
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
		c, err := w.Discussion.AddComment(w.Context(), event.Comment{Event: on, Author: who, Content: "One", Created: at, Completes: &k})
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

// keyedWrites are all methods that complete a key, each prepared for many writes.
var keyedWrites = map[string]func(w *fixtures) keyedWrite{
	"Discussion.AddComment": func(w *fixtures) keyedWrite {
		author := w.newUser()
		on := w.write(author, noon).ID()
		add := func(on event.ID, k *idempotency.Key, charges []ratelimit.Charge) (int64, error) {
			c, err := w.Discussion.AddComment(w.Context(), event.Comment{Event: on, Author: author, Content: "One", Created: noon, Completes: k}, charges...)
			assert.Nil(w, c.Completes)
			return int64(c.ID), err
		}
		return keyedWrite{
			account: author, kind: idempotency.Comment,
			write: func(k *idempotency.Key, charges ...ratelimit.Charge) (int64, error) { return add(on, k, charges) },
			stored: func() (ids []int64) {
				for _, c := range w.comments(on, page.Request{}).Items {
					ids = append(ids, int64(c.ID))
				}
				assert.Len(w, ids, w.entry(on).Comments)
				return ids
			},
			fail: func(k *idempotency.Key) error { _, err := add(on+1, k, nil); return err },
		}
	},
	"Events.Add": func(w *fixtures) keyedWrite {
		author := w.newUser()
		add := func(author user.ID, k *idempotency.Key, charges []ratelimit.Charge) (int64, error) {
			e := w.written(author, noon)
			e.CompleteKey(k)
			stored, err := w.Events.Add(w.Context(), e, charges...)
			if err != nil {
				return 0, err
			}
			assert.Nil(w, stored.State().Completes)
			return int64(stored.ID()), nil
		}
		return keyedWrite{
			account: author, kind: idempotency.Event,
			write: func(k *idempotency.Key, charges ...ratelimit.Charge) (int64, error) { return add(author, k, charges) },
			stored: func() (ids []int64) {
				for _, e := range w.list(event.Query{Author: author, States: event.VisibleStates(subscription.Self)}).Items {
					ids = append(ids, int64(e.ID()))
				}
				assert.Len(w, w.listed(), len(ids))
				return ids
			},
			fail: func(k *idempotency.Key) error { _, err := add(author+1, k, nil); return err },
		}
	},
	"Events.Change": func(w *fixtures) keyedWrite {
		author := w.newUser()
		id := w.write(author, noon).ID()
		attach := func(k *idempotency.Key, failed error, charges []ratelimit.Charge) (int64, error) {
			e, err := w.Events.Change(w.Context(), id, func(e *event.Event) error {
				e.CompleteKey(k)
				require.NoError(w, e.AddPlate("plates/a", 0, noon))
				return failed
			}, charges...)
			if err != nil {
				return 0, err
			}
			s := e.State()
			assert.Nil(w, s.Completes)
			return int64(s.Plates[len(s.Plates)-1].ID), nil
		}
		return keyedWrite{
			account: author, kind: idempotency.Plate,
			write: func(k *idempotency.Key, charges ...ratelimit.Charge) (int64, error) { return attach(k, nil, charges) },
			stored: func() (ids []int64) {
				for _, p := range w.entry(id).State().Plates {
					ids = append(ids, int64(p.ID))
				}
				return ids
			},
			fail: func(k *idempotency.Key) error { _, err := attach(k, errBoom, nil); return err },
		}
	},
	"Images.Add": func(w *fixtures) keyedWrite {
		owner := w.newUser()
		add := func(owner user.ID, k *idempotency.Key, charges []ratelimit.Charge) (int64, error) {
			i := userimage.New(owner, "public/a", 1, 1, 0, userimage.Tags{}, noon)
			i.Completes = k
			stored, err := w.Images.Add(w.Context(), i, charges...)
			assert.Nil(w, stored.Completes)
			return int64(stored.ID), err
		}
		return keyedWrite{
			account: owner, kind: idempotency.Image,
			write: func(k *idempotency.Key, charges ...ratelimit.Charge) (int64, error) { return add(owner, k, charges) },
			stored: func() (ids []int64) {
				for _, i := range w.pictures(userimage.Query{Owner: owner}) {
					ids = append(ids, int64(i.ID))
				}
				return ids
			},
			fail: func(k *idempotency.Key) error { _, err := add(owner+1, k, nil); return err },
		}
	},
	"Subscriptions.Follow": func(w *fixtures) keyedWrite {
		follower := w.newUser()
		var followed []user.ID
		for range 8 {
			followed = append(followed, w.newUser())
		}
		add := func(s subscription.Subscription, k *idempotency.Key, charges []ratelimit.Charge) (int64, error) {
			s.Completes = k
			stored, _, err := w.Subscriptions.Follow(w.Context(), s, charges...)
			assert.Nil(w, stored.Completes)
			return int64(stored.ID), err
		}
		stored := func() (ids []int64) {
			p, err := w.Subscriptions.List(w.Context(), subscription.Query{User: follower})
			require.NoError(w, err)
			for _, s := range p.Items {
				ids = append(ids, int64(s.ID))
			}
			return ids
		}
		return keyedWrite{
			account: follower, kind: idempotency.Subscription,
			write: func(k *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
				return add(toUser(follower, followed[len(stored())], noon), k, charges)
			},
			stored: stored,
			fail: func(k *idempotency.Key) error {
				_, err := add(subscription.ToCategory(follower, feed.CategoryID(77), noon), k, nil)
				return err
			},
		}
	},
}
