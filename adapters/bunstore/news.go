package bunstore

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"plaza/domain/event"
	"plaza/domain/markup"
)

// News is the store as event.NewsArchive.
type News struct{ s *Store }

// News returns the store's archive of news.
func (s *Store) News() News { return News{s} }

var _ event.NewsArchive = News{}

type newsRow struct {
	bun.BaseModel `bun:"table:news,alias:n"`
	ID            int64 `bun:",pk,autoincrement"`
	SiteName      string
	SiteLogo      string
	URL           string
	Title         string
	Released      day
	HTML          markup.HTML
	Category      string
	City          string
	District      string
	Province      string
	Country       string
}

func newsRowOf(n event.News) newsRow {
	return newsRow{
		SiteName: n.SiteName, SiteLogo: n.SiteLogo, URL: n.URL, Title: n.Title, Released: day{n.Released},
		HTML: n.HTML, Category: n.Category, City: n.City, District: n.District, Province: n.Province, Country: n.Country,
	}
}

func (r newsRow) news() event.News {
	return event.News{
		ID: r.ID, SiteName: r.SiteName, SiteLogo: r.SiteLogo, URL: r.URL, Title: r.Title, Released: r.Released.Date,
		HTML: r.HTML, Category: r.Category, City: r.City, District: r.District, Province: r.Province, Country: r.Country,
	}
}

// newsBatch keeps statements within what servers take at once, as every item may
// have a long text.
const newsBatch = 200

func (v News) Add(ctx context.Context, items []event.News) error {
	return v.s.write(ctx, func(ctx context.Context, tx bun.Tx) error {
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

// around finds the first news of each spot's day from its own city and from
// elsewhere, and of these the first.
func around(d dialect) string {
	const ofDay = "SELECT n.id AS id FROM news n WHERE n.released = s.day AND "
	return "WITH spots (place, day, city) AS (VALUES ?), near (place, own, id) AS (" +
		"SELECT s.place, 1, top.value FROM spots s" +
		d.topOf(ofDay+"n.city = s.city AND s.city <> '' ORDER BY n.id LIMIT ?") +
		" UNION ALL SELECT s.place, 0, top.value FROM spots s" +
		d.topOf(ofDay+"(n.city <> s.city OR s.city = '') ORDER BY n.id LIMIT ?") +
		`), ranked AS (
			SELECT near.*, row_number() OVER (PARTITION BY place ORDER BY own DESC, id) AS rank FROM near
		)
		SELECT r.place, n.id, n.site_name, n.site_logo, n.url, n.title, n.released, n.html, n.category,
			n.city, n.district, n.province, n.country
		FROM ranked r JOIN news n ON n.id = r.id WHERE r.rank <= ? ORDER BY r.place, r.rank`
}

func (v News) Around(
	ctx context.Context, spots []event.Spot, limit int,
) (found map[event.Spot][]event.News, err error) {
	wanted := rowsOf(spots, func(i int, spot event.Spot) []any { return []any{i, day{spot.Date}, spot.City} })
	err = v.s.read(ctx, func(ctx context.Context) error {
		found = map[event.Spot][]event.News{}
		if len(wanted) == 0 {
			return nil
		}
		var rows []struct {
			newsRow `bun:",extend"`
			Place   int
		}
		statement := v.s.reader.NewRaw(around(v.s.dialect), bun.List(wanted), limit, limit, limit)
		if err := statement.Scan(ctx, &rows); err != nil {
			return err
		}
		for _, row := range rows {
			spot := spots[row.Place]
			found[spot] = append(found[spot], row.news())
		}
		return nil
	})
	return found, err
}
