package ports

import (
	"context"
	"sync/atomic"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/event"
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
