package ports

import (
	"errors"
	"fmt"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/event"
	"plaza/domain/page"
	"plaza/domain/user"
)

var eventDiscussing = []promise{
	{"AddComment stores the comment and returns it with its number", addComment},
	{"AddComment and Like are ErrNotFound for those to whom the rule of visibility does not show the event, and tell its author alone",
		discussRandom},
	{"RemoveComment deletes the comment, or returns ErrNoComment, as Comment does; it does not modify the event", removeComment},
	{"of many who remove a comment at once one does", removeCommentAtOnce},
	{"AllComments lists those on an event and of an author, hidden ones included, by spans of time", commentSpans},
	{"Load returns for every event its newest comments, at most limit each, ties by descending id, and so does Comments", newestComments},
	{"Like sets whether the user likes the event, in any previous state", likeOrNot},
	{"AddComment and Like are ErrNotFound when the event is gone", discussNothing},
	{"counts are exact, however many say and like at once", countsAtOnce},
	{"the latest comment is known, however many come and go at once", latestAtOnce},
	{"comments and a Remove at once leave nothing behind", commentAgainstRemove},
}

func (w *fixtures) like(on event.ID, who user.ID, likes bool) {
	require.NoError(w, w.Discussion.Like(w.Context(), likeOf(w.entry(on).Event, who, likes, noon)))
}

// likeOf is the user's like of the event.
func likeOf(on *event.Event, by user.ID, likes bool, at time.Time) event.Like {
	return event.NewLike(on.ID(), by, likes, at)
}

func (w *fixtures) comments(on event.ID, r page.Request) page.Page[event.Comment] {
	p, _, err := w.Discussion.Comments(w.Context(), on, 0, r)
	require.NoError(w, err)
	return p
}

func (w *fixtures) comment(id event.CommentID) event.Comment {
	c, err := w.Discussion.Comment(w.Context(), id)
	require.NoError(w, err)
	return c
}

func addComment(w *fixtures) {
	author, other := w.newUser(), w.newUser()
	e := w.write(author, noon)
	given := event.Comment{ID: 77, Event: e.ID(), Author: other, Content: "O'Brien \\ \"%_\"\n 🀄", Created: noon}
	first, by, err := w.Discussion.AddComment(w.Context(), given)
	require.NoError(w, err)
	assert.Equal(w, w.member(other), *by)
	second := w.say(e.ID(), other, noon, "Again")
	require.Positive(w, first.ID)
	assert.NotEqual(w, first.ID, second.ID)
	given.ID = first.ID
	assert.Equal(w, given, first)
	assert.Equal(w, given, w.comment(first.ID))
	assert.Equal(w, second, w.comment(second.ID))
	assertComplete(w, []event.Comment{given}, "Completes", "Edited", "ReplyTo", "Hidden")
}

func removeComment(w *fixtures) {
	author := w.newUser()
	e := w.write(author, noon)
	first, second := w.say(e.ID(), author, noon, "One"), w.say(e.ID(), author, noon, "Two")
	listed := w.listed()
	require.NoError(w, w.Discussion.RemoveComment(w.Context(), second.ID))
	assert.Equal(w, []event.Comment{first}, w.comments(e.ID(), page.Request{}).Items)
	assert.Equal(w, 1, w.entry(e.ID()).Comments)
	for _, id := range []event.CommentID{second.ID, 0, -1, second.ID + 1} {
		_, err := w.Discussion.Comment(w.Context(), id)
		assert.ErrorIs(w, err, event.ErrNoComment, "%d", id)
		assert.ErrorIs(w, w.Discussion.RemoveComment(w.Context(), id), event.ErrNoComment)
	}
	assert.Equal(w, 1, w.entry(e.ID()).Comments)
	assert.Equal(w, stateOf(e), stateOf(w.entry(e.ID()).Event))
	assert.Equal(w, listed, w.listed())
	assert.NotEqual(w, second.ID, w.say(e.ID(), author, noon, "Three").ID, "no number is given twice")
}

func removeCommentAtOnce(w *fixtures) {
	author := w.newUser()
	e := w.write(author, noon)
	w.say(e.ID(), author, noon, "One")
	c := w.say(e.ID(), author, noon, "Two")
	assertOneWins(w, atOnce(many, func(int) error { return w.Discussion.RemoveComment(w.Context(), c.ID) }), event.ErrNoComment)
	assert.Equal(w, 1, w.entry(e.ID()).Comments)
}

// conversation is what is said of an event, in the order of a list: the newest first, of one instant the last stored first.
func (w *fixtures) conversation(on event.ID, author user.ID) []event.Comment {
	var said []event.Comment
	for i, at := range []int{0, 2, 1, 1, 3} {
		said = append(said, w.say(on, author, noon.Add(time.Duration(at)*time.Microsecond), fmt.Sprint("Nº ", i)))
	}
	return []event.Comment{said[4], said[1], said[3], said[2], said[0]}
}

func newestComments(w *fixtures) {
	author := w.newUser()
	a, b, silent := w.write(author, noon).ID(), w.write(author, noon).ID(), w.write(author, noon).ID()
	onA := w.conversation(a, author)
	onB := []event.Comment{w.say(b, author, noon, "Only")}
	newest := func(limit int, on ...event.ID) map[event.ID][]event.Comment {
		found, err := w.Related.Load(w.Context(), event.RelatedQuery{CommentsFor: on, Comments: limit})
		require.NoError(w, err)
		return found.Comments
	}
	assert.Equal(w, map[event.ID][]event.Comment{a: onA[:3], b: onB}, newest(3, b, silent, a, silent+1, a))
	assert.Equal(w, map[event.ID][]event.Comment{a: onA}, newest(10, a))
	assert.Empty(w, newest(10, silent))
	assert.Empty(w, newest(10))

	newest(10, a)[a][0].Content = "spoilt"
	w.comments(a, page.Request{}).Items[0].Content = "spoilt"
	assert.Equal(w, onA, newest(10, a)[a], "what came out is private")
	assert.Equal(w, onA, w.comments(a, page.Request{}).Items)
}

func likeOrNot(w *fixtures) {
	author, other := w.newUser(), w.newUser()
	e := w.write(author, noon)
	bystander := w.write(author, noon)
	for _, step := range []struct {
		who   user.ID
		likes bool
		want  int
	}{
		{other, false, 0}, {other, true, 1}, {other, true, 1}, {author, true, 2}, {author, false, 1},
		{author, false, 1}, {other, false, 0}, {other, true, 1},
	} {
		w.like(e.ID(), step.who, step.likes)
		assert.Equal(w, step.want, w.entry(e.ID()).Likes, "%+v", step)
	}
	assert.Zero(w, w.entry(bystander.ID()).Likes)
}

func discussNothing(w *fixtures) {
	author := w.newUser()
	e := w.write(author, noon)
	w.like(e.ID(), author, true)
	w.remove(e.ID())
	for _, on := range []event.ID{e.ID(), 0, e.ID() + 1} {
		assert.ErrorIs(w, w.says(on, author), event.ErrNotFound)
		for _, likes := range []bool{true, false} {
			assert.ErrorIs(w, w.Discussion.Like(w.Context(), event.Like{Event: on, By: author, IsLiked: likes, At: noon}), event.ErrNotFound)
		}
	}
}

// latestAtOnce lets many add a comment and take an older one away, to two events of
// one author, and looks which of the events was commented last.
func latestAtOnce(w *fixtures) {
	author := w.newUser()
	for round := range 8 {
		events := []event.ID{w.write(author, noon).ID(), w.write(author, noon).ID()}
		at := func(i int) time.Time { return noon.Add(time.Duration(round*100+i) * time.Second) }
		var old []event.CommentID
		for i := range many {
			old = append(old, w.say(events[i%2], author, at(i+many), "Older").ID)
		}
		w.succeed(atOnce(2*many, func(i int) error {
			if i < many {
				return w.Discussion.RemoveComment(w.Context(), old[i])
			}
			c, err := event.NewComment(events[i%2], author, "Newer", at(i-many))
			if err == nil {
				_, _, err = w.Discussion.AddComment(w.Context(), c)
			}
			return err
		}))
		last := many - 1 // what is left is the later the higher its number
		want := []event.ID{events[last%2], events[(last+1)%2]}
		commented, err := w.EventReader.Commented(w.Context(), author, 2)
		require.NoError(w, err)
		require.Len(w, commented, 2)
		assert.Equal(w, want, []event.ID{commented[0].ID(), commented[1].ID()})
		assert.Equal(w, many/2, commented[0].Comments)
		assert.Equal(w, many/2, commented[1].Comments)
	}
}

func countsAtOnce(w *fixtures) {
	author := w.newUser()
	e := w.write(author, noon)
	fans := w.users(many)
	w.succeed(atOnce(5*many, func(i int) error {
		who := fans[i%many]
		switch i / many {
		case 0, 1:
			return w.Discussion.Like(w.Context(), likeOf(e, who, true, noon)) // each twice
		case 2:
			return w.Discussion.Like(w.Context(), likeOf(e, author, true, noon))
		case 3:
			return w.says(e.ID(), who)
		default:
			_, err := w.Events.Change(w.Context(), e.ID(), func(e *event.Event) error { return e.AddPlate(event.Plate{Photo: "plates/a"}, noon) })
			return err
		}
	}))
	entry := w.entry(e.ID())
	assert.Equal(w, event.Counts{Comments: many, Likes: many + 1}, entry.Counts)
	assert.Len(w, entry.State().Plates, many)
	assert.Equal(w, many, w.comments(e.ID(), pageNo(1, 100)).Total)
}

func commentAgainstRemove(w *fixtures) {
	author := w.newUser()
	for range 5 {
		e := w.write(author, noon)
		for i, err := range atOnce(9, func(i int) error {
			switch {
			case i == 4:
				_, err := w.Events.Remove(w.Context(), e.ID())
				return err
			case i%2 == 0:
				return w.Discussion.Like(w.Context(), likeOf(e, author, true, noon))
			default:
				return w.says(e.ID(), author)
			}
		}) {
			if i == 4 || err != nil && !errors.Is(err, event.ErrNotFound) {
				require.NoError(w, err)
			}
		}
		assert.Zero(w, w.comments(e.ID(), page.Request{}).Total)
		assert.Empty(w, w.commented(author, 10))
	}
}
