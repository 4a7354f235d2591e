package bunstore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/markup"
	"plaza/domain/news"
)

func TestEVT15_news_that_a_server_keeps_are_those_of_the_database(t *testing.T) {
	OnEach(t, func(t *testing.T, url string) {
		s, author := openWithUser(t, engine.Options{URL: url})
		e, _ := eventAndOther(t, s, author)
		exec := func(statement string, args ...any) {
			t.Helper()
			_, err := s.Writer.NewRaw(statement, args...).Exec(t.Context())
			require.NoError(t, err)
		}
		day := e.State().Date
		titles := func(city string) string {
			t.Helper()
			spot := event.DayInCity{Date: day, City: city}
			related, err := s.Events().Load(t.Context(), event.RelatedQuery{
				Viewer: e.Author(), Dates: []calendar.Date{day}, Events: 1, DaysInCities: []event.DayInCity{spot}, News: 2,
			})
			require.NoError(t, err)
			var titles []string
			for _, item := range related.News[spot] {
				titles = append(titles, item.Title)
			}
			return strings.Join(titles, " ")
		}
		add := func(title, city string) {
			exec("INSERT INTO news (site_name, site_logo, url, title, released, html, category, city, district, province, country)"+
				" VALUES ('', '', '', ?, ?, '', '', ?, '', '', '')", title, day.String(), city)
		}
		assert.Empty(t, titles(""))
		for _, n := range []string{"a", "b", "c"} {
			add(n, "City of "+n)
		}
		assert.Equal(t, "a b", titles(""))
		assert.Equal(t, "c a", titles("City of c"))
		exec("UPDATE news SET title = 'A' WHERE title = 'a'")
		for range 2 {
			assert.Equal(t, "A b", titles(""))
		}
		var version int64
		require.NoError(t, s.Reader.NewRaw("SELECT version FROM news_version").Scan(t.Context(), &version))
		exec("DELETE FROM news WHERE title = 'b'")
		exec("UPDATE news_version SET version = ?", version)
		assert.Equal(t, "A b", titles(""), "kept while the version stays")
		exec("UPDATE news_version SET version = version + 1")
		assert.Equal(t, "A c", titles(""))
		for n := range 40 {
			add(fmt.Sprint(n), "elsewhere")
		}
		for range 2 {
			assert.Equal(t, "c A", titles("City of c"), "of a day with more than are kept")
		}
		exec("DELETE FROM news WHERE title = 'c'")
		assert.Equal(t, "A 0", titles(""))
	})
}

func TestEVT15_the_memory_of_news_is_bounded(t *testing.T) {
	var k keptNews
	item := news.Item{HTML: markup.HTML(strings.Repeat("x", maxKeptNews/20))}
	for n := range 100 {
		day := calendar.DateOf(noon.AddDate(0, 0, n))
		k.keep(1, []calendar.Date{day}, map[calendar.Date][]news.Item{day: {item}})
		assert.LessOrEqual(t, k.size, maxKeptNews+maxKeptNews/16)
		assert.Len(t, k.of[day], 1)
	}
	large := calendar.DateOf(noon)
	k.keep(1, []calendar.Date{large}, map[calendar.Date][]news.Item{large: {item, item}})
	_, missing, unknown := k.find(event.RelatedQuery{DaysInCities: []event.DayInCity{{Date: large}}, News: 1}, nil)
	assert.Len(t, missing, 1, "of a large day, the database is asked")
	assert.Empty(t, unknown)
}
