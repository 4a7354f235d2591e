package diary

import (
	"context"
	"slices"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/markup"
	"plaza/domain/news"
	"plaza/domain/user"
)

// newestComments finds the newest comments on each event of $1 (on SQLite, on the event $1) that the viewer $3 sees, $2 of
// each at most, with their authors.
var newestComments = engine.Text{
	Postgres: `
	SELECT c.id, c.event_id, c.author_id, c.content, c.created, c.edited, c.reply_to, c.hidden,
		(SELECT r.author_id FROM comments r WHERE r.id = c.reply_to AND NOT r.hidden) AS reply_author,
		u.id AS member_id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, u.avatar, p.seen
	FROM unnest($1::bigint[]) WITH ORDINALITY d (event_id, place)
	CROSS JOIN LATERAL (
		SELECT c.* FROM comments c
		WHERE c.event_id = d.event_id AND (NOT c.hidden OR c.author_id = $3)
			AND (SELECT COUNT(*) FROM blocks b WHERE b.user_id = $3 AND b.other_id = c.author_id) = 0
		ORDER BY c.created DESC, c.id DESC LIMIT $2) c
	LEFT JOIN users u ON u.id = c.author_id AND u.phone NOT LIKE 'erased-%'
	LEFT JOIN presence p ON p.user_id = u.id
	ORDER BY d.place, c.created DESC, c.id DESC`,

	SQLite: `
	SELECT c.id, c.event_id, c.author_id, c.content, c.created, c.edited, c.reply_to, c.hidden,
		(SELECT r.author_id FROM comments r WHERE r.id = c.reply_to AND NOT r.hidden) AS reply_author,
		u.id AS member_id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, u.avatar, p.seen
	FROM (
		SELECT c.* FROM comments c
		WHERE c.event_id = $1 AND (NOT c.hidden OR c.author_id = $3)
			AND (SELECT COUNT(*) FROM blocks b WHERE b.user_id = $3 AND b.other_id = c.author_id) = 0
		ORDER BY c.created DESC, c.id DESC LIMIT CAST($2 AS integer)) c
	LEFT JOIN users u ON u.id = c.author_id AND u.phone NOT LIKE 'erased-%'
	LEFT JOIN presence p ON p.user_id = u.id
	ORDER BY c.created DESC, c.id DESC`,
}

// peopleAndCategories finds the users of $1, and the names of the categories of $2. Two statements would cost more than one.
var peopleAndCategories = engine.Both(`
	SELECT k.category_id, k.category_name,
		u.id AS member_id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, u.avatar, p.seen
	FROM (
		SELECT id, 0 AS category_id, '' AS category_name FROM users WHERE id = ANY($1)
		UNION ALL
		SELECT 0, id, name FROM categories WHERE id = ANY($2)) k
	LEFT JOIN users u ON u.id = k.id AND u.phone NOT LIKE 'erased-%'
	LEFT JOIN presence p ON p.user_id = u.id`)

// newsOfDays finds the first $3 news of each day of $1 (on SQLite, of the day $1), those from the city at the same place
// of $2 (the city $2) first. An empty city matches none.
var newsOfDays = engine.Text{
	Postgres: `
	SELECT d.place, n.id, n.site_name, n.site_logo, n.url, n.title, n.released, n.html, n.category,
		n.city, n.district, n.province, n.country
	FROM unnest($1::date[], $2::text[]) WITH ORDINALITY d (day, city, place)
	CROSS JOIN LATERAL (
		SELECT * FROM (
			(SELECT 1 AS own, n.* FROM news n
				WHERE n.released = d.day AND n.city = d.city AND d.city <> ''
				ORDER BY n.id LIMIT $3)
			UNION ALL
			(SELECT 0, n.* FROM news n
				WHERE n.released = d.day AND (n.city <> d.city OR d.city = '')
				ORDER BY n.id LIMIT $3)
		) found ORDER BY own DESC, id LIMIT $3) n
	ORDER BY d.place, n.own DESC, n.id`,

	SQLite: `
	SELECT 1 AS place, n.id, n.site_name, n.site_logo, n.url, n.title, n.released, n.html, n.category,
		n.city, n.district, n.province, n.country
	FROM (
		SELECT * FROM (
			SELECT 1 AS own, n.* FROM news n
			WHERE n.released = $1 AND n.city = $2 AND $2 <> ''
			ORDER BY n.id LIMIT CAST($3 AS integer))
		UNION ALL
		SELECT * FROM (
			SELECT 0, n.* FROM news n
			WHERE n.released = $1 AND (n.city <> $2 OR $2 = '')
			ORDER BY n.id LIMIT CAST($3 AS integer))) n
	ORDER BY n.own DESC, n.id LIMIT CAST($3 AS integer)`,
}

// Load reads everything in one round trip.
func (v Events) Load(ctx context.Context, q event.RelatedQuery) (related event.Related, err error) {
	reads := slices.Concat(v.momentReads(q, &related), v.peopleReads(q, &related), v.newsReads(q, &related), v.commentReads(q, &related))
	err = v.DB.ReadRows(ctx, func() {
		related = event.Related{
			Events: map[calendar.Date][]*event.Event{}, News: map[event.DayInCity][]news.Item{},
			Comments: map[event.ID][]event.Comment{}, CategoryNames: map[feed.CategoryID]string{},
			Members: map[user.ID]*user.Member{},
		}
	}, reads...)
	return related, err
}

func (v Events) peopleReads(q event.RelatedQuery, into *event.Related) []engine.Step {
	if len(q.People) == 0 && len(q.Categories) == 0 {
		return nil
	}
	return []engine.Step{engine.Each(v.DB, func(row *momentRow) error {
		if row.CategoryID != 0 {
			into.CategoryNames[row.CategoryID] = row.CategoryName
		}
		people.AddMember(into.Members, row.Member())
		return nil
	}, v.DB.Pick(peopleAndCategories), q.People, q.Categories)}
}

func (v Events) commentReads(q event.RelatedQuery, into *event.Related) (reads []engine.Step) {
	for ids := range slices.Chunk(engine.Distinct(q.CommentsFor), v.DB.Dialect.KeysAtOnce()) {
		reads = append(reads, engine.Each(v.DB, func(row *authoredComment) error {
			into.Comments[row.EventID] = append(into.Comments[row.EventID], row.Comment())
			people.AddMember(into.Members, row.Member())
			return nil
		}, v.DB.Pick(newestComments), v.DB.Dialect.Key(ids), q.Comments, q.Viewer))
	}
	return reads
}

// newsRow is a row of newsOfDays.
type newsRow struct {
	Place int
	ID    int64
	NewsFields
}

// NewsFields are what is stored of news besides the id.
type NewsFields struct {
	SiteName string
	SiteLogo string
	URL      string `bun:"url"`
	Title    string
	Released engine.Date
	HTML     markup.HTML `bun:"html"`
	Category string
	City     string
	District string
	Province string
	Country  string
}

func (r *newsRow) item() news.Item {
	return news.Item{
		ID: r.ID, SiteName: r.SiteName, SiteLogo: r.SiteLogo, URL: r.URL, Title: r.Title, Released: r.Released.Date,
		HTML: r.HTML, Category: r.Category, City: r.City, District: r.District, Province: r.Province, Country: r.Country,
	}
}

func (v Events) newsReads(q event.RelatedQuery, into *event.Related) (reads []engine.Step) {
	for some := range slices.Chunk(engine.Distinct(q.DaysInCities), v.DB.Dialect.KeysAtOnce()) {
		days, cities := make([]calendar.Date, len(some)), make([]string, len(some))
		for i, key := range some {
			days[i], cities[i] = key.Date, key.City
		}
		reads = append(reads, engine.Each(v.DB, func(row *newsRow) error {
			key := some[row.Place-1]
			into.News[key] = append(into.News[key], row.item())
			return nil
		}, v.DB.Pick(newsOfDays), v.DB.Dialect.Key(days), v.DB.Dialect.Key(cities), q.News))
	}
	return reads
}
