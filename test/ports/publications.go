package ports

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/news"
	"plaza/domain/page"
	"plaza/domain/publication"
)

// Publications is the suite of publication.Repository.
func Publications(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"List has the latest update first, ties by ascending id, page by page, of a category and of origins, too", publicationsOrdered},
	})
}

func publicationsOrdered(w *fixtures) {
	author := w.newUser()
	for id, minutes := range []time.Duration{0, 2, 1, 1, 3, 1} {
		w.imports(article(author, publication.ID(id+1), func(p *publication.Publication) { p.Updated = noon.Add(minutes * time.Minute) }))
	}
	for _, q := range []publication.Query{{}, {OriginOnly: true}, {Category: new(feed.CategoryID)}} {
		assert.Equal(w, []publication.ID{5, 2, 3, 4, 6, 1}, w.pagedPublications(q, 2))
	}
}

func (w *fixtures) publications(q publication.Query) page.Page[publication.Publication] {
	p, err := w.Publications.List(w.Context(), q)
	require.NoError(w, err)
	return p
}

// idsOf returns the ids of the publications.
func idsOf(all []publication.Publication) []publication.ID {
	return mapped(all, func(p publication.Publication) publication.ID { return p.ID })
}

// originals are the numbers of what there is when only originals are asked for.
func (w *fixtures) originals() []publication.ID {
	p := w.publications(publication.Query{OriginOnly: true})
	assert.Len(w, p.Items, p.Total)
	return idsOf(p.Items)
}

// pagedPublications is the whole list, asked for page by page.
func (w *fixtures) pagedPublications(q publication.Query, size int) []publication.ID {
	return idsOf(everyPage(w, size, func(r page.Request) (page.Page[publication.Publication], error) {
		q.Page = r
		return w.Publications.List(w.Context(), q)
	}))
}

// HowTos is the suite of publication.HowTos.
func HowTos(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"List is newest first, ties by category and robot", listHowTosNewest},
	})
}

// howTos are in the form in which they are compared: no bundles are nil.
func (w *fixtures) howTos(r page.Request, categories ...string) page.Page[publication.HowTo] {
	p, err := w.HowTos.List(w.Context(), publication.HowToQuery{Categories: categories}, r)
	require.NoError(w, err)
	return page.Map(p, func(h publication.HowTo) publication.HowTo {
		if len(h.Bundles) == 0 {
			h.Bundles = nil
		}
		return h
	})
}

func listHowTosNewest(w *fixtures) {
	first, second := w.newUser(), w.newUser()
	want := []publication.HowTo{
		howTo("d", first, noon.Add(2*time.Microsecond)), howTo("a", second, noon.Add(time.Microsecond)), howTo("B", second, noon),
		howTo("a", first, noon), howTo("a", second, noon.Add(-time.Microsecond)), howTo("c", first, noon.Add(-time.Microsecond)),
		howTo("c", second, noon.Add(-time.Microsecond)), howTo("é", first, noon.Add(-time.Microsecond)),
		howTo("f", first, time.Date(1969, 7, 20, 0, 0, 0, 0, time.UTC)), howTo("e", first, time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC)),
	}
	want[4].Category = "b"
	for _, at := range []int{8, 7, 2, 0, 9, 5, 4, 6, 1, 3} {
		w.imports(want[at])
	}
	assert.Equal(w, want, w.howTos(page.Request{}).Items)
	oldest, err := w.HowTos.List(w.Context(), publication.HowToQuery{Span: page.Span{IsOldestFirst: true}}, page.Request{})
	require.NoError(w, err)
	assert.Equal(w, want[9].Created, oldest.Items[0].Created)
}

// Categories is the suite of feed.Categories.
func Categories(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"ByIDs returns those of the ids that exist, under their ids", categoriesByIDs},
	})
}

func (w *fixtures) categoriesAt(ids ...feed.CategoryID) map[feed.CategoryID]feed.Category {
	found, err := w.Categories.ByIDs(w.Context(), ids)
	require.NoError(w, err)
	return found
}

func categoriesByIDs(w *fixtures) {
	w.category(1)
	w.category(2)
	w.category(3)
	found := w.categoriesAt(3, 0, 1, 99, -1, 3)
	require.Len(w, found, 2)
	assert.Equal(w, feed.CategoryID(1), found[1].ID)
	assert.Equal(w, feed.CategoryID(3), found[3].ID)
	assert.Empty(w, w.categoriesAt())
}

// News is the suite of the news that event.RelatedReader loads.
func News(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"those of the spot's own city, if it has one, come first, then by ascending id", newsOwnCity},
	})
}

func (w *fixtures) report(items ...news.Item) {
	importEach(w, items...)
}

func (w *fixtures) newsAround(limit int, spots ...event.DayInCity) map[event.DayInCity][]news.Item {
	found, err := w.Related.Load(w.Context(), event.RelatedQuery{DaysInCities: spots, News: limit})
	require.NoError(w, err)
	return found.News
}

// headlines are the titles of the news around the spot.
func (w *fixtures) headlines(limit int, spot event.DayInCity) string {
	var titles []string
	for _, item := range w.newsAround(limit, spot, spot)[spot] {
		titles = append(titles, item.Title)
	}
	return strings.Join(titles, " ")
}

func newsOwnCity(w *fixtures) {
	w.report(newsItems("杭州市", "a")...)
	w.report(newsItems("", "b")...)
	w.report(newsItems("Sevilla", "c", "d")...)
	w.report(newsItems("sevilla", "e")...)
	w.report(newsItems("Sevilla ", "f")...)
	w.report(newsItems("杭州市", "g")...)
	for city, want := range map[string]string{
		"杭州市": "a g b c d e f", "Sevilla": "c d a b e f g", "sevilla": "e a b c d f g",
		"": "a b c d e f g", "%": "a b c d e f g", "杭州": "a b c d e f g",
	} {
		assert.Equal(w, want, w.headlines(10, event.DayInCity{Date: pi, City: city}), city)
	}
}

func date(w *fixtures, day string) calendar.Date {
	d, err := calendar.ParseDate(day)
	require.NoError(w, err)
	return d
}
