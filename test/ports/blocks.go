package ports

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/block"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/personaldata"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

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
