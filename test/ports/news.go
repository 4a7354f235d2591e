package ports

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/markup"
	"plaza/domain/news"
)

// News is the suite of the news that event.RelatedReader loads.
func News(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"news has ascending ids in the order in which it is imported", newsAdd},
		{"Around returns for every spot the news of its day, and leaves out spots without any", newsOfDay},
		{"those of the spot's own city, if it has one, come first, then by ascending id", newsOwnCity},
		{"at most limit each", newsLimit},
	})
}

func (w *fixtures) report(items ...news.Item) {
	w.Helper()
	importEach(w, items...)
}

func (w *fixtures) newsAround(limit int, spots ...event.DayInCity) map[event.DayInCity][]news.Item {
	w.Helper()
	found, err := w.Related.Load(w.Context(), event.RelatedQuery{DaysInCities: spots, News: limit})
	require.NoError(w, err)
	return found.News
}

// headlines are the titles of the news around the spot.
func (w *fixtures) headlines(limit int, spot event.DayInCity) string {
	w.Helper()
	var titles []string
	for _, item := range w.newsAround(limit, spot)[spot] {
		titles = append(titles, item.Title)
	}
	return strings.Join(titles, " ")
}

func newsAdd(w *fixtures) {
	full := news.Item{
		SiteName: "Plaza Mayor", SiteLogo: "logos/1.png", URL: "https://example.org/?a=1&b='", Title: broad(200),
		Released: pi, HTML: markup.HTML("<p>" + broad(16_000) + "</p>"), Category: "Fiestas", City: "Sevilla",
		District: "Triana", Province: "Andalucía", Country: "ES",
	}
	bare := news.Item{ID: 77, Released: pi}
	w.imports(full, bare)
	w.report(full)

	spot := event.DayInCity{Date: pi}
	found := w.newsAround(10, spot)[spot]
	require.Len(w, found, 3)
	assert.Positive(w, found[0].ID)
	assert.Less(w, found[0].ID, found[1].ID)
	assert.Less(w, found[1].ID, found[2].ID)
	for i, want := range []news.Item{full, bare, full} {
		want.ID = found[i].ID
		assert.Equal(w, want, found[i])
	}
}

func newsOfDay(w *fixtures) {
	for _, day := range []string{"2026-03-13", "2026-03-14", "2026-03-15", "0001-01-01", "9999-12-31"} {
		w.report(news.Item{Title: day, Released: date(w, day)}, news.Item{Title: day, Released: date(w, day), City: "Sevilla"})
	}
	a := event.DayInCity{Date: pi, City: "Sevilla"}
	b := event.DayInCity{Date: pi}
	c := event.DayInCity{Date: date(w, "0001-01-01")}
	empty := event.DayInCity{Date: date(w, "2026-03-16"), City: "Sevilla"}
	found := w.newsAround(10, a, b, c, a, empty)
	require.Len(w, found, 3)
	assert.NotContains(w, found, empty)
	for spot, items := range found {
		assert.Len(w, items, 2)
		for _, item := range items {
			assert.Equal(w, spot.Date, item.Released)
			assert.Equal(w, spot.Date.String(), item.Title)
		}
	}
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

func newsLimit(w *fixtures) {
	w.report(newsItems("Sevilla", "a", "b", "c")...)
	w.report(newsItems("杭州市", "d", "e")...)
	assert.Equal(w, "d e a", w.headlines(3, event.DayInCity{Date: pi, City: "杭州市"}))
	assert.Equal(w, "a", w.headlines(1, event.DayInCity{Date: pi, City: "Sevilla"}))
	for spot, items := range w.newsAround(2, event.DayInCity{Date: pi, City: "杭州市"}, event.DayInCity{Date: pi}) {
		assert.Len(w, items, 2, "%v", spot)
	}
}

func date(w *fixtures, day string) calendar.Date {
	w.Helper()
	d, err := calendar.ParseDate(day)
	require.NoError(w, err)
	return d
}
