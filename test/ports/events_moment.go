package ports

import (
	"time"

	"github.com/stretchr/testify/require"

	"plaza/domain/event"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// onDatesReach has authors of every relation to the viewer, again and again in the
// order of their ids, each with events of every status and permission. Contacts
// without events stand between them.
func onDatesReach(w *fixtures) {
	relations := map[user.ID]subscription.Relation{}
	authors := func(viewer user.ID) {
		stranger, followed, follower, contact := w.newUser(), w.newUser(), w.newUser(), w.newUser()
		w.follow(viewer, followed)
		w.follow(follower, viewer)
		w.befriend(viewer, contact)
		w.befriend(viewer, w.newUser())
		for _, author := range []user.ID{stranger, followed, follower} {
			relations[author] = subscription.Stranger
		}
		relations[contact] = subscription.Contact
	}
	viewer := w.newUser()
	other := w.newUser()
	for range 3 {
		authors(viewer)
	}
	relations[viewer] = subscription.Self
	w.befriend(other, viewer)
	var events []*event.Event
	for author := range relations {
		for _, as := range everything {
			at := noon.Add(time.Duration(relations[author]) * time.Hour)
			if relations[author] == subscription.Stranger && as.Permission != event.Public {
				at = noon.Add(24 * time.Hour) // what the viewer may not see is the newest
			}
			for i := range 3 { // two of them at the same instant
				events = append(events, w.write(author, at.Add(time.Duration(i/2)*time.Microsecond), shown(as)))
			}
		}
	}
	seen := func(by map[user.ID]subscription.Relation, limit int) []event.State {
		relation := func(_, author user.ID) subscription.Relation { return by[author] }
		return moment(visible(events, 0, relation, func(s event.State) bool { return s.Status == event.Normal }), limit)
	}
	for _, limit := range []int{1, 2, 3, 7, 1000} {
		require.Equal(w, seen(relations, limit), statesOf(w.onDates(viewer, limit, pi)[pi]), "at most %d", limit)
		require.Equal(w, seen(nil, limit), statesOf(w.onDates(0, limit, pi)[pi]), "at most %d, by a stranger", limit)
		contact := map[user.ID]subscription.Relation{viewer: subscription.Contact}
		require.Equal(w, seen(contact, limit), statesOf(w.onDates(other, limit, pi)[pi]), "at most %d, by a contact", limit)
	}
}
