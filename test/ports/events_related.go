package ports

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/page"
	"plaza/domain/personaldata"
	"plaza/domain/user"
)

// The other promises of RelatedReader are in the suites of events, news and comments.
var eventRelated = []promise{
	{"Around has the people asked for and the authors of what it finds, as Members returns them", relatedMembers},
	{"Around finds everything at once, and leaves out what there is none of", relatedAll},
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

func relatedAll(w *fixtures) {
	author := w.newUser()
	on, none := date(w, "2026-03-14"), date(w, "2026-03-15")
	e := w.write(author, noon, dated(on))
	said := w.say(e.ID(), author, noon.Add(time.Hour), "One")
	w.report(newsItems("Sevilla", "new")...)
	day := newsItems("Sevilla", "new")[0].Released
	here, nowhere := event.DayInCity{Date: day, City: "Sevilla"}, event.DayInCity{Date: none}
	around, err := w.Related.Load(w.Context(), event.RelatedQuery{
		Viewer: author, Dates: []calendar.Date{on, none, on}, Events: 10, DaysInCities: []event.DayInCity{nowhere, here, here}, News: 10,
		CommentsFor: []event.ID{e.ID(), e.ID() + 1, e.ID()}, Comments: 10,
	})
	require.NoError(w, err)
	require.Len(w, around.Events[on], 1)
	assert.Equal(w, e.ID(), around.Events[on][0].ID())
	require.Len(w, around.News[here], 1)
	assert.Equal(w, map[event.ID][]event.Comment{e.ID(): {said}}, around.Comments)
	assert.Len(w, around.Events, 1)
	assert.Len(w, around.News, 1)
}
