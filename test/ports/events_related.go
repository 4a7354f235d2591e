package ports

import (
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/event"
	"plaza/domain/feed"
)

// The other promises of RelatedReader are in the suites of events, news and comments.
var eventRelated = []promise{
	{"Around names the categories asked for, and those of the events", relatedNames},
	{"Around finds everything at once, and leaves out what there is none of", relatedAll},
}

func relatedNames(w *fixtures) {
	author := w.newUser()
	for id := range feed.CategoryID(4) {
		w.category(id + 1)
	}
	on := date(w, "2026-03-14")
	w.write(author, noon, dated(on), under(1))
	w.write(author, noon, dated(on))
	w.write(author, noon, dated(date(w, "2026-03-15")), under(2))
	for want, scene := range map[string]event.RelatedQuery{
		"Nº 1,":      {Dates: []event.Date{on}, Events: 10},
		"Nº 1,Nº 3,": {Dates: []event.Date{on}, Events: 10, Categories: []feed.CategoryID{3, 9}},
		"Nº 4,":      {Categories: []feed.CategoryID{4, 4}},
		"":           {},
	} {
		around, err := w.Related.Load(w.Context(), scene)
		require.NoError(w, err)
		names := ""
		for id := range feed.CategoryID(10) {
			if name, is := around.CategoryNames[id]; is {
				names += name + ","
			}
		}
		assert.Equal(w, want, names)
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
		Viewer: author, Dates: []event.Date{on, none, on}, Events: 10, DaysInCities: []event.DayInCity{nowhere, here, here}, News: 10,
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
