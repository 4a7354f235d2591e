package ports

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/news"
	"plaza/domain/page"
	"plaza/domain/publication"
)

// Publications is the suite of publication.Repository.
func Publications(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"List returns a page of the visible publications of the category, the latest update first, ties by ascending id; origin only: " +
			"originals, and translations whose original is not visible; past the last page is NotFound", originOnlyRandom},
	})
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

func originOnlyRandom(w *fixtures) {
	w.eachSeed(func(w *fixtures, c random) {
		author := w.newUser()
		w.category(1)
		bundles := make([]publication.Bundle, 12)
		for id := 1; id < len(bundles); id++ {
			bundles[id].ID = publication.BundleID(id)
			w.imports(bundles[id])
			bundles[id].FirstOriginal = publication.BundleID(c.IntN(len(bundles)))
			bundles[id].Original = publication.BundleID(c.IntN(len(bundles))) // FirstOriginal decides
		}
		stored := map[publication.ID]publication.Publication{}
		for range 80 {
			p := article(author, publication.ID(1+c.IntN(30)), func(p *publication.Publication) {
				p.Bundle = pick(c, bundles...)
				p.Published, p.Deleted = c.IntN(3) > 0, c.IntN(4) == 0
				p.Category = feed.CategoryID(c.IntN(2))
				p.Updated = noon.Add(time.Duration(c.IntN(3)) * time.Microsecond)
			})
			w.imports(p)
			stored[p.ID] = p
		}
		for _, only := range []bool{true, false} {
			for _, in := range []*feed.CategoryID{nil, new(feed.CategoryID(0)), new(feed.CategoryID(1))} {
				q := publication.Query{Category: in, OriginOnly: only}
				require.Equal(w, wantedOf(stored, q), w.pagedPublications(q, 1+c.IntN(7)))
				q.Page = pageNo(1<<40, 100)
				_, err := w.Publications.List(w.Context(), q)
				require.True(w, fault.Is(err, fault.NotFound), "%v", err)
			}
		}
	})
}

// wantedOf are the numbers of the publications that the query wants, in order.
func wantedOf(stored map[publication.ID]publication.Publication, q publication.Query) []publication.ID {
	hasOriginal := func(p publication.Publication) bool {
		for _, o := range stored {
			if o.IsVisible() && o.Bundle.ID == p.Bundle.FirstOriginal {
				return true
			}
		}
		return false
	}
	var wanted []publication.Publication
	for _, p := range stored {
		in := q.Category == nil || *q.Category == p.Category
		if p.IsVisible() && in && (!q.OriginOnly || p.Bundle.IsOriginal() || !hasOriginal(p)) {
			wanted = append(wanted, p)
		}
	}
	slices.SortFunc(wanted, func(a, b publication.Publication) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.ID, b.ID))
	})
	return idsOf(wanted)
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
