package ports

import (
	"cmp"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/event"
	"plaza/domain/notification"
	"plaza/domain/payment"
	"plaza/domain/user"
)

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
