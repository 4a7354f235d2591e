package ports

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/block"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/personaldata"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// Blocks is the suite of block.Repository, and of what the other ports leave out while a block stands. Random suites have
// blocks as well.
func Blocks(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"Add stores the block, once, and List has the user's, the newest first", blocksListed},
		{"Add ends that one follows the other, and removes the notifications that both have of each other", blocksPart},
		{"Add of one who does not exist or was erased is ErrNotFound", blocksOfUnknown},
		{"Add is charged, also of a block that stands", blocksCharged},
		{"Remove ends the block of the one by the other alone, and brings nothing back", blocksRemoved},
		{"of blocks and follows, comments and likes at once nothing remains between the two", blocksAtOnce},
		{"of two who unblock each other at once nothing remains", blocksRemovedAtOnce},
		{"neither follows the other, or is told of what the other does", blocksKeepApart},
		{"a block hides events and comments in both directions, and counts stay", blocksHide},
		{"neither finds the other by name", blocksNotFound},
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
	w.Helper()
	require.NoError(w, w.blocks(by, whom, noon))
}

func (w *fixtures) unblock(by, whom user.ID) {
	w.Helper()
	require.NoError(w, w.Blocks.Remove(w.Context(), by, whom))
}

// blockedBy returns whom the person blocks, the newest first.
func (w *fixtures) blockedBy(by user.ID) (all []user.ID) {
	w.Helper()
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
	w.Helper()
	relation := w.relations(a, b)[b]
	assert.Equal(w, relation, w.relations(b, a)[a])
	return relation
}

func blocksListed(w *fixtures) {
	who, first, second, third, other := w.newUser(), w.newUser(), w.newUser(), w.newUser(), w.newUser()
	w.block(who, first)
	w.block(who, second)
	require.NoError(w, w.blocks(who, third, noon.Add(time.Microsecond)))
	w.block(other, who)
	require.NoError(w, w.blocks(who, first, noon.Add(time.Hour)), "it stands already")
	want := []block.Block{{By: who, Whom: third, Created: noon.Add(time.Microsecond)}, {By: who, Whom: second, Created: noon},
		{By: who, Whom: first, Created: noon}}
	p, err := w.Blocks.List(w.Context(), who, pageNo(1, 10))
	require.NoError(w, err)
	assert.Equal(w, want, p.Items)
	p, err = w.Blocks.List(w.Context(), who, pageNo(2, 2))
	require.NoError(w, err)
	assert.Equal(w, want[2:], p.Items)
	assert.Equal(w, 3, p.Total)
	_, err = w.Blocks.List(w.Context(), who, pageNo(3, 2))
	assert.True(w, fault.Is(err, fault.NotFound))
	assert.Empty(w, w.blockedBy(first))
	require.NoError(w, w.blocks(who, other, noon.Add(time.Hour)))
	assert.Equal(w, []user.ID{other, third, second, first}, w.blockedBy(who), "each blocks the other, in an order of their own")
	assert.Equal(w, []user.ID{who}, w.blockedBy(other))
}

func blocksPart(w *fixtures) {
	who, other, third := w.newUser(), w.newUser(), w.newUser()
	own, others := w.write(who, noon), w.write(other, noon)
	for _, friend := range []user.ID{other, third} {
		w.befriend(who, friend)
		w.say(own.ID(), friend, noon, "Hm")
		w.likeAt(own, friend, true, noon)
	}
	w.say(others.ID(), who, noon, "Oh")
	w.likeAt(others, who, true, noon)
	w.likeAt(others, who, false, noon) // a withdrawn notification
	require.Len(w, w.kindsOf(who), 6)
	require.Len(w, w.kindsOf(other), 2)
	w.block(who, other)
	assert.Equal(w, subscription.Blocked, w.relation(who, other))
	assert.Equal(w, subscription.Contact, w.relation(who, third))
	assert.Equal(w, []notification.Kind{notification.Like, notification.Comment, notification.Follow}, w.kindsOf(who))
	assert.Empty(w, w.kindsOf(other))
	assert.Equal(w, 1, w.subscriptions(subscription.Query{User: who}).Total)
	assert.Zero(w, w.subscriptions(subscription.Query{User: other}).Total)
	assert.Zero(w, w.subscriptions(subscription.Query{Followed: other}).Total)
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

func blocksRemoved(w *fixtures) {
	who, other := w.newUser(), w.newUser()
	w.befriend(who, other)
	w.block(who, other)
	w.block(other, who)
	w.unblock(who, other)
	assert.Equal(w, subscription.Blocked, w.relation(who, other), "the other still blocks")
	assert.Empty(w, w.blockedBy(who))
	assert.Equal(w, []user.ID{who}, w.blockedBy(other))
	w.unblock(who, other)
	assert.Equal(w, []user.ID{who}, w.blockedBy(other))
	w.unblock(other, who)
	w.unblock(other, other+1)
	assert.Equal(w, subscription.Stranger, w.relation(who, other))
	assert.Empty(w, w.kindsOf(who))
	w.befriend(who, other)
	assert.Equal(w, subscription.Contact, w.relation(who, other))
}

// assertUnlessBlocked asserts that a write is done, or that it came too late: a block stands.
func (w *fixtures) assertUnlessBlocked(err error) {
	w.Helper()
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

func blocksKeepApart(w *fixtures) {
	who, other := w.newUser(), w.newUser()
	own, others := w.write(who, noon), w.write(other, noon)
	w.block(who, other)
	for _, pair := range [][2]user.ID{{who, other}, {other, who}} {
		assert.ErrorIs(w, w.followed(toUser(pair[0], pair[1], noon)), subscription.ErrNotFound)
	}
	for on, by := range map[*event.Event]user.ID{own: other, others: who} {
		assert.ErrorIs(w, w.says(on.ID(), by), event.ErrNotFound)
		assert.ErrorIs(w, w.Discussion.Like(w.Context(), likeOf(on, by, true, noon)), event.ErrNotFound)
	}
	assert.Empty(w, w.kindsOf(who))
	assert.Empty(w, w.kindsOf(other))
}

// blocksHide leaves what is hidden in lists to the random suites and to hideComments.
func blocksHide(w *fixtures) {
	who, other, third := w.newUser(), w.newUser(), w.newUser()
	own, others, thirds := w.write(who, noon), w.write(other, noon), w.write(third, noon)
	for _, by := range []user.ID{who, other, third} {
		w.say(thirds.ID(), by, noon, "Hm")
	}
	w.block(who, other)
	for viewer, want := range map[user.ID]struct {
		own, others subscription.Relation
		comments    int
	}{
		who: {subscription.Self, subscription.Blocked, 2}, other: {subscription.Blocked, subscription.Self, 2},
		third: {subscription.Stranger, subscription.Stranger, 3},
	} {
		likings, err := w.Discussion.Likings(w.Context(), []event.ID{own.ID(), others.ID()}, viewer)
		require.NoError(w, err)
		for id, relation := range map[event.ID]subscription.Relation{own.ID(): want.own, others.ID(): want.others} {
			_, got, err := w.Events.GetFor(w.Context(), id, viewer)
			require.NoError(w, err)
			assert.Equal(w, relation, got)
			assert.Equal(w, relation, likings[id].Relation)
		}
		p, members, err := w.Discussion.Comments(w.Context(), thirds.ID(), viewer, page.Request{})
		require.NoError(w, err)
		assert.Equal(w, want.comments, p.Total)
		assert.Len(w, members, want.comments)
	}
	assert.Equal(w, 3, w.got(thirds.ID()).Counts.Comments)
}

func commentIDs(comments []event.Comment) []event.CommentID {
	return mapped(comments, func(c event.Comment) event.CommentID { return c.ID })
}

func blocksNotFound(w *fixtures) {
	who, other, third := w.named("Ada", "One"), w.named("Ada", "Two"), w.named("Ada", "Three")
	w.block(who, other)
	assert.Equal(w, []user.ID{who, third}, w.searches(who, "ada", 1))
	assert.Equal(w, []user.ID{other, third}, w.searches(other, "ada", 1))
	assert.Equal(w, []user.ID{who, other, third}, w.searches(third, "ada", 1))
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
