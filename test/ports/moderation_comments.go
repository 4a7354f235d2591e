package ports

import (
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/event"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/notification"
	"plaza/domain/user"
)

func remark(id event.CommentID) moderation.Thing {
	return moderation.Thing{Kind: moderation.Comment, ID: int64(id)}
}

func (w *fixtures) restore(t moderation.Thing) {
	w.Helper()
	_, err := w.Moderation.Restore(w.Context(), t, w.moves(t))
	require.NoError(w, err)
}

// hideComments compares what each sees with the rule of the domain.
func hideComments(w *fixtures) {
	author, friend, blocked, both := w.newUser(), w.newUser(), w.newUser(), w.newUser()
	people := []user.ID{author, friend, blocked, both}
	e := w.write(author, noon)
	for i, who := range people {
		for n := range 2 {
			c := w.say(e.ID(), who, noon.Add(time.Duration(2*i+n)*time.Second), "Hm")
			if n == 0 {
				w.hide(remark(c.ID), noon)
			}
		}
	}
	w.block(author, blocked)
	w.block(both, author)
	w.block(friend, both)
	var all []event.Comment
	for id := range event.CommentID(8) {
		c, err := w.Discussion.Comment(w.Context(), id+1)
		require.NoError(w, err)
		assert.Equal(w, id%2 == 0, c.Hidden)
		all = append([]event.Comment{c}, all...)
	}
	for _, viewer := range append(people, w.newUser()) {
		var want []event.CommentID
		for _, c := range all {
			if c.VisibleTo(viewer, w.relations(viewer, c.Author)[c.Author]) {
				want = append(want, c.ID)
			}
		}
		var seen []event.CommentID
		for n := 1; len(seen) < len(want); n++ {
			p, _, err := w.Discussion.Comments(w.Context(), e.ID(), viewer, pageNo(n, 3))
			require.NoError(w, err)
			assert.Equal(w, len(want), p.Total)
			seen = append(seen, commentIDs(p.Items)...)
		}
		assert.Equal(w, want, seen)
		related, err := w.Related.Load(w.Context(), event.RelatedQuery{Viewer: viewer, CommentsFor: []event.ID{e.ID()}, Comments: 2})
		require.NoError(w, err)
		assert.Equal(w, want[:2], commentIDs(related.Comments[e.ID()]))
	}
	w.consistent()
}

func hideCounted(w *fixtures) {
	author := w.newUser()
	one, two := w.write(author, noon), w.write(author, noon)
	w.say(one.ID(), author, noon, "First")
	w.say(two.ID(), author, noon.Add(time.Second), "Second")
	c := w.say(one.ID(), author, noon.Add(time.Minute), "Third")
	order := func() []event.ID { return mapped(eventsOf(w.commented(author, 9)), (*event.Event).ID) }
	assert.Equal(w, []event.ID{one.ID(), two.ID()}, order())
	h := w.hide(remark(c.ID), noon)
	assert.Equal(w, moderation.Hiding{Thing: remark(c.ID), Owner: author, Reason: "Rude", At: noon}, h)
	assert.Equal(w, []event.ID{two.ID(), one.ID()}, order())
	assert.Equal(w, 1, w.entry(one.ID()).Comments)
	w.restore(remark(c.ID))
	assert.Equal(w, []event.ID{one.ID(), two.ID()}, order())
	assert.Equal(w, 2, w.entry(one.ID()).Comments)
	w.consistent()
}

func hideNotified(w *fixtures) {
	author, other := w.newUser(), w.newUser()
	e := w.write(author, noon)
	c := w.say(e.ID(), other, noon, "Oh")
	w.say(e.ID(), other, noon, "Ah")
	w.hide(remark(c.ID), noon)
	assert.Len(w, w.kindsOf(author), 1)
	w.restore(remark(c.ID))
	assert.Len(w, w.kindsOf(author), 2)
	all, _ := w.notifications(author)
	w.markRead(author, all[0].ID)
	w.hide(remark(c.ID), noon)
	w.restore(remark(c.ID))
	all, unread := w.notifications(author)
	assert.Len(w, all, 2)
	assert.Zero(w, unread, "it was read before")
	w.hide(remark(c.ID), noon)
	w.block(author, other)
	w.unblock(author, other)
	w.restore(remark(c.ID))
	assert.Equal(w, []notification.Kind(nil), w.kindsOf(author))
	w.consistent()
}

func hideRemoved(w *fixtures) {
	author, other := w.newUser(), w.newUser()
	e := w.write(author, noon)
	w.say(e.ID(), author, noon, "Hm")
	var said []event.CommentID
	for range 3 {
		c := w.say(e.ID(), other, noon, "Rude")
		w.hide(remark(c.ID), noon)
		said = append(said, c.ID)
	}
	require.NoError(w, w.Discussion.RemoveComment(w.Context(), said[0]))
	_, err := w.Moderation.Restore(w.Context(), remark(said[0]), media.Moves{})
	assert.ErrorIs(w, err, event.ErrNoComment)
	assert.Equal(w, 1, w.entry(e.ID()).Comments)
	assert.Len(w, w.hidings(other), 2)
	w.restore(remark(said[1]))
	w.erase(other)
	assert.Equal(w, 1, w.entry(e.ID()).Comments)
	w.consistent()
}

func hideCommentsAtOnce(w *fixtures) {
	author, other := w.newUser(), w.newUser()
	e := w.write(author, noon)
	of := remark(w.say(e.ID(), other, noon, "Rude").ID)
	turn := func(isHidden bool, wrong error) {
		errs := atOnce(8, func(i int) (err error) {
			switch {
			case i >= 4:
				_, _, err = w.Discussion.AddComment(w.Context(), event.Comment{Event: e.ID(), Author: other, Content: "Hm", Created: noon})
			case isHidden:
				_, err = w.Moderation.Hide(w.Context(), moderation.Hiding{Thing: of, Reason: "Rude", At: noon}, media.Moves{})
			default:
				_, err = w.Moderation.Restore(w.Context(), of, media.Moves{})
			}
			return err
		})
		assertOneWins(w, errs[:4], wrong)
		assert.Equal(w, make([]error, 4), errs[4:])
	}
	turn(true, moderation.ErrHidden)
	assert.Equal(w, 4, w.entry(e.ID()).Comments)
	turn(false, moderation.ErrNotHidden)
	assert.Equal(w, 9, w.entry(e.ID()).Comments)
	assert.Len(w, w.kindsOf(author), 9)
	w.consistent()
}
