package ports

import (
	"cmp"
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
	"plaza/domain/payment"
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
	list, err := w.Notifications.List(w.Context(), of, page.Behind(page.Cursor{}, page.MaxSize))
	require.NoError(w, err)
	unread, err := w.Notifications.Unread(w.Context(), of)
	require.NoError(w, err)
	assert.Equal(w, list.Unread, unread)
	return list.Items, unread
}

// kindsOf returns the kinds of the person's notifications, all of which must be unread.
func (w *fixtures) kindsOf(of user.ID) (kinds []notification.Kind) {
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
	require.NoError(w, w.Discussion.Like(w.Context(), likeOf(on, by, likes, at)))
}

func (w *fixtures) markRead(of user.ID, upTo notification.ID) {
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
	w.markRead(author, before[1].ID)
	_, unread := w.notifications(author)
	assert.Equal(w, 1, unread, "the later one stays unread")
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

var streamPromises = []promise{
	{"OpenStream takes one of MaxStreams places, however many ask at once, until it ends or is closed", streamPlaces},
	{"RenewStreams extends places, and returns those that are still there", streamsRenewed},
	{"Changes is another number after each change that concerns the person", streamChanges},
	{"News behind the last position misses nothing, however many write at once", streamNewsAtOnce},
	{"News has one more than MaxNews at most, and orders in the order of their changes", streamNewsBounded},
}

func (w *fixtures) opens(of user.ID, now time.Time) (notification.Position, error) {
	return w.Notifications.OpenStream(w.Context(), of, 0, now, now.Add(notification.StreamLease))
}

func streamPlaces(w *fixtures) {
	who, other := w.newUser(), w.newUser()
	taken := 0
	for _, err := range atOnce(many, func(int) error { _, err := w.opens(who, noon); return err }) {
		if err == nil {
			taken++
			continue
		}
		assert.ErrorIs(w, err, notification.ErrStreams)
	}
	assert.Equal(w, notification.MaxStreams, taken)
	at, err := w.opens(other, noon)
	require.NoError(w, err)
	_, err = w.opens(who, noon.Add(notification.StreamLease-time.Second))
	require.ErrorIs(w, err, notification.ErrStreams)
	for range notification.MaxStreams - 1 {
		_, err = w.opens(other, noon)
		require.NoError(w, err)
	}
	require.NoError(w, w.Notifications.CloseStream(w.Context(), at.Place))
	require.NoError(w, w.Notifications.CloseStream(w.Context(), at.Place), "it is gone")
	_, err = w.opens(other, noon)
	require.NoError(w, err)
	_, err = w.opens(who, noon.Add(notification.StreamLease))
	require.NoError(w, err, "the others have ended")
}

func streamsRenewed(w *fixtures) {
	who := w.newUser()
	var places []int64
	for range notification.MaxStreams {
		at, err := w.opens(who, noon)
		require.NoError(w, err)
		places = append(places, at.Place)
	}
	later := noon.Add(2 * notification.StreamLease)
	held, err := w.Notifications.RenewStreams(w.Context(), append(places[1:], places[4]+99), later)
	require.NoError(w, err)
	assert.ElementsMatch(w, places[1:], held)
	_, err = w.opens(who, later.Add(-time.Second))
	require.NoError(w, err, "the place that was not renewed")
	_, err = w.opens(who, later.Add(-time.Second))
	require.ErrorIs(w, err, notification.ErrStreams)
	held, err = w.Notifications.RenewStreams(w.Context(), nil, later)
	require.NoError(w, err)
	assert.Empty(w, held)
}

func streamChanges(w *fixtures) {
	who, other := w.newUser(), w.newUser()
	e := w.write(who, noon)
	number := func() int64 {
		changes, err := w.Notifications.Changes(w.Context(), []user.ID{who, other + 99})
		require.NoError(w, err)
		return changes[who]
	}
	was := number()
	var o payment.Order
	for about, change := range map[string]func(){
		"a comment": func() { w.say(e.ID(), other, noon, "Oh") }, "a like": func() { w.likeAt(e, other, true, noon) },
		"an order": func() { o = w.charge(order(who, noon)); w.pays(o.ID, "a", "applied", noon) },
	} {
		change()
		assert.NotEqual(w, was, number(), about)
		was = number()
	}
	for about, change := range map[string]func(){
		"read":                func() { list, _ := w.notifications(who); w.markRead(who, list[0].ID) },
		"a like taken back":   func() { w.likeAt(e, other, false, noon) },
		"an order, otherwise": func() { w.charge(order(who, noon)) },
	} {
		change()
		assert.NotEqual(w, was, number(), about)
		was = number()
	}
}

func streamNewsAtOnce(w *fixtures) {
	who, others := w.newUser(), w.users(many)
	var events []*event.Event
	for range others {
		events = append(events, w.write(who, noon))
	}
	var got []notification.ID
	var at notification.Position
	reads := func() {
		all, err := w.Notifications.News(w.Context(), []notification.Since{{Of: who, At: at}})
		require.NoError(w, err)
		for _, n := range slices.Backward(all[0].Items) {
			at.Notification = n.ID
			got = append(got, n.ID)
		}
	}
	written := make(chan []error)
	go func() {
		written <- atOnce(many, func(i int) error { return w.Discussion.Like(w.Context(), likeOf(events[i], others[i], true, noon)) })
	}()
	for isWriting := true; isWriting; {
		select {
		case errs := <-written:
			w.succeed(errs)
			isWriting = false
		default:
		}
		reads()
	}
	var want []notification.ID
	list, _ := w.notifications(who)
	for _, n := range slices.Backward(list) {
		want = append(want, n.ID)
	}
	assert.Equal(w, want, got)
}

func streamNewsBounded(w *fixtures) {
	who, other := w.newUser(), w.newUser()
	e := w.write(who, noon)
	for range notification.MaxNews + 3 {
		w.say(e.ID(), other, noon, "Oh")
		w.charge(order(who, noon))
	}
	all, err := w.Notifications.News(w.Context(), []notification.Since{{Of: who}})
	require.NoError(w, err)
	assert.Len(w, all[0].Items, notification.MaxNews+1)
	assert.Len(w, all[0].Orders, notification.MaxNews+1)
	assert.True(w, slices.IsSortedFunc(all[0].Orders, func(a, b notification.OrderChange) int { return cmp.Compare(a.Change, b.Change) }))
	assert.Equal(w, notification.MaxNews+3, all[0].Unread)
}
