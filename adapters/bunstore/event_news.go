package bunstore

import (
	"github.com/uptrace/bun"

	"plaza/domain/event"
	"plaza/domain/markup"
)

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

func (r newsRow) news() event.News {
	return event.News{
		ID: r.ID, SiteName: r.SiteName, SiteLogo: r.SiteLogo, URL: r.URL, Title: r.Title, Released: r.Released.Date,
		HTML: r.HTML, Category: r.Category, City: r.City, District: r.District, Province: r.Province, Country: r.Country,
	}
}

// newsOfDays finds, for every spot, which is a day in $1 and a city in $2, the first $3
// news of its day, those from its own city first.
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
