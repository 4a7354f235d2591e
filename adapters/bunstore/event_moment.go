package bunstore

import (
	"fmt"
	"slices"
	"strings"

	"plaza/domain/event"
	"plaza/domain/subscription"
)

// onDates returns the query for the published events of each day in $1 that the viewer
// $2 may see, at most $3 a day. It has a part for each relation to an author and each
// permission that the relation makes visible (event.VisibleStates). Separate indexes
// hold the public and the hidden events of a day, so no part reads events that the
// viewer may not see. CROSS JOIN makes SQLite start with the left side.
func onDates(d dialect) string {
	var parts []string
	for _, permission := range permitted(subscription.Stranger) {
		parts = append(parts, newestOn(permission, ""))
	}
	for _, permission := range permitted(subscription.Self) {
		parts = append(parts, newestOn(permission, " AND e.author_id = $2"))
	}
	for _, permission := range permitted(subscription.Contact) {
		parts = append(parts, ofContacts(permission))
	}
	return "SELECT c.name, " + storedColumns(d, withoutCounts) +
		d.forEach("SELECT id FROM ("+strings.Join(parts, " UNION ALL ")+") seen ORDER BY created DESC, id DESC LIMIT CAST($3 AS bigint)", "date") +
		" CROSS JOIN events e LEFT JOIN categories c ON c.id = e.category_id WHERE e.id = top.id ORDER BY w.place, e.created DESC, e.id DESC"
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
// each contact of the viewer. The day's authors and the people whom the viewer follows
// are two sorted lists. The recursion alternates between the lists and continues in one
// from the last ID of the other, so it takes at most twice as many steps as the shorter
// list has entries. A person in both lists is found twice in a row. Contacts must also
// follow the viewer.
func ofContacts(permission event.Permission) string {
	const on = " >= CASE WHEN b.id = b.former THEN b.id + 1 ELSE b.id END"
	author := "SELECT e.author_id FROM events e WHERE " + ofDay(permission) + " AND e.author_id" + on + " ORDER BY e.author_id LIMIT 1"
	followed := "SELECT s.followed_id FROM subscriptions s WHERE s.user_id = $2 AND s.followed_id" + on + " ORDER BY s.followed_id LIMIT 1"
	return `SELECT e.id, e.created FROM (
			WITH RECURSIVE both_lists (id, former, turn) AS (
				SELECT CAST(0 AS bigint), CAST(-1 AS bigint), 0
				UNION ALL
				SELECT CASE b.turn WHEN 0 THEN (` + author + `) ELSE (` + followed + `) END, b.id, 1 - b.turn
				FROM both_lists b WHERE b.id IS NOT NULL)
			SELECT id FROM both_lists WHERE id = former) a
		CROSS JOIN subscriptions back CROSS JOIN events e
		WHERE back.user_id = a.id AND back.followed_id = $2 AND ` + ofDay(permission) + ` AND e.author_id = a.id
			AND e.created >= (SELECT MIN(created) FROM (` + newestOn(permission, " AND e.author_id = a.id") + `) newest)`
}
