package ports

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// RateLimits is the suite of all methods that take charges (GEN-14).
func RateLimits(t *testing.T, open Open) {
	for name, prepare := range chargedWrites {
		t.Run(name, func(t *testing.T) {
			promised := func(kept func(w *fixtures, prepare func(w *fixtures) chargedWrite)) func(*fixtures) {
				return func(w *fixtures) { kept(w, prepare) }
			}
			open.keeps(t, []promise{
				{"a limit admits its count, and again when the refusal said", promised(chargedCount)},
				{"writers at once never exceed a limit, and use all of it", promised(chargedAtOnce)},
				{"a write that fails is not charged", promised(failedNotCharged)},
				{"of several charges all are applied, or none", promised(chargedAll)},
				{"accounts and actions are charged apart, and a free charge costs nothing", promised(chargedApart)},
			})
		})
	}
}

// chargedWrite is a method that takes charges.
type chargedWrite struct {
	account user.ID
	write   func(i int, charges ...ratelimit.Charge) error // for each i a write of its own
	written func() int                                     // counts the writes
	fail    func(charges ...ratelimit.Charge) error        // is a call that fails for another reason
}

// charge is one unit of the account's comments, whichever method it pays for.
func (c chargedWrite) charge(limit ratelimit.Limit, now time.Time) ratelimit.Charge {
	return ratelimit.Limits{ratelimit.Comment: limit}.Charge(int64(c.account), ratelimit.Comment, now)
}

// requireThrottled asserts that the write was refused, and returns how long to wait.
func requireThrottled(w *fixtures, err error) time.Duration {
	w.Helper()
	f, isFault := fault.As(err)
	require.True(w, isFault, "%v", err)
	require.Equal(w, fault.Throttled, f.Kind, "%v", err)
	return f.RetryAfter
}

func chargedCount(w *fixtures, prepare func(*fixtures) chargedWrite) {
	c := prepare(w)
	limit := ratelimit.Limit{Count: 3, Period: time.Hour}
	for i := range 3 {
		require.NoError(w, c.write(i, c.charge(limit, noon)))
	}
	assert.Equal(w, 20*time.Minute, requireThrottled(w, c.write(3, c.charge(limit, noon))))
	almost := noon.Add(20*time.Minute - time.Microsecond)
	assert.Equal(w, time.Microsecond, requireThrottled(w, c.write(3, c.charge(limit, almost))), "a refusal is not charged")
	assert.Equal(w, 3, c.written(), "a refused write stores nothing")
	require.NoError(w, c.write(3, c.charge(limit, noon.Add(20*time.Minute))))
	assert.Equal(w, 4, c.written())
	requireThrottled(w, c.write(4, c.charge(limit, noon.Add(20*time.Minute))))

	later := noon.Add(24 * time.Hour)
	for i := range 3 {
		require.NoError(w, c.write(4+i, c.charge(limit, later)))
	}
	assert.Equal(w, 20*time.Minute, requireThrottled(w, c.write(7, c.charge(limit, later))), "unused time is not saved")
}

func chargedAtOnce(w *fixtures, prepare func(*fixtures) chargedWrite) {
	c := prepare(w)
	limit := ratelimit.Limit{Count: 5, Period: time.Hour}
	admitted := 0
	for _, err := range atOnce(many, func(i int) error { return c.write(i, c.charge(limit, noon)) }) {
		if err == nil {
			admitted++
			continue
		}
		assert.Equal(w, 12*time.Minute, requireThrottled(w, err))
	}
	assert.Equal(w, 5, admitted)
	assert.Equal(w, 5, c.written())
}

func failedNotCharged(w *fixtures, prepare func(*fixtures) chargedWrite) {
	c := prepare(w)
	limit := ratelimit.Limit{Count: 1, Period: time.Hour}
	for range 3 {
		err := c.fail(c.charge(limit, noon))
		require.Error(w, err)
		require.False(w, fault.Is(err, fault.Throttled), "%v", err)
	}
	require.NoError(w, c.write(0, c.charge(limit, noon)))
	assert.Equal(w, time.Hour, requireThrottled(w, c.write(1, c.charge(limit, noon))))
}

func chargedAll(w *fixtures, prepare func(*fixtures) chargedWrite) {
	c := prepare(w)
	limits := ratelimit.Limits{ratelimit.Upload: {Count: 3, Period: time.Hour}, ratelimit.UploadBytes: {Count: 100, Period: time.Hour}}
	upload := func(bytes int64) []ratelimit.Charge { return limits.Upload(int64(c.account), bytes, noon) }
	require.NoError(w, c.write(0, upload(60)...))
	for range 3 {
		assert.Equal(w, 12*time.Minute, requireThrottled(w, c.write(1, upload(60)...)))
	}
	assert.Equal(w, 1, c.written())
	require.NoError(w, c.write(1, upload(20)...))
	require.NoError(w, c.write(2, upload(10)...), "refused uploads have not used up the count")
	for range 3 {
		assert.Equal(w, 20*time.Minute, requireThrottled(w, c.write(3, upload(10)...)))
	}
	assert.Equal(w, 3, c.written())
	delete(limits, ratelimit.Upload)
	require.NoError(w, c.write(3, upload(10)...), "nor the bytes")
	requireThrottled(w, c.write(4, upload(1)...))
}

func chargedApart(w *fixtures, prepare func(*fixtures) chargedWrite) {
	c := prepare(w)
	limit := ratelimit.Limit{Count: 1, Period: time.Hour}
	require.NoError(w, c.write(0, c.charge(limit, noon)))
	requireThrottled(w, c.write(1, c.charge(limit, noon)))
	other := c.charge(limit, noon)
	other.Action = ratelimit.Like
	require.NoError(w, c.write(1, other))
	another := c.charge(limit, noon)
	another.Account = int64(w.newUser())
	require.NoError(w, c.write(2, another))
	for i := range 3 {
		require.NoError(w, c.write(3+i, ratelimit.Charge{}, c.charge(ratelimit.Off, noon)))
	}
}

// chargedWrites are all methods that take charges, each prepared for many writes.
var chargedWrites = map[string]func(w *fixtures) chargedWrite{
	"Discussion.AddComment": func(w *fixtures) chargedWrite {
		author := w.newUser()
		on := w.write(author, noon).ID()
		add := func(on event.ID, charges []ratelimit.Charge) error {
			_, err := w.Discussion.AddComment(w.Context(), event.Comment{Event: on, Author: author, Content: "One", Created: noon}, charges...)
			return err
		}
		return chargedWrite{
			account: author,
			write:   func(_ int, charges ...ratelimit.Charge) error { return add(on, charges) },
			written: func() int {
				assert.Equal(w, w.entry(on).Comments, w.comments(on, page.Request{}).Total)
				return w.entry(on).Comments
			},
			fail: func(charges ...ratelimit.Charge) error { return add(on+1, charges) },
		}
	},
	"Discussion.Like": func(w *fixtures) chargedWrite {
		author := w.newUser()
		var events []event.ID
		for range many {
			events = append(events, w.write(author, noon).ID())
		}
		return chargedWrite{
			account: author,
			write: func(i int, charges ...ratelimit.Charge) error {
				return w.Discussion.Like(w.Context(), events[i], author, true, charges...)
			},
			written: func() (likes int) {
				for _, id := range events {
					likes += w.entry(id).Likes
				}
				return likes
			},
			fail: func(charges ...ratelimit.Charge) error {
				return w.Discussion.Like(w.Context(), events[many-1]+1, author, false, charges...)
			},
		}
	},
	"Events.Add": func(w *fixtures) chargedWrite {
		author := w.newUser()
		add := func(author user.ID, charges []ratelimit.Charge) error {
			_, err := w.Events.Add(w.Context(), w.written(author, noon), charges...)
			return err
		}
		return chargedWrite{
			account: author,
			write:   func(_ int, charges ...ratelimit.Charge) error { return add(author, charges) },
			written: func() int {
				assert.Equal(w, len(w.listed()), w.eventsOf(author))
				return w.eventsOf(author)
			},
			fail: func(charges ...ratelimit.Charge) error { return add(author+1, charges) },
		}
	},
	"Events.Change": func(w *fixtures) chargedWrite {
		author := w.newUser()
		id := w.write(author, noon).ID()
		return chargedWrite{
			account: author,
			write: func(_ int, charges ...ratelimit.Charge) error {
				_, err := w.Events.Change(w.Context(), id, func(e *event.Event) error { return e.AddPlate("plates/a", 0, noon) }, charges...)
				return err
			},
			written: func() int { return len(w.entry(id).State().Plates) },
			fail: func(charges ...ratelimit.Charge) error {
				if _, err := w.Events.Change(w.Context(), id+1, func(*event.Event) error { return nil }, charges...); err != event.ErrNotFound {
					return err
				}
				_, err := w.Events.Change(w.Context(), id, func(*event.Event) error { return nil }, charges...)
				require.NoError(w, err, "a Change that changes nothing is not charged")
				_, err = w.Events.Change(w.Context(), id, func(e *event.Event) error {
					require.NoError(w, e.AddPlate("plates/a", 0, noon))
					return errBoom
				}, charges...)
				return err
			},
		}
	},
	"Events.ChangeRead": func(w *fixtures) chargedWrite {
		author := w.newUser()
		read := w.got(w.write(author, noon).ID())
		gone := w.got(w.write(author, noon).ID())
		_, err := w.Events.Remove(w.Context(), gone.ID())
		require.NoError(w, err)
		attach := func(e *event.Event) error { return e.AddPlate("plates/a", 0, noon) }
		return chargedWrite{
			account: author,
			write: func(i int, charges ...ratelimit.Charge) error {
				if i%2 == 0 {
					read := w.got(read.ID()) // current, if no other writer is faster
					_, err := w.Events.ChangeRead(w.Context(), read, attach, charges...)
					return err
				}
				_, err := w.Events.ChangeRead(w.Context(), read, attach, charges...)
				return err
			},
			written: func() int { return len(w.entry(read.ID()).State().Plates) },
			fail: func(charges ...ratelimit.Charge) error {
				if _, err := w.Events.ChangeRead(w.Context(), gone, attach, charges...); err != event.ErrNotFound {
					return err
				}
				_, err := w.Events.ChangeRead(w.Context(), read, func(*event.Event) error { return nil }, charges...)
				require.NoError(w, err, "a ChangeRead that changes nothing is not charged")
				_, err = w.Events.ChangeRead(w.Context(), read, func(*event.Event) error { return errBoom }, charges...)
				return err
			},
		}
	},
	"Subscriptions.Follow": func(w *fixtures) chargedWrite {
		follower := w.newUser()
		var followed []user.ID
		for range many {
			followed = append(followed, w.newUser())
		}
		return chargedWrite{
			account: follower,
			write: func(i int, charges ...ratelimit.Charge) error {
				sub, err := subscription.ToUser(follower, followed[i], noon)
				require.NoError(w, err)
				_, _, err = w.Subscriptions.Follow(w.Context(), sub, charges...)
				return err
			},
			written: func() int {
				p, err := w.Subscriptions.List(w.Context(), subscription.Query{User: follower})
				require.NoError(w, err)
				return p.Total
			},
			fail: func(charges ...ratelimit.Charge) error {
				_, _, err := w.Subscriptions.Follow(w.Context(), subscription.ToCategory(follower, feed.CategoryID(77), noon), charges...)
				return err
			},
		}
	},
	"Images.Add": func(w *fixtures) chargedWrite {
		owner := w.newUser()
		add := func(owner user.ID, charges []ratelimit.Charge) error {
			_, err := w.Images.Add(w.Context(), userimage.New(owner, "public/a", 1, 1, 0, userimage.Tags{}, noon), charges...)
			return err
		}
		return chargedWrite{
			account: owner,
			write:   func(_ int, charges ...ratelimit.Charge) error { return add(owner, charges) },
			written: func() int { return len(w.pictures(userimage.Query{Owner: owner})) },
			fail:    func(charges ...ratelimit.Charge) error { return add(owner+1, charges) },
		}
	},
	"Directory.SetAvatar": func(w *fixtures) chargedWrite {
		id := w.newUser()
		var stored atomic.Int64 // an avatar replaces the one before
		set := func(id user.ID, charges []ratelimit.Charge) error {
			return w.Directory.SetAvatar(w.Context(), id, media.Picture{Key: "public/a"}, 0, charges...)
		}
		return chargedWrite{
			account: id,
			write: func(_ int, charges ...ratelimit.Charge) error {
				err := set(id, charges)
				if err == nil {
					stored.Add(1)
				}
				return err
			},
			written: func() int { return int(stored.Load()) },
			fail:    func(charges ...ratelimit.Charge) error { return set(id+1, charges) },
		}
	},
	"Tokens.Issue": func(w *fixtures) chargedWrite {
		holder := w.newUser()
		taken := w.issue(token(w.newUser(), 255))
		issue := func(t access.Token, charges []ratelimit.Charge) error {
			_, err := w.Tokens.Issue(w.Context(), t, charges...)
			return err
		}
		return chargedWrite{
			account: holder,
			write:   func(i int, charges ...ratelimit.Charge) error { return issue(token(holder, byte(i)), charges) },
			written: func() int {
				theirs, err := w.Tokens.OfUser(w.Context(), holder)
				require.NoError(w, err)
				return len(theirs)
			},
			fail: func(charges ...ratelimit.Charge) error {
				duplicate := token(holder, 0)
				duplicate.Hash = taken.Hash
				return issue(duplicate, charges)
			},
		}
	},
}

// eventsOf counts the author's events.
func (w *fixtures) eventsOf(author user.ID) int {
	w.Helper()
	return w.list(event.Query{Author: author, States: event.VisibleStates(subscription.Self)}).Total
}
