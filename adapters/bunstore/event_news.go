package bunstore

import (
	"plaza/domain/calendar"
	"plaza/domain/imported"
)

// newsColumns are the columns that are read of news, after the ID.
var newsColumns = columns[imported.NewsRecord]{
	plain("site_name", func(n *imported.NewsRecord) *string { return &n.SiteName }),
	plain("site_logo", func(n *imported.NewsRecord) *string { return &n.SiteLogo }),
	plain("url", func(n *imported.NewsRecord) *string { return &n.URL }),
	plain("title", func(n *imported.NewsRecord) *string { return &n.Title }),
	day("released", func(n *imported.NewsRecord) *calendar.Date { return &n.Released }),
	plain("html", func(n *imported.NewsRecord) *string { return (*string)(&n.HTML) }),
	plain("category", func(n *imported.NewsRecord) *string { return &n.Category }),
	plain("city", func(n *imported.NewsRecord) *string { return &n.City }),
	plain("district", func(n *imported.NewsRecord) *string { return &n.District }),
	plain("province", func(n *imported.NewsRecord) *string { return &n.Province }),
	plain("country", func(n *imported.NewsRecord) *string { return &n.Country }),
}

// newsTable is the table of news, which imports find by their source.
var newsTable = table[imported.NewsRecord]{"news", 1, append(columns[imported.NewsRecord]{
	plain("source", func(n *imported.NewsRecord) *string { return &n.Source }),
}, newsColumns...)}

// newsOfDays finds, for every spot, which is a day in $1 and a city in $2, the first $3
// news of its day, those from its own city first.
func newsOfDays(d dialect) string {
	some := func(own, where string) string {
		return "SELECT * FROM (SELECT n.id, " + own + " AS own FROM news n WHERE n.released = {1} AND " + where +
			" ORDER BY n.id LIMIT CAST($3 AS bigint)) part"
	}
	first := some("1", "n.city = {2} AND {2} <> ''") + " UNION ALL " + some("0", "(n.city <> {2} OR {2} = '')")
	return "SELECT w.place, n.id, " + newsColumns.of("n") + d.forEach(first+" ORDER BY own DESC, id LIMIT CAST($3 AS bigint)", "date", "text") +
		" JOIN news n ON n.id = top.id ORDER BY w.place, top.own DESC, n.id"
}
