package ports

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/idempotency"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// guard is the number of a write, and what that completes and is charged with. Each number is a write of its own.
type guard struct {
	n       int
	key     *idempotency.Key
	charges []ratelimit.Charge
}

// guardedWrite is a method that takes charges. Most of them complete an idempotency key as well.
type guardedWrite struct {
	account user.ID
	write   func(guard) (id int64, err error)
	stored  func() []int64             // the numbers of what the writes made
	fail    func(guard) (int64, error) // is a call that fails for another reason
}

// guardedWrites are all such methods, each prepared for many writes.
var guardedWrites = []struct {
	name    string
	kind    idempotency.Kind // of what the key is completed with; empty: the method takes no key
	prepare func(w *fixtures) guardedWrite
}{
	{"Discussion.AddComment", idempotency.Comment, commenting},
	{"Discussion.EditComment", "", editing},
	{"Discussion.Like", "", liking},
	{"Events.Add", idempotency.Event, addingEvents},
	{"Events.Change", idempotency.Plate, attaching},
	{"Events.ChangeRead", idempotency.Plate, attachingToRead},
	{"Subscriptions.Follow", idempotency.Subscription, following},
	{"Blocks.Add", "", blocking},
	{"Moderation.Report", "", reporting},
	{"Images.Add", idempotency.Image, addingImages},
	{"Directory.SetAvatar", "", settingAvatars},
	{"Tokens.Issue", "", issuing},
	{"PersonalData.Charge", "", charging},
}

func commenting(w *fixtures) guardedWrite {
	author := w.newUser()
	on, hidden := w.write(author, noon).ID(), w.write(w.newUser(), noon, permitted(event.Contact)).ID()
	add := func(on event.ID) func(guard) (int64, error) {
		return func(g guard) (int64, error) {
			given := event.Comment{Event: on, Author: author, Content: "One", Created: noon, Completes: g.key}
			c, _, err := w.Discussion.AddComment(w.Context(), given, g.charges...)
			assert.Nil(w, c.Completes)
			return int64(c.ID), err
		}
	}
	return guardedWrite{account: author, write: add(on), fail: add(hidden), stored: func() []int64 {
		all := w.comments(on, page.Request{}).Items
		assert.Len(w, all, w.entry(on).Comments)
		return mapped(all, func(c event.Comment) int64 { return int64(c.ID) })
	}}
}

func editing(w *fixtures) guardedWrite {
	author := w.newUser()
	on := w.write(author, noon).ID()
	said := mapped(make([]event.CommentID, many), func(event.CommentID) event.CommentID { return w.say(on, author, noon, "One").ID })
	edit := func(said ...event.CommentID) func(guard) (int64, error) {
		return func(g guard) (int64, error) {
			c := event.Comment{ID: said[g.n], Content: "Two", Edited: noon}
			return int64(c.ID), w.Discussion.EditComment(w.Context(), c, g.charges...)
		}
	}
	return guardedWrite{account: author, write: edit(said...), fail: edit(said[many-1] + 1), stored: func() (edited []int64) {
		for _, c := range w.comments(on, page.Request{}).Items {
			if !c.Edited.IsZero() {
				edited = append(edited, int64(c.ID))
			}
		}
		return edited
	}}
}

func reporting(w *fixtures) guardedWrite {
	author := w.newUser()
	report := func(people ...user.ID) func(guard) (int64, error) {
		return func(g guard) (int64, error) {
			whom := people[g.n]
			r, _, err := w.Moderation.Report(w.Context(), moderation.Report{
				By: author, Thing: moderation.Thing{Kind: moderation.Person, ID: int64(whom)}, Owner: whom, Reason: moderation.Spam, Created: noon,
			}, g.charges...)
			return int64(r.ID), err
		}
	}
	return guardedWrite{account: author, write: report(w.users(many)...), fail: report(author + 99), stored: func() []int64 {
		own, err := w.Moderation.ReportsBy(w.Context(), author, page.Span{}, page.Request{})
		require.NoError(w, err)
		return mapped(own.Items, func(r moderation.Report) int64 { return int64(r.ID) })
	}}
}

func liking(w *fixtures) guardedWrite {
	author := w.newUser()
	events := mapped(make([]event.ID, many), func(event.ID) event.ID { return w.write(author, noon).ID() })
	like := func(isLiked bool, events ...event.ID) func(guard) (int64, error) {
		return func(g guard) (int64, error) {
			l := event.Like{Event: events[g.n], By: author, IsLiked: isLiked, At: noon}
			return int64(l.Event), w.Discussion.Like(w.Context(), l, g.charges...)
		}
	}
	hidden := w.write(w.newUser(), noon, permitted(event.Contact)).ID()
	return guardedWrite{account: author, write: like(true, events...), fail: like(false, hidden), stored: func() (liked []int64) {
		for _, id := range events {
			if w.entry(id).Likes > 0 {
				liked = append(liked, int64(id))
			}
		}
		return liked
	}}
}

func addingEvents(w *fixtures) guardedWrite {
	author := w.newUser()
	add := func(author user.ID) func(guard) (int64, error) {
		return func(g guard) (int64, error) {
			e := w.written(author, noon)
			e.CompleteKey(g.key)
			stored, err := w.Events.Add(w.Context(), e, g.charges...)
			if err != nil {
				return 0, err
			}
			assert.Nil(w, stored.State().Completes)
			return int64(stored.ID()), nil
		}
	}
	return guardedWrite{account: author, write: add(author), fail: add(author + 1), stored: func() []int64 {
		all := w.list(event.Query{Author: author, Viewer: author}).Items
		assert.Len(w, w.listed(), len(all))
		return mapped(all, func(e event.Entry) int64 { return int64(e.ID()) })
	}}
}

// plating is a Change or a ChangeRead, which attaches a plate in each write.
func (w *fixtures) plating(
	author user.ID, on event.ID, change func(gone bool, fn func(*event.Event) error, charges []ratelimit.Charge) (event.Entry, error),
) guardedWrite {
	attach := func(failed error) func(guard) (int64, error) {
		return func(g guard) (int64, error) {
			e, err := change(false, func(e *event.Event) error {
				e.CompleteKey(g.key)
				require.NoError(w, e.AddPlate(event.Plate{Photo: "plates/a"}, noon))
				return failed
			}, g.charges)
			if err != nil {
				return 0, err
			}
			s := e.State()
			assert.Nil(w, s.Completes)
			return int64(s.Plates[len(s.Plates)-1].ID), nil
		}
	}
	return guardedWrite{
		account: author, write: attach(nil),
		stored: func() []int64 {
			return mapped(w.entry(on).State().Plates, func(p event.Plate) int64 { return int64(p.ID) })
		},
		fail: func(g guard) (int64, error) {
			_, err := change(true, same, g.charges)
			require.ErrorIs(w, err, event.ErrNotFound)
			_, err = change(false, same, g.charges)
			require.NoError(w, err, "a change of nothing is not charged")
			return attach(errBoom)(g)
		},
	}
}

func attaching(w *fixtures) guardedWrite {
	author := w.newUser()
	id := w.write(author, noon).ID()
	return w.plating(author, id, func(gone bool, fn func(*event.Event) error, charges []ratelimit.Charge) (event.Entry, error) {
		if gone {
			return w.Events.Change(w.Context(), id+1, fn, charges...)
		}
		return w.Events.Change(w.Context(), id, fn, charges...)
	})
}

func attachingToRead(w *fixtures) guardedWrite {
	author := w.newUser()
	read := w.got(w.write(author, noon).ID())
	removed := w.got(w.write(author, noon).ID())
	w.remove(removed.ID())
	var calls atomic.Int64
	return w.plating(author, read.ID(), func(gone bool, fn func(*event.Event) error, charges []ratelimit.Charge) (event.Entry, error) {
		of := read
		switch {
		case gone:
			of = removed
		case calls.Add(1)%2 == 0:
			of = w.got(read.ID()) // current, if no other writer is faster
		}
		return w.Events.ChangeRead(w.Context(), of, fn, charges...)
	})
}

func following(w *fixtures) guardedWrite {
	follower := w.newUser()
	add := func(all ...subscription.Subscription) func(guard) (int64, error) {
		return func(g guard) (int64, error) {
			s := all[g.n]
			s.Completes = g.key
			stored, _, err := w.Subscriptions.Follow(w.Context(), s, g.charges...)
			assert.Nil(w, stored.Completes)
			return int64(stored.ID), err
		}
	}
	followed := mapped(w.users(many), func(id user.ID) subscription.Subscription { return toUser(follower, id, noon) })
	fail := add(subscription.ToCategory(follower, feed.CategoryID(77), noon))
	return guardedWrite{account: follower, write: add(followed...), fail: fail, stored: func() []int64 {
		all := w.subscriptions(subscription.Query{User: follower}).Items
		return mapped(all, func(s subscription.Subscription) int64 { return int64(s.ID) })
	}}
}

func blocking(w *fixtures) guardedWrite {
	who := w.newUser()
	others := w.users(many)
	block := func(others ...user.ID) func(guard) (int64, error) {
		return func(g guard) (int64, error) {
			return int64(others[g.n]), w.blocks(who, others[g.n], noon, g.charges...)
		}
	}
	return guardedWrite{account: who, write: block(others...), fail: block(others[many-1] + 1), stored: func() []int64 {
		return mapped(w.blockedBy(who), func(whom user.ID) int64 { return int64(whom) })
	}}
}

func addingImages(w *fixtures) guardedWrite {
	owner := w.newUser()
	add := func(owner user.ID) func(guard) (int64, error) {
		return func(g guard) (int64, error) {
			i := userimage.New(owner, "public/a", 1, 1, 0, userimage.Tags{}, noon)
			i.Completes = g.key
			stored, err := w.Images.Add(w.Context(), i, g.charges...)
			assert.Nil(w, stored.Completes)
			return int64(stored.ID), err
		}
	}
	return guardedWrite{account: owner, write: add(owner), fail: add(owner + 1), stored: func() []int64 {
		return mapped(w.pictures(userimage.Query{Owner: owner}), func(i userimage.Image) int64 { return int64(i.ID) })
	}}
}

// counting is a write of which nothing is stored but that it was done.
func counting(account user.ID, do func(guard) error, fail func(guard) error) guardedWrite {
	var done atomic.Int64
	return guardedWrite{
		account: account,
		write: func(g guard) (int64, error) {
			err := do(g)
			if err == nil {
				done.Add(1)
			}
			return 0, err
		},
		stored: func() []int64 { return make([]int64, done.Load()) },
		fail:   func(g guard) (int64, error) { return 0, fail(g) },
	}
}

func settingAvatars(w *fixtures) guardedWrite {
	id := w.newUser()
	set := func(id user.ID) func(guard) error { // an avatar replaces the one before
		return func(g guard) error {
			return w.Directory.SetAvatar(w.Context(), id, media.Picture{Key: "public/a"}, 0, g.charges...)
		}
	}
	return counting(id, set(id), set(id+1))
}

func charging(w *fixtures) guardedWrite {
	gone, cancel := context.WithCancel(w.Context())
	cancel()
	charge := func(ctx context.Context) func(guard) error {
		return func(g guard) error { return w.PersonalData.Charge(ctx, g.charges...) }
	}
	return counting(w.newUser(), charge(w.Context()), charge(gone))
}

func issuing(w *fixtures) guardedWrite {
	holder := w.newUser()
	taken := w.issue(token(w.newUser(), 255))
	issue := func(g guard, t access.Token) (int64, error) {
		id, err := w.Tokens.Issue(w.Context(), t, g.charges...)
		return int64(id), err
	}
	return guardedWrite{
		account: holder,
		write:   func(g guard) (int64, error) { return issue(g, token(holder, byte(g.n))) },
		stored: func() []int64 {
			theirs, err := w.Tokens.OfUsers(w.Context(), holder)
			require.NoError(w, err)
			return mapped(theirs, func(t access.Token) int64 { return int64(t.ID) })
		},
		fail: func(g guard) (int64, error) {
			duplicate := token(holder, 0)
			duplicate.Hash = taken.Hash
			return issue(g, duplicate)
		},
	}
}

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
