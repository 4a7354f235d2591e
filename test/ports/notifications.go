package ports

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/user"
)

// Notifications is the suite of notification.Store, and of what event.Discussion and subscription.Repository do for it.
func Notifications(t *testing.T, open Open) {
	open.keeps(t, append([]promise{
		{"a comment, a like or a follow of an unknown user is an error, stores nothing and makes none", notificationsOfFailures},
		{"a like that is given again within RepeatAfter of its notification shows it again, as it was", notificationsAgain},
		{"a like that is given again later makes a new one", notificationsLater},
		{"at least the newest MinKept of a person are kept, and at most MaxKept", notificationsKept},
		{"a reply on an event that the rule of visibility does not let one see is neither listed nor counted", repliesRandom},
	}, streamPromises...))
}

// notifications are the person's newest ones, and how many are unread, which Unread must say, too.
func (w *fixtures) notifications(of user.ID) ([]notification.Notification, int) {
	w.Helper()
	list, err := w.Notifications.List(w.Context(), of, page.Behind(page.Cursor{}, page.MaxSize))
	require.NoError(w, err)
	unread, err := w.Notifications.Unread(w.Context(), of)
	require.NoError(w, err)
	assert.Equal(w, list.Unread, unread)
	return list.Items, unread
}

// kindsOf returns the kinds of the person's notifications, all of which must be unread.
func (w *fixtures) kindsOf(of user.ID) (kinds []notification.Kind) {
	w.Helper()
	all, unread := w.notifications(of)
	for _, n := range all {
		kinds = append(kinds, n.Kind)
	}
	assert.Equal(w, len(all), unread)
	w.consistent()
	return kinds
}

// likeAt sets whether the person likes the event, at the time.
func (w *fixtures) likeAt(on *event.Event, by user.ID, likes bool, at time.Time) {
	w.Helper()
	require.NoError(w, w.Discussion.Like(w.Context(), likeOf(on, by, likes, at)))
}

func (w *fixtures) markRead(of user.ID, upTo notification.ID) {
	w.Helper()
	require.NoError(w, w.Notifications.MarkRead(w.Context(), of, upTo))
}

func notificationsOfFailures(w *fixtures) {
	author, unknown := w.newUser(), user.ID(99)
	e := w.write(author, noon)
	_, _, followed := w.Subscriptions.Follow(w.Context(), toUser(unknown, author, noon))
	for _, err := range []error{
		w.says(e.ID(), unknown), w.Discussion.Like(w.Context(), likeOf(e, unknown, true, noon)), followed,
	} {
		require.Error(w, err)
		assert.True(w, fault.Is(err, fault.Internal), "%v", err)
	}
	assert.Zero(w, w.entry(e.ID()).Counts)
	assert.Empty(w, w.kindsOf(author))
}

func notificationsAgain(w *fixtures) {
	author, other := w.newUser(), w.newUser()
	e := w.write(author, noon)
	w.likeAt(e, other, true, noon)
	w.follow(other, author)
	before, _ := w.notifications(author)
	last := noon.Add(notification.RepeatAfter - time.Microsecond)
	for _, at := range []time.Time{noon, noon.Add(time.Hour), last} {
		w.likeAt(e, other, false, at)
		assert.Equal(w, []notification.Kind{"follow"}, w.kindsOf(author))
		w.likeAt(e, other, true, at)
		again, unread := w.notifications(author)
		assert.Equal(w, before, again)
		assert.Equal(w, 2, unread)
	}
	w.likeAt(e, other, false, last)
	w.markRead(author, before[0].ID)
	w.likeAt(e, other, true, last)
	all, unread := w.notifications(author)
	assert.Equal(w, []bool{true, true}, []bool{all[0].IsRead, all[1].IsRead})
	assert.Zero(w, unread)
}

func notificationsLater(w *fixtures) {
	author, other := w.newUser(), w.newUser()
	early, late := w.write(author, noon), w.write(author, noon)
	w.likeAt(early, other, true, noon)
	w.likeAt(late, other, true, noon)
	former, _ := w.notifications(author)
	tomorrow := noon.Add(notification.RepeatAfter)
	w.likeAt(early, other, false, noon)
	w.likeAt(early, other, true, tomorrow)
	w.likeAt(late, other, false, tomorrow)
	w.likeAt(late, other, true, tomorrow)
	all, _ := w.notifications(author)
	require.Len(w, all, 2)
	for _, n := range all {
		assert.Greater(w, n.ID, former[0].ID)
		assert.Equal(w, tomorrow, n.Created)
	}
	w.kindsOf(author)
}

func notificationsKept(w *fixtures) {
	author, other := w.newUser(), w.newUser()
	e := w.write(author, noon)
	last := notification.MaxKept // of the comments, counted from 0
	w.follow(other, author)      // the first to go
	w.likeAt(e, other, true, noon)
	for i := range last + 1 {
		if i == notification.MaxKept-2 {
			_, unread := w.notifications(author)
			assert.Equal(w, notification.MaxKept, unread)
		}
		_, _, err := w.Discussion.AddComment(w.Context(), event.Comment{
			Event: e.ID(), Author: other, Content: fmt.Sprint(i), Created: noon,
		})
		require.NoError(w, err)
	}
	w.follow(other, author)
	w.likeAt(e, other, true, noon) // what is repeated makes none, although the former one is gone
	var said []string
	for next, more := (page.Cursor{}), true; more; more = next != (page.Cursor{}) {
		list, err := w.Notifications.List(w.Context(), author, page.Behind(next, page.MaxSize))
		require.NoError(w, err)
		for _, n := range list.Items {
			said = append(said, n.Comment.Content)
		}
		assert.Equal(w, notification.MinKept+2, list.Unread)
		next = list.Next
	}
	require.Len(w, said, notification.MinKept+2)
	assert.Equal(w, []string{fmt.Sprint(last), fmt.Sprint(last - len(said) + 1)}, []string{said[0], said[len(said)-1]})
	w.consistent()
}

func repliesRandom(w *fixtures) {
	w.eachSeed(func(w *fixtures, c random) {
		people, other := w.users(5), w.newUser()
		replied := map[user.ID][]event.ID{}
		for range 60 {
			author, who := pick(c, people...), pick(c, people...)
			if author == who { // is told of a comment
				continue
			}
			on := w.write(author, noon).ID()
			to := event.Replied{ID: w.say(on, who, noon, "Oh").ID}
			_, _, err := w.Discussion.AddComment(w.Context(), event.Comment{Event: on, Author: other, Content: "Ah", Created: noon, ReplyTo: to})
			require.NoError(w, err)
			replied[who] = append(replied[who], on)
		}
		for range 12 {
			if a, b := pick(c, people...), pick(c, people...); a != b {
				w.befriend(a, b)
			}
		}
		for range 3 {
			if a, b := pick(c, people...), pick(c, people...); a != b {
				w.block(a, b)
			}
		}
		for _, who := range people {
			for _, on := range replied[who] {
				w.change(on, apply(noon, shown(event.Exposure{Status: pick(c, event.Statuses()...), Permission: pick(c, event.Permissions()...)})))
				if c.IntN(4) == 0 {
					w.hide(thing(on), noon)
				}
			}
		}
		for _, viewer := range people {
			var want, got []event.ID
			for _, on := range slices.Backward(replied[viewer]) {
				if e := w.entry(on); e.VisibleTo(w.relations(viewer, e.Author())[e.Author()]) {
					want = append(want, on)
				}
			}
			all, unread := w.notifications(viewer)
			assert.Equal(w, len(all), unread)
			news, err := w.Notifications.News(w.Context(), []notification.Since{{Of: viewer}})
			require.NoError(w, err)
			assert.Equal(w, all, news[0].Items)
			assert.Equal(w, unread, news[0].Unread)
			for _, n := range all {
				if n.Kind == notification.Reply {
					got = append(got, n.Event.ID)
				}
			}
			assert.Equal(w, want, got)
		}
		w.consistent()
	})
}
