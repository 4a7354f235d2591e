package ports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/page"
	"plaza/domain/personaldata"
	"plaza/domain/place"
	"plaza/domain/subscription"
	"plaza/domain/user"
	importing "plaza/test/content"
)

var eventListing = []promise{
	{"List is in the order asked for, ties by ascending id", listOrder},
	{"Commented has the event with the latest comment first, ties by descending id", commentedOrder},
	{"Timeline has what the followed have published and the rule of visibility lets one see, the newest publication first", timelineRandom},
	{"OnDates is, for everybody, what the rule of visibility says", onDatesRandom},
	{"OfPlate returns the event of a plate, or ErrNoPlate", eventOfPlate},
}

// everything is what authors can make of their events.
var everything = slices.DeleteFunc(event.VisibleStates(subscription.Self), func(as event.Exposure) bool { return as.IsHidden })

func (w *fixtures) list(q event.Query) page.Page[event.Entry] {
	p, err := w.EventReader.List(w.Context(), q)
	require.NoError(w, err)
	return page.With(p, w.copies(p.Items))
}

func (w *fixtures) commented(author user.ID, limit int) []event.Entry {
	entries, err := w.EventReader.Commented(w.Context(), author, limit)
	require.NoError(w, err)
	return w.copies(entries)
}

func (w *fixtures) onDates(viewer user.ID, limit int, dates ...calendar.Date) map[calendar.Date][]*event.Event {
	found, err := w.Related.Load(w.Context(), event.RelatedQuery{Viewer: viewer, Dates: dates, Events: limit})
	require.NoError(w, err)
	return found.Events
}

func listOrder(w *fixtures) {
	author := w.newUser()
	for _, e := range []struct {
		title, day string
		created    int
	}{
		{"a", "2026-03-14", 1}, {"b", "2026-03-15", 0}, {"c", "2026-03-14", 2}, {"d", "2026-03-14", 1},
		{"e", "0999-01-01", 3}, {"f", "9999-12-31", 0},
	} {
		w.write(author, noon.Add(time.Duration(e.created)*time.Microsecond), titled(e.title), dated(date(w, e.day)))
	}
	for ordering, want := range map[string]string{
		"":                         "f b c a d e",
		"event_time":               "e a c d b f",
		"-event_time":              "f b a c d e",
		"create_time":              "b f a d c e",
		"-create_time":             "e c a d b f",
		"event_time,create_time":   "e a d c b f",
		"event_time,-create_time":  "e c a d b f",
		"-event_time,create_time":  "f b a d c e",
		"create_time,event_time":   "b f a d c e",
		"create_time,-event_time":  "f b a d c e",
		"-create_time,event_time":  "e c a d b f",
		"-create_time,-event_time": "e c a d f b",
	} {
		got := titlesOf(eventsOf(w.list(event.Query{Author: author, Viewer: author, Order: importing.Ordering(ordering)}).Items))
		assert.Equal(w, want, strings.Join(got, " "), ordering)
	}
}

func commentedOrder(w *fixtures) {
	author, other := w.newUser(), w.newUser()
	a, b, c := w.write(author, noon, titled("a")), w.write(author, noon, titled("b")), w.write(author, noon, titled("c"))
	w.write(author, noon.Add(time.Hour), titled("never commented"))
	d := w.write(author, noon, titled("d"), published(false))
	w.say(c.ID(), other, noon.Add(1*time.Minute), "One")
	w.say(b.ID(), other, noon.Add(3*time.Minute), "Two")
	w.say(b.ID(), other, noon.Add(2*time.Minute), "Three, late")
	w.say(a.ID(), author, noon.Add(3*time.Minute), "Four")
	w.say(d.ID(), author, noon.Add(3*time.Minute+time.Microsecond), "Five")

	entries := w.commented(author, 10)
	assert.Equal(w, []string{"d", "b", "a", "c"}, titlesOf(eventsOf(entries)))
	for _, e := range entries {
		assert.Equal(w, w.entry(e.ID()), e)
	}
	last := w.say(c.ID(), other, noon.Add(4*time.Minute), "Six")
	assert.Equal(w, []string{"c", "d", "b", "a"}, titlesOf(eventsOf(w.commented(author, 10))))
	require.NoError(w, w.Discussion.RemoveComment(w.Context(), last.ID))
	assert.Equal(w, []string{"d", "b", "a", "c"}, titlesOf(eventsOf(w.commented(author, 10))))
}

func onDatesRandom(w *fixtures) {
	w.eachSeed(func(w *fixtures, c random) {
		crowd := w.users(130) // a store may have another way for those who follow many
		people, relation := w.acquainted(c)
		for _, other := range crowd {
			w.follow(people[0], other)
			w.follow(people[1], other)
		}
		events := w.randomEvents(c, people)
		if stranger := w.newUser(); c.IntN(2) == 0 {
			for range 40 { // a store may look among the newest of a day first
				w.write(stranger, noon.AddDate(1, 0, 0), dated(days[0]), permitted(event.Private))
			}
		}
		for _, viewer := range append(people, 0) {
			limit := pick(c, 1, 3, 100)
			want, got := map[calendar.Date][]event.State{}, map[calendar.Date][]event.State{}
			for _, day := range days {
				if seen := moment(visible(events, viewer, relation, func(s event.State) bool {
					return s.Date == day && s.Status == event.Normal
				}), limit); len(seen) > 0 {
					want[day] = seen
				}
			}
			for day, events := range w.onDates(viewer, limit, append(days, days[0])...) {
				got[day] = statesOf(events)
			}
			require.Equal(w, want, got, "%d looks", viewer)
		}
	})
}

func timelineRandom(w *fixtures) {
	w.eachSeed(func(w *fixtures, c random) {
		people, relation := w.acquainted(c)
		events := w.randomEvents(c, people)
		for _, viewer := range append(people, 0) {
			want := visible(events, viewer, relation, func(s event.State) bool {
				return s.Status == event.Normal && relation(viewer, s.Author) != subscription.Self && w.doesFollow(viewer, s.Author)
			})
			slices.SortFunc(want, func(a, b *event.Event) int { return b.AtCursor().Compare(a.AtCursor()) })
			require.Equal(w, statesOf(want), statesOf(w.timeline(viewer, 1+c.IntN(7))), "%d looks", viewer)
		}
	})
}

// timeline is the whole timeline of the viewer, asked for in parts of the size.
func (w *fixtures) timeline(viewer user.ID, size int) (all []*event.Event) {
	for after := (page.Cursor{}); ; {
		p, err := w.EventReader.Timeline(w.Context(), viewer, page.Behind(after, size))
		require.NoError(w, err)
		require.LessOrEqual(w, len(p.Items), size)
		for _, e := range p.Items {
			require.Equal(w, w.entry(e.ID()), w.copy(e))
			all = append(all, e.Event)
		}
		if after = p.Next; after == (page.Cursor{}) {
			return all
		}
		require.Equal(w, p.Items[size-1].AtCursor(), after)
	}
}

func (w *fixtures) doesFollow(who, followed user.ID) bool {
	p, err := w.Subscriptions.List(w.Context(), subscription.Query{User: who})
	require.NoError(w, err)
	return slices.ContainsFunc(p.Items, func(s subscription.Subscription) bool { return s.Followed == followed })
}

func eventOfPlate(w *fixtures) {
	author := w.newUser()
	e, other := w.plated(author, "plates/a", "plates/b"), w.plated(author, "plates/c")
	for _, on := range []*event.Event{e, other} {
		for _, p := range on.State().Plates {
			got, err := w.EventReader.OfPlate(w.Context(), p.ID)
			require.NoError(w, err)
			assert.Equal(w, on.ID(), got)
		}
	}
	w.change(e.ID(), withoutFirstPlate)
	w.remove(other.ID())
	gone, left, last := e.State().Plates[0].ID, e.State().Plates[1].ID, other.State().Plates[0].ID
	got, err := w.EventReader.OfPlate(w.Context(), left)
	require.NoError(w, err)
	assert.Equal(w, e.ID(), got)
	for _, none := range []event.PlateID{gone, last, 0, -1, last + 1} {
		_, err := w.EventReader.OfPlate(w.Context(), none)
		assert.ErrorIs(w, err, event.ErrNoPlate, "%d", none)
	}
}

// moment is the newest of the events.
func moment(events []*event.Event, limit int) []event.State {
	slices.SortFunc(events, func(a, b *event.Event) int {
		return cmp.Or(b.State().Created.Compare(a.State().Created), cmp.Compare(b.ID(), a.ID()))
	})
	return statesOf(events[:min(limit, len(events))])
}

// listed is what the feed lists; nothing is never nil.
func (w *fixtures) listed() []feed.Listing {
	return append([]feed.Listing{}, w.Listings(w.T)...)
}

// listingsOf is what the feed should list, were these all the events.
func listingsOf(events []*event.Event) []feed.Listing {
	all := []feed.Listing{}
	for _, e := range events {
		if l, listed := e.Listing(); listed {
			all = append(all, l)
		}
	}
	slices.SortFunc(all, func(a, b feed.Listing) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// The other promises of RelatedReader are in the suites of events, news and comments.
var eventRelated = []promise{
	{"Around has the people asked for and the authors of what it finds, as Members returns them", relatedMembers},
}

func relatedMembers(w *fixtures) {
	asked, author, commenter := w.newUser(), w.newUser(), w.newUser()
	e := w.write(author, noon)
	w.write(author, noon, dated(date(w, "2026-03-15")))
	w.say(e.ID(), commenter, noon, "One")
	w.newUser()
	query := event.RelatedQuery{
		Viewer: asked, Dates: []calendar.Date{pi}, Events: 10, CommentsFor: []event.ID{e.ID()}, Comments: 10, People: []user.ID{asked, 99, asked},
	}
	check := func() {
		related, err := w.Related.Load(w.Context(), query)
		require.NoError(w, err)
		assert.Equal(w, w.members(asked, author, commenter), related.Members)
		p, members, err := w.Discussion.Comments(w.Context(), e.ID(), 0, page.Request{})
		require.NoError(w, err)
		assert.Len(w, p.Items, 1)
		assert.Equal(w, w.members(commenter), members)
	}
	check()
	for i, id := range []user.ID{asked, author, commenter} {
		t := w.issue(token(id, byte(i)))
		w.touch(t, noon.Add(time.Hour))
		w.avatar(id, avatarOf(fmt.Sprint(i)))
	}
	require.Equal(w, noon.Add(time.Hour), w.members(author)[author].Seen)
	check()
	for _, id := range []user.ID{asked, author, commenter} {
		w.erase(id, personaldata.Account)
		require.Empty(w, w.members(id))
		check()
	}
}

var eventLocating = []promise{
	{"Located returns the texts and places of everybody's events, drafts too, by ascending id, those after the id, at most limit", locatedAll},
	{"a place that changes is found with the text that it belongs to", locatedAgain},
}

func (w *fixtures) located(after event.ID, limit int) []event.Located {
	some, err := w.EventReader.Located(w.Context(), after, limit)
	require.NoError(w, err)
	return some
}

// placed stores an event with the title, which is in the place. It was created before all that are stored already.
func (w *fixtures) placed(title string, at place.Place, edits ...edit) event.Located {
	author := w.newUser()
	e := w.written(author, noon.Add(-time.Duration(author)*time.Minute), append(edits, titled(title))...)
	require.NoError(w, e.Locate(e.Text(), at))
	e = w.stores(e)
	return event.Located{ID: e.ID(), Text: e.Text(), Place: at}
}

var (
	hangzhou = place.Place{Province: "浙江省", City: "杭州市", District: "西湖区"}
	peking   = place.Place{Province: "北京市", City: "北京市"}
)

func locatedAll(w *fixtures) {
	assert.Empty(w, w.located(0, 10))
	var all []event.Located
	for _, as := range everything {
		all = append(all,
			w.placed("In 西湖", hangzhou, shown(as), func(c *event.Change) { c.Content = new("O'Brien \\ \"%_\"\n\t ") }),
			w.placed("Nowhere", place.Place{}, shown(as)))
	}
	assert.Equal(w, all, w.located(0, len(all)+1))
	assert.Equal(w, all[:1], w.located(-1, 1))
	assert.Equal(w, all[2:4], w.located(all[1].ID, 2))
	last := len(all) - 1
	assert.Equal(w, all[last:], w.located(all[last-1].ID, 2))
	assert.Empty(w, w.located(all[last].ID, 2))
	assert.Empty(w, w.located(0, 0))
	assert.Empty(w, w.located(0, -1))
}

func locatedAgain(w *fixtures) {
	e := w.placed("In 西湖", hangzhou)
	e.Place = peking
	w.change(e.ID, func(found *event.Event) error { return found.Locate(e.Text, peking) })
	assert.Equal(w, []event.Located{e}, w.located(0, 10))
	w.change(e.ID, apply(noon.Add(time.Hour), titled("Elsewhere")))
	e.Title, e.Place = "Elsewhere", place.Place{}
	assert.Equal(w, []event.Located{e}, w.located(0, 10))
}
