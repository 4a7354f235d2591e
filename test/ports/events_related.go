package ports

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/page"
	"plaza/domain/personaldata"
	"plaza/domain/place"
	"plaza/domain/user"
)

var eventFeed = []promise{
	{"Change moves the listing with the event", feedChange},
}

func feedChange(w *fixtures) {
	w.category(1)
	w.category(2)
	e := w.write(w.newUser(), noon, published(false), under(1))
	later := noon.Add(time.Hour)
	for _, step := range []struct {
		edit     edit
		category feed.CategoryID
		listed   bool
	}{
		{titled("Draft"), 1, false}, {published(true), 1, true}, {titled("Published"), 1, true}, {under(2), 2, true},
		{under(0), 0, true}, {permitted(event.Contact), 0, false}, {under(1), 1, false}, {permitted(event.Public), 1, true},
		{published(false), 1, false}, {published(true), 1, true}, {permitted(event.Private), 1, false},
	} {
		later = later.Add(time.Microsecond)
		w.change(e.ID(), apply(later, step.edit))
		want := []feed.Listing{}
		if step.listed {
			want = []feed.Listing{{Kind: feed.Event, ID: int64(e.ID()), Category: step.category, Created: noon, Updated: later}}
		}
		assert.Equal(w, want, w.listed(), "%+v", step)
	}
}

// listed is what the feed lists; nothing is never nil.
func (w *fixtures) listed() []feed.Listing {
	w.Helper()
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
		w.Helper()
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
	w.Helper()
	some, err := w.EventReader.Located(w.Context(), after, limit)
	require.NoError(w, err)
	return some
}

// placed stores an event with the title, which is in the place. It was created before all that are stored already.
func (w *fixtures) placed(title string, at place.Place, edits ...edit) event.Located {
	w.Helper()
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
