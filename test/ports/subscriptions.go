package ports

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/block"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/page"
	"plaza/domain/personaldata"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// Subscriptions is the suite of subscription.Repository.
func Subscriptions(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"Follow stores the subscription", followNew},
		{"however many Follow at once, one is stored", followAtOnce},
		{"what is followed must exist, else ErrNotFound", followNothing},
		{"Get returns the owner's subscription; of an unknown one, or another user's, Get and Remove are ErrNotFound", getOwned},
		{"of many who Remove at once one does", unfollowAtOnce},
		{"List is newest first, ties by descending id, of those who follow and those who are followed", listOrdered},
		{"Relations returns the relation to each author, Stranger included, of the zero viewer to all", relations},
	})
}

// toUser is a subscription that is not stored yet.
func toUser(who, followed user.ID, at time.Time) subscription.Subscription {
	return subscription.Subscription{User: who, Followed: followed, Created: at, Updated: at.Add(time.Second)}
}

// subscribe stores the subscription, which must be new.
func (w *fixtures) subscribe(s subscription.Subscription) subscription.Subscription {
	stored, isNew, err := w.Subscriptions.Follow(w.Context(), s)
	require.NoError(w, err)
	require.True(w, isNew)
	return stored
}

func (w *fixtures) subscriptions(q subscription.Query) page.Page[subscription.Subscription] {
	p, err := w.Subscriptions.List(w.Context(), q)
	require.NoError(w, err)
	return p
}

func getOwned(w *fixtures) {
	who, followed := w.newUser(), w.newUser()
	toPerson := w.subscribe(toUser(who, followed, noon))
	toCategory := w.subscribe(subscription.ToCategory(who, w.category(1), noon))
	for _, want := range []subscription.Subscription{toPerson, toCategory} {
		got, err := w.Subscriptions.Get(w.Context(), who, want.ID)
		require.NoError(w, err)
		assert.Equal(w, want, got)
	}
	assertComplete(w, []subscription.Subscription{toPerson, toCategory}, "Completes")
	require.NoError(w, w.Subscriptions.Remove(w.Context(), who, toCategory.ID))
	for id, owner := range map[subscription.ID]user.ID{toPerson.ID: followed, toCategory.ID: who, 0: who, -1: who, 1 << 40: who} {
		_, err := w.Subscriptions.Get(w.Context(), owner, id)
		assert.ErrorIs(w, err, subscription.ErrNotFound, "%d", id)
		assert.ErrorIs(w, w.Subscriptions.Remove(w.Context(), owner, id), subscription.ErrNotFound, "%d", id)
	}
	assert.Equal(w, []subscription.Subscription{toPerson}, w.subscriptions(subscription.Query{User: who}).Items)
}

func followNew(w *fixtures) {
	who, followed := w.newUser(), w.newUser()
	for _, s := range []subscription.Subscription{
		toUser(who, followed, noon),
		subscription.ToCategory(who, w.category(feed.CategoryID(followed)), noon), // of the same number
		toUser(followed, who, noon),
	} {
		stored := w.subscribe(s)
		require.Positive(w, stored.ID)
		s.ID = stored.ID
		assert.Equal(w, s, stored)
		assert.Contains(w, w.subscriptions(subscription.Query{User: s.User}).Items, s)
	}
	assert.Equal(w, 2, w.subscriptions(subscription.Query{User: who}).Total)
}

func followAtOnce(w *fixtures) {
	who := w.newUser()
	for _, s := range []subscription.Subscription{
		toUser(who, w.newUser(), noon), subscription.ToCategory(who, w.category(1), noon),
	} {
		var news atomic.Int64
		ids := map[subscription.ID]bool{}
		for _, id := range atOnce(many, func(int) subscription.ID {
			stored, isNew, err := w.Subscriptions.Follow(w.Context(), s)
			assert.NoError(w, err)
			if isNew {
				news.Add(1)
			}
			return stored.ID
		}) {
			ids[id] = true
		}
		assert.EqualValues(w, 1, news.Load())
		assert.Len(w, ids, 1)
	}
	assert.Equal(w, 2, w.subscriptions(subscription.Query{User: who}).Total)
}

func followNothing(w *fixtures) {
	who := w.newUser()
	for _, s := range []subscription.Subscription{
		toUser(who, who+1, noon), toUser(who, -1, noon),
		subscription.ToCategory(who, 1, noon), subscription.ToCategory(who, 0, noon),
	} {
		_, _, err := w.Subscriptions.Follow(w.Context(), s)
		assert.ErrorIs(w, err, subscription.ErrNotFound)
	}
	_, _, err := w.Subscriptions.Follow(w.Context(), toUser(who+1, who, noon))
	require.Error(w, err, "a follower who is not there is our mistake")
	assert.False(w, fault.Is(err, fault.NotFound), "%v", err)
	assert.Empty(w, w.subscriptions(subscription.Query{User: who}).Items)
	assert.Empty(w, w.subscriptions(subscription.Query{User: who + 1}).Items)
}

func unfollowAtOnce(w *fixtures) {
	who := w.newUser()
	s := w.subscribe(toUser(who, w.newUser(), noon))
	assertOneWins(w, atOnce(many, func(int) error { return w.Subscriptions.Remove(w.Context(), who, s.ID) }), subscription.ErrNotFound)
}

func listOrdered(w *fixtures) {
	who, idol := w.newUser(), w.newUser()
	var own, fans []subscription.Subscription
	for _, minutes := range []time.Duration{0, 2, 1, 1, 3} {
		at, other := noon.Add(minutes*time.Minute), w.newUser()
		own, fans = append(own, w.subscribe(toUser(who, other, at))), append(fans, w.subscribe(toUser(other, idol, at)))
	}
	for q, all := range map[*subscription.Query][]subscription.Subscription{{User: who}: own, {Followed: idol}: fans} {
		q.Page = pageNo(2, 2)
		p := w.subscriptions(*q)
		assert.Equal(w, []subscription.Subscription{all[3], all[2]}, p.Items)
		assert.Equal(w, 5, p.Total)
	}
}

func (w *fixtures) relations(viewer user.ID, authors ...user.ID) map[user.ID]subscription.Relation {
	r, err := w.Subscriptions.Relations(w.Context(), viewer, authors)
	require.NoError(w, err)
	return r
}

func relations(w *fixtures) {
	viewer, friend, fan, idol, nobody := w.newUser(), w.newUser(), w.newUser(), w.newUser(), w.newUser()
	w.befriend(viewer, friend)
	w.befriend(friend, nobody)
	w.follow(fan, viewer)
	w.follow(viewer, idol)
	w.subscribe(subscription.ToCategory(viewer, w.category(feed.CategoryID(fan)), noon)) // of the fan's number
	unknown := nobody + 1
	want := map[user.ID]subscription.Relation{
		viewer: subscription.Self, friend: subscription.Contact, fan: subscription.Stranger,
		idol: subscription.Stranger, nobody: subscription.Stranger, unknown: subscription.Stranger,
	}
	assert.Equal(w, want, w.relations(viewer, friend, viewer, fan, idol, nobody, unknown, friend))
	assert.Equal(w, subscription.Contact, w.relations(friend, viewer)[viewer], "both ways")
	assert.Empty(w, w.relations(viewer))
	zero := map[user.ID]subscription.Relation{viewer: subscription.Stranger, friend: subscription.Stranger, 0: subscription.Stranger}
	assert.Equal(w, zero, w.relations(0, viewer, friend, 0))
}

// Blocks is the suite of block.Repository, and of what the other ports leave out while a block stands. Random suites have blocks as well.
func Blocks(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"Add of one who does not exist or was erased is ErrNotFound", blocksOfUnknown},
		{"Add is charged, also of a block that stands", blocksCharged},
		{"of blocks and follows, comments and likes at once nothing remains between the two", blocksAtOnce},
		{"of two who unblock each other at once nothing remains", blocksRemovedAtOnce},
		{"Erase removes the blocks by the user and of the user", blocksErased},
	})
}

// blocks makes one person block the other.
func (w *fixtures) blocks(by, whom user.ID, at time.Time, charges ...ratelimit.Charge) error {
	b, err := block.New(by, whom, at)
	require.NoError(w, err)
	return w.Blocks.Add(w.Context(), b, charges...)
}

func (w *fixtures) block(by, whom user.ID) {
	require.NoError(w, w.blocks(by, whom, noon))
}

func (w *fixtures) unblock(by, whom user.ID) {
	require.NoError(w, w.Blocks.Remove(w.Context(), by, whom))
}

// blockedBy returns whom the person blocks, the newest first.
func (w *fixtures) blockedBy(by user.ID) (all []user.ID) {
	p, err := w.Blocks.List(w.Context(), by, pageNo(1, page.MaxSize))
	require.NoError(w, err)
	for _, b := range p.Items {
		assert.Equal(w, by, b.By)
		all = append(all, b.Whom)
	}
	return all
}

// relation returns the relation of both people, which must be the same in both directions.
func (w *fixtures) relation(a, b user.ID) subscription.Relation {
	relation := w.relations(a, b)[b]
	assert.Equal(w, relation, w.relations(b, a)[a])
	return relation
}

func blocksOfUnknown(w *fixtures) {
	who, erased := w.newUser(), w.newUser()
	w.erase(erased)
	for _, whom := range []user.ID{erased, erased + 1, 0, -1} {
		assert.ErrorIs(w, w.blocks(who, whom, noon), user.ErrNotFound)
	}
	err := w.blocks(erased+1, who, noon)
	require.Error(w, err, "one who blocks and is not there is our mistake")
	assert.False(w, fault.Is(err, fault.NotFound), "%v", err)
	assert.Empty(w, w.blockedBy(who))
}

func blocksCharged(w *fixtures) {
	who, other := w.newUser(), w.newUser()
	charge := ratelimit.Limits{ratelimit.Follow: {Count: 2, Period: time.Hour}}.Charge(int64(who), ratelimit.Follow, noon)
	for range 2 {
		require.NoError(w, w.blocks(who, other, noon, charge))
	}
	requireThrottled(w, w.blocks(who, other, noon, charge))
}

// assertUnlessBlocked asserts that a write is done, or that it came too late: a block stands.
func (w *fixtures) assertUnlessBlocked(err error) {
	if err != nil {
		assert.ErrorIs(w, err, event.ErrNotFound)
	}
}

func blocksAtOnce(w *fixtures) {
	for range 5 {
		who, other := w.newUser(), w.newUser()
		own, others := w.write(who, noon), w.write(other, noon)
		atOnce(many, func(i int) error {
			a, b, on := who, other, others
			if i%2 == 0 {
				a, b, on = other, who, own
			}
			switch i / 2 % 4 {
			case 0:
				assert.NoError(w, w.blocks(a, b, noon))
			case 1:
				if _, _, err := w.Subscriptions.Follow(w.Context(), toUser(a, b, noon)); err != nil {
					assert.ErrorIs(w, err, subscription.ErrNotFound)
				}
			case 2:
				w.assertUnlessBlocked(w.says(on.ID(), a))
			default:
				w.assertUnlessBlocked(w.Discussion.Like(w.Context(), likeOf(on, a, i < many/2, noon)))
			}
			return nil
		})
		assert.Equal(w, subscription.Blocked, w.relation(who, other))
		assert.Empty(w, w.kindsOf(who))
		assert.Empty(w, w.kindsOf(other))
		assert.Zero(w, w.subscriptions(subscription.Query{User: who}).Total+w.subscriptions(subscription.Query{User: other}).Total)
	}
	w.consistent()
}

func blocksRemovedAtOnce(w *fixtures) {
	for range many {
		who, other := w.newUser(), w.newUser()
		w.block(who, other)
		w.block(other, who)
		atOnce(2, func(i int) error {
			pair := []user.ID{who, other}
			return w.Blocks.Remove(w.Context(), pair[i], pair[1-i])
		})
		assert.Equal(w, subscription.Stranger, w.relation(who, other))
	}
	w.consistent()
}

func commentIDs(comments []event.Comment) []event.CommentID {
	return mapped(comments, func(c event.Comment) event.CommentID { return c.ID })
}

func blocksErased(w *fixtures) {
	who, whom, by, both := w.newUser(), w.newUser(), w.newUser(), w.newUser()
	w.block(who, whom)
	w.block(by, who)
	w.block(who, both)
	w.block(both, who)
	w.block(by, both)
	w.erase(who, personaldata.Blocks)
	assert.Empty(w, w.blockedBy(who))
	assert.Equal(w, []user.ID{both}, w.blockedBy(by))
	assert.Empty(w, w.blockedBy(both))
	for _, other := range []user.ID{whom, by, both} {
		assert.Equal(w, subscription.Stranger, w.relation(who, other))
	}
}
