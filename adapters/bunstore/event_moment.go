package bunstore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/imported"
	"plaza/domain/subscription"
)

// onDates returns the query for the published events of each day in $1 that the viewer
// $2 may see, at most $3 a day. It has a part for each relation to an author and each
// permission that the relation makes visible (event.VisibleStates). Separate indexes
// hold the public and the hidden events of a day, so no part reads events that the
// viewer may not see. CROSS JOIN makes SQLite start with the left side.
func onDates(d engine.Dialect) string {
	var parts []string
	for _, permission := range permitted(subscription.Stranger) {
		parts = append(parts, newestOn(permission, ""))
	}
	for _, permission := range permitted(subscription.Self) {
		parts = append(parts, newestOn(permission, " AND e.author_id = $2"))
	}
	for _, permission := range permitted(subscription.Contact) {
		parts = append(parts, ofContacts(d, permission))
	}
	seen := "SELECT id FROM (" + strings.Join(parts, " UNION ALL ") + ") seen ORDER BY created DESC, id DESC LIMIT CAST($3 AS bigint)"
	return "SELECT c.name, " + storedColumns(d, withoutCounts) + ", " + memberFields + d.ForEach(seen, "date") +
		" CROSS JOIN events e LEFT JOIN categories c ON c.id = e.category_id" + joinMember("e.author_id") +
		" WHERE e.id = top.id ORDER BY w.place, e.created DESC, e.id DESC"
}

// permitted returns the permissions of published events that the relation makes
// visible. Unless the relation is Stranger, it excludes those visible to strangers.
func permitted(r subscription.Relation) (permissions []event.Permission) {
	open := event.VisibleStates(subscription.Stranger)
	for _, as := range event.VisibleStates(r) {
		if as.Status == event.Normal && (r == subscription.Stranger || !slices.Contains(open, as)) {
			permissions = append(permissions, as.Permission)
		}
	}
	return permissions
}

// ofDay returns the condition of a published event of the day with the permission,
// worded exactly as in its partial index, because SQLite compares the text.
func ofDay(permission event.Permission) string {
	condition := fmt.Sprintf("e.day = {1} AND e.status = %d AND e.permission = %d", event.Normal, permission)
	if permission != event.Public {
		condition += fmt.Sprintf(" AND e.permission <> %d", event.Public)
	}
	return condition
}

// newestOn returns the query for the newest events of the day with the permission and
// the extra condition.
func newestOn(permission event.Permission, narrowed string) string {
	return "SELECT id, created FROM (SELECT e.id, e.created FROM events e WHERE " + ofDay(permission) + narrowed +
		" ORDER BY e.created DESC, e.id DESC LIMIT CAST($3 AS bigint)) part"
}

// ofContacts returns the query for the newest events of the day with the permission by
// contacts of the viewer. Contacts follow each other.
//
// The recursion finds spans of authors: it alternates between the next person whom the
// viewer follows, with whom a span begins, and the author before whom it ends. A span has
// either that person alone, of whom only the newest events are read, or several authors,
// who have few events in all. So there are at most as many spans as people whom the viewer
// follows, the many events of one author cost no more than a few, and those of many
// authors no more than to read them from the index. Whether an author follows the viewer is
// checked from the newest event on, until enough are found; LIMIT 1000000 keeps this order.
func ofContacts(d engine.Dialect, permission event.Permission) string {
	day := ofDay(permission)
	followed := "SELECT s.followed_id FROM subscriptions s WHERE s.user_id = $2 AND s.followed_id >= b.id ORDER BY s.followed_id LIMIT 1"
	end := "SELECT CASE MAX(author_id) WHEN b.id THEN b.id + 1 ELSE MAX(author_id) END FROM (SELECT e.author_id FROM events e WHERE " + day +
		" AND e.author_id >= b.id ORDER BY e.author_id LIMIT " + strconv.Itoa(d.ReadAhead()) + ") next"
	return `SELECT id, created FROM (SELECT id, created FROM (
			WITH RECURSIVE steps (id, former, turn) AS (
				SELECT CAST(0 AS bigint), CAST(0 AS bigint), 0
				UNION ALL
				SELECT CASE b.turn WHEN 0 THEN (` + followed + `) ELSE (` + end + `) END, b.id, 1 - b.turn
				FROM steps b WHERE b.id IS NOT NULL),
			spans (low, high) AS (SELECT former, id FROM steps WHERE turn = 0 AND id > former)
			SELECT id, created, author_id FROM (
				SELECT e.id, e.created, e.author_id FROM spans b CROSS JOIN events e
				WHERE b.high > b.low + 1 AND ` + day + ` AND e.author_id >= b.low AND e.author_id < b.high AND ` + isFollowed(d, day) + `
				UNION ALL
				SELECT e.id, e.created, e.author_id FROM spans b CROSS JOIN events e
				WHERE b.high = b.low + 1 AND ` + day + ` AND e.author_id = b.low
					AND e.created >= (SELECT MIN(created) FROM (` + newestOn(permission, " AND e.author_id = b.low") + `) newest)
			) followed ORDER BY created DESC, id DESC LIMIT 1000000) followed
		WHERE (SELECT COUNT(*) FROM subscriptions back WHERE back.user_id = followed.author_id AND back.followed_id = $2) > 0
		ORDER BY created DESC, id DESC LIMIT CAST($3 AS bigint)) part`
}

// isFollowed returns the condition that the viewer follows the author of an event. Where
// lookups are expensive, a day of more than a few events reads the list of the followed
// once instead of looking up each author.
func isFollowed(d engine.Dialect, day string) string {
	const few = 100
	lookup := "(SELECT COUNT(*) FROM subscriptions s WHERE s.user_id = $2 AND s.followed_id = e.author_id) > 0"
	if d.ReadAhead() < few {
		return lookup
	}
	return fmt.Sprintf(`CASE WHEN (SELECT COUNT(*) FROM (SELECT 1 FROM events e WHERE %s LIMIT %d) first) <= %d THEN %s
		ELSE e.author_id IN (SELECT s.followed_id FROM subscriptions s WHERE s.user_id = $2 AND s.followed_id > 0) END`, day, few+1, few, lookup)
}

// newsColumns are the columns that are read of news, after the ID.
var newsColumns = engine.Columns[imported.NewsRecord]{
	engine.Plain("site_name", func(n *imported.NewsRecord) *string { return &n.SiteName }),
	engine.Plain("site_logo", func(n *imported.NewsRecord) *string { return &n.SiteLogo }),
	engine.Plain("url", func(n *imported.NewsRecord) *string { return &n.URL }),
	engine.Plain("title", func(n *imported.NewsRecord) *string { return &n.Title }),
	engine.Day("released", func(n *imported.NewsRecord) *calendar.Date { return &n.Released }),
	engine.Plain("html", func(n *imported.NewsRecord) *string { return (*string)(&n.HTML) }),
	engine.Plain("category", func(n *imported.NewsRecord) *string { return &n.Category }),
	engine.Plain("city", func(n *imported.NewsRecord) *string { return &n.City }),
	engine.Plain("district", func(n *imported.NewsRecord) *string { return &n.District }),
	engine.Plain("province", func(n *imported.NewsRecord) *string { return &n.Province }),
	engine.Plain("country", func(n *imported.NewsRecord) *string { return &n.Country }),
}

// newsTable is the table of news, which imports find by their source.
var newsTable = engine.Table[imported.NewsRecord]{Name: "news", Keys: 1, Columns: append(engine.Columns[imported.NewsRecord]{
	engine.Plain("source", func(n *imported.NewsRecord) *string { return &n.Source }),
}, newsColumns...)}

// newsOfDays finds, for every spot, which is a day in $1 and a city in $2, the first $3
// news of its day, those from its own city first.
func newsOfDays(d engine.Dialect) string {
	some := func(own, where string) string {
		return "SELECT * FROM (SELECT n.id, " + own + " AS own FROM news n WHERE n.released = {1} AND " + where +
			" ORDER BY n.id LIMIT CAST($3 AS bigint)) part"
	}
	first := some("1", "n.city = {2} AND {2} <> ''") + " UNION ALL " + some("0", "(n.city <> {2} OR {2} = '')") +
		" ORDER BY own DESC, id LIMIT CAST($3 AS bigint)"
	return "SELECT w.place, n.id, " + newsColumns.Of("n") + d.ForEach(first, "date", "text") +
		" JOIN news n ON n.id = top.id ORDER BY w.place, top.own DESC, n.id"
}
