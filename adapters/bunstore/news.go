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

// around finds, for every spot, a day in $1 with the city of the same place in $2,
// the first $3 news of its day from its own city and from elsewhere, and of these
// the first.
func around(d dialect) string {
	const columns = "n.id, n.site_name, n.site_logo, n.url, n.title, n.released, n.html, n.category, n.city, n.district, n.province, n.country"
	return "WITH spots (place, day, city) AS (SELECT d.place, d.value, c.value FROM (" + d.values("$1", "date") + ") d" +
		" JOIN (" + d.values("$2", "text") + ") c ON c.place = d.place), near (place, own, id) AS (" +
		"SELECT s.place, 1, top.value FROM spots s" +
		d.topOf("SELECT n.id AS id FROM news n WHERE n.released = s.day AND n.city = s.city AND s.city <> '' ORDER BY n.id LIMIT $3") +
		" UNION ALL SELECT s.place, 0, top.value FROM spots s" +
		d.topOf("SELECT n.id AS id FROM news n WHERE n.released = s.day AND (n.city <> s.city OR s.city = '') ORDER BY n.id LIMIT $3") +
		"), ranked AS (SELECT near.*, row_number() OVER (PARTITION BY place ORDER BY own DESC, id) AS rank FROM near)" +
		" SELECT r.place, " + columns + " FROM ranked r JOIN news n ON n.id = r.id WHERE r.rank <= $3 ORDER BY r.place, r.rank"
}

func (v News) Around(ctx context.Context, spots []event.Spot, limit int) (found map[event.Spot][]event.News, err error) {
	spots = distinct(spots)
	days, cities := make([]event.Date, len(spots)), make([]string, len(spots))
	for i, spot := range spots {
		days[i], cities[i] = spot.Date, spot.City
	}
	args := []any{v.s.dialect.listOf(days), v.s.dialect.listOf(cities), int64(limit)}
	err = v.s.read(ctx, func(ctx context.Context) error {
		found = map[event.Spot][]event.News{}
		return v.s.each(ctx, v.s.hot.around, args, func(scan func(...any) error) error {
			var place int
			var n newsRow
			err := scan(&place, &n.ID, &n.SiteName, &n.SiteLogo, &n.URL, &n.Title, &n.Released, &n.HTML,
				&n.Category, &n.City, &n.District, &n.Province, &n.Country)
			if err != nil {
				return err
			}
			spot := spots[place-1]
			found[spot] = append(found[spot], n.news())
			return nil
		})
	})
	return found, err
}
