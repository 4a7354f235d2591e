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

// guardedWrite is a method that takes charges. Most of them complete an idempotency key as well.
type guardedWrite struct {
	account user.ID
	write   func(i int, k *idempotency.Key, charges ...ratelimit.Charge) (id int64, err error) // for each i a write of its own
	stored  func() []int64                                                                     // the numbers of what the writes made
	fail    func(k *idempotency.Key, charges ...ratelimit.Charge) (int64, error)               // is a call that fails for another reason
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
	add := func(on event.ID, k *idempotency.Key, charges []ratelimit.Charge) (int64, error) {
		c, _, err := w.Discussion.AddComment(w.Context(), event.Comment{Event: on, Author: author, Content: "One", Created: noon, Completes: k},
			charges...)
		assert.Nil(w, c.Completes)
		return int64(c.ID), err
	}
	return guardedWrite{
		account: author,
		write: func(_ int, k *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
			return add(on, k, charges)
		},
		stored: func() []int64 {
			all := w.comments(on, page.Request{}).Items
			assert.Len(w, all, w.entry(on).Comments)
			return mapped(all, func(c event.Comment) int64 { return int64(c.ID) })
		},
		fail: func(k *idempotency.Key, charges ...ratelimit.Charge) (int64, error) { return add(hidden, k, charges) },
	}
}

func editing(w *fixtures) guardedWrite {
	author := w.newUser()
	on := w.write(author, noon).ID()
	var said []event.Comment
	for range many {
		said = append(said, w.say(on, author, noon, "One"))
	}
	edit := func(id event.CommentID, charges []ratelimit.Charge) (int64, error) {
		return int64(id), w.Discussion.EditComment(w.Context(), event.Comment{ID: id, Content: "Two", Edited: noon}, charges...)
	}
	return guardedWrite{
		account: author,
		write: func(i int, _ *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
			return edit(said[i].ID, charges)
		},
		stored: func() (edited []int64) {
			for _, c := range w.comments(on, page.Request{}).Items {
				if !c.Edited.IsZero() {
					edited = append(edited, int64(c.ID))
				}
			}
			return edited
		},
		fail: func(_ *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
			return edit(said[many-1].ID+1, charges)
		},
	}
}

func reporting(w *fixtures) guardedWrite {
	author := w.newUser()
	people := w.users(many)
	report := func(whom user.ID, charges []ratelimit.Charge) (int64, error) {
		of := moderation.Thing{Kind: moderation.Person, ID: int64(whom)}
		r, _, err := w.Moderation.Report(w.Context(), moderation.Report{
			By: author, Thing: of, Owner: whom, Reason: moderation.Spam, Created: noon,
		}, charges...)
		return int64(r.ID), err
	}
	return guardedWrite{
		account: author,
		write: func(i int, _ *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
			return report(people[i], charges)
		},
		stored: func() []int64 {
			own, err := w.Moderation.ReportsBy(w.Context(), author, page.Span{}, page.Request{})
			require.NoError(w, err)
			return mapped(own.Items, func(r moderation.Report) int64 { return int64(r.ID) })
		},
		fail: func(_ *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
			return report(author+99, charges)
		},
	}
}

func liking(w *fixtures) guardedWrite {
	author := w.newUser()
	var events []event.ID
	for range many {
		events = append(events, w.write(author, noon).ID())
	}
	hidden := w.write(w.newUser(), noon, permitted(event.Contact)).ID()
	return guardedWrite{
		account: author,
		write: func(i int, _ *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
			return int64(events[i]), w.Discussion.Like(w.Context(), event.Like{Event: events[i], By: author, IsLiked: true, At: noon}, charges...)
		},
		stored: func() (liked []int64) {
			for _, id := range events {
				if w.entry(id).Likes > 0 {
					liked = append(liked, int64(id))
				}
			}
			return liked
		},
		fail: func(_ *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
			return 0, w.Discussion.Like(w.Context(), event.Like{Event: hidden, By: author, At: noon}, charges...)
		},
	}
}

func addingEvents(w *fixtures) guardedWrite {
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
	return guardedWrite{
		account: author,
		write: func(_ int, k *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
			return add(author, k, charges)
		},
		stored: func() []int64 {
			all := w.list(event.Query{Author: author, Viewer: author}).Items
			assert.Len(w, w.listed(), len(all))
			return mapped(all, func(e event.Entry) int64 { return int64(e.ID()) })
		},
		fail: func(k *idempotency.Key, charges ...ratelimit.Charge) (int64, error) { return add(author+1, k, charges) },
	}
}

// plating is a Change or a ChangeRead, which attaches a plate in each write.
func (w *fixtures) plating(
	author user.ID, on event.ID, change func(gone bool, fn func(*event.Event) error, charges []ratelimit.Charge) (event.Entry, error),
) guardedWrite {
	attach := func(k *idempotency.Key, failed error, charges []ratelimit.Charge) (int64, error) {
		e, err := change(false, func(e *event.Event) error {
			e.CompleteKey(k)
			require.NoError(w, e.AddPlate(event.Plate{Photo: "plates/a"}, noon))
			return failed
		}, charges)
		if err != nil {
			return 0, err
		}
		s := e.State()
		assert.Nil(w, s.Completes)
		return int64(s.Plates[len(s.Plates)-1].ID), nil
	}
	return guardedWrite{
		account: author,
		write: func(_ int, k *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
			return attach(k, nil, charges)
		},
		stored: func() []int64 {
			return mapped(w.entry(on).State().Plates, func(p event.Plate) int64 { return int64(p.ID) })
		},
		fail: func(k *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
			nothing := func(*event.Event) error { return nil }
			_, err := change(true, nothing, charges)
			require.ErrorIs(w, err, event.ErrNotFound)
			_, err = change(false, nothing, charges)
			require.NoError(w, err, "a change of nothing is not charged")
			return attach(k, errBoom, charges)
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
	followed := w.users(many)
	add := func(s subscription.Subscription, k *idempotency.Key, charges []ratelimit.Charge) (int64, error) {
		s.Completes = k
		stored, _, err := w.Subscriptions.Follow(w.Context(), s, charges...)
		assert.Nil(w, stored.Completes)
		return int64(stored.ID), err
	}
	return guardedWrite{
		account: follower,
		write: func(i int, k *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
			return add(toUser(follower, followed[i], noon), k, charges)
		},
		stored: func() []int64 {
			all := w.subscriptions(subscription.Query{User: follower}).Items
			return mapped(all, func(s subscription.Subscription) int64 { return int64(s.ID) })
		},
		fail: func(k *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
			return add(subscription.ToCategory(follower, feed.CategoryID(77), noon), k, charges)
		},
	}
}

func blocking(w *fixtures) guardedWrite {
	who := w.newUser()
	others := w.users(many)
	return guardedWrite{
		account: who,
		write: func(i int, _ *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
			return int64(others[i]), w.blocks(who, others[i], noon, charges...)
		},
		stored: func() []int64 { return mapped(w.blockedBy(who), func(whom user.ID) int64 { return int64(whom) }) },
		fail: func(_ *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
			return 0, w.blocks(who, others[many-1]+1, noon, charges...)
		},
	}
}

func addingImages(w *fixtures) guardedWrite {
	owner := w.newUser()
	add := func(owner user.ID, k *idempotency.Key, charges []ratelimit.Charge) (int64, error) {
		i := userimage.New(owner, "public/a", 1, 1, 0, userimage.Tags{}, noon)
		i.Completes = k
		stored, err := w.Images.Add(w.Context(), i, charges...)
		assert.Nil(w, stored.Completes)
		return int64(stored.ID), err
	}
	return guardedWrite{
		account: owner,
		write: func(_ int, k *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
			return add(owner, k, charges)
		},
		stored: func() []int64 {
			return mapped(w.pictures(userimage.Query{Owner: owner}), func(i userimage.Image) int64 { return int64(i.ID) })
		},
		fail: func(k *idempotency.Key, charges ...ratelimit.Charge) (int64, error) { return add(owner+1, k, charges) },
	}
}

func settingAvatars(w *fixtures) guardedWrite {
	id := w.newUser()
	var set atomic.Int64 // an avatar replaces the one before
	return guardedWrite{
		account: id,
		write: func(_ int, _ *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
			err := w.Directory.SetAvatar(w.Context(), id, media.Picture{Key: "public/a"}, 0, charges...)
			if err == nil {
				set.Add(1)
			}
			return 0, err
		},
		stored: func() []int64 { return make([]int64, set.Load()) },
		fail: func(_ *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
			return 0, w.Directory.SetAvatar(w.Context(), id+1, media.Picture{Key: "public/a"}, 0, charges...)
		},
	}
}

func charging(w *fixtures) guardedWrite {
	id := w.newUser()
	var charged atomic.Int64
	return guardedWrite{
		account: id,
		write: func(_ int, _ *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
			err := w.PersonalData.Charge(w.Context(), charges...)
			if err == nil {
				charged.Add(1)
			}
			return 0, err
		},
		stored: func() []int64 { return make([]int64, charged.Load()) },
		fail: func(_ *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
			ctx, cancel := context.WithCancel(w.Context())
			cancel()
			return 0, w.PersonalData.Charge(ctx, charges...)
		},
	}
}

func issuing(w *fixtures) guardedWrite {
	holder := w.newUser()
	taken := w.issue(token(w.newUser(), 255))
	return guardedWrite{
		account: holder,
		write: func(i int, _ *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
			id, err := w.Tokens.Issue(w.Context(), token(holder, byte(i)), charges...)
			return int64(id), err
		},
		stored: func() []int64 {
			theirs, err := w.Tokens.OfUsers(w.Context(), holder)
			require.NoError(w, err)
			return mapped(theirs, func(t access.Token) int64 { return int64(t.ID) })
		},
		fail: func(_ *idempotency.Key, charges ...ratelimit.Charge) (int64, error) {
			duplicate := token(holder, 0)
			duplicate.Hash = taken.Hash
			id, err := w.Tokens.Issue(w.Context(), duplicate, charges...)
			return int64(id), err
		},
	}
}
