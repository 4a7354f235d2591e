package bunstore

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"plaza/domain/event"
	"plaza/domain/markup"
)

// News implements event.NewsArchive.
type News struct{ s *Store }

// News returns the archive of news.
func (s *Store) News() News { return News{s} }

var _ event.NewsArchive = News{}

type newsRow struct {
	bun.BaseModel `bun:"table:news,alias:n"`
	ID            int64 `bun:",pk,autoincrement"`
	SiteName      string
	SiteLogo      string
	URL           string
	Title         string
	Released      dbDate
	HTML          markup.HTML
	Category      string
	City          string
	District      string
	Province      string
	Country       string
}

func newsRowOf(n event.News) newsRow {
	return newsRow{
		SiteName: n.SiteName, SiteLogo: n.SiteLogo, URL: n.URL, Title: n.Title, Released: dbDate{n.Released},
		HTML: n.HTML, Category: n.Category, City: n.City, District: n.District, Province: n.Province, Country: n.Country,
	}
}

func (r newsRow) news() event.News {
	return event.News{
		ID: r.ID, SiteName: r.SiteName, SiteLogo: r.SiteLogo, URL: r.URL, Title: r.Title, Released: r.Released.Date,
		HTML: r.HTML, Category: r.Category, City: r.City, District: r.District, Province: r.Province, Country: r.Country,
	}
}

// newsBatch keeps statements within the databases' limits, because every item may have
// a long text.
const newsBatch = 200

func (v News) Add(ctx context.Context, items []event.News) error {
	return v.s.write(ctx, func(ctx context.Context, tx *transaction) error {
		for batch := range slices.Chunk(items, newsBatch) {
			rows := make([]newsRow, len(batch))
			for i, item := range batch {
				rows[i] = newsRowOf(item)
			}
			if _, err := tx.NewInsert().Model(&rows).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// newsOfDays returns the query for the first $3 news of each pair of a day in $1 and a city
// in $2. News of the city come first.
func newsOfDays(d dialect) string {
	const columns = "n.id, n.site_name, n.site_logo, n.url, n.title, n.released, n.html, n.category, n.city, n.district, n.province, n.country"
	some := func(own, where string) string {
		return "SELECT * FROM (SELECT n.id, " + own + " AS own FROM news n WHERE n.released = {1} AND " + where +
			" ORDER BY n.id LIMIT CAST($3 AS bigint)) part"
	}
	first := some("1", "n.city = {2} AND {2} <> ''") + " UNION ALL " + some("0", "(n.city <> {2} OR {2} = '')")
	return "SELECT w.place, " + columns + d.forEach(first+" ORDER BY own DESC, id LIMIT CAST($3 AS bigint)", "date", "text") +
		" JOIN news n ON n.id = top.id ORDER BY w.place, top.own DESC, n.id"
}
