package bunstore

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/event"
	"plaza/domain/page"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// farFuture is later than the publication of every event.
var farFuture = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

func (v Events) Timeline(ctx context.Context, viewer user.ID, r page.CursorRequest) (page.CursorPage[event.Entry], error) {
	published, id := farFuture, int64(math.MaxInt64)
	if r.After != (page.Cursor{}) {
		published, id = time.UnixMicro(r.After.Rank).UTC(), r.After.ID
	}
	args := []any{int64(viewer), v.s.Dialect.Instant(published), id, int64(r.Size() + 1)}
	entries, err := engine.ReadAll(ctx, v.s.DB, v.s.hotReads.timeline, args, entryReader(v.s.Dialect))
	return page.UpTo(r.Size(), entries, event.Entry.AtCursor), err
}

// timeline returns the query for the newest events that the viewer $1 may see of those whom the
// viewer follows, $4 of them behind the event $3, first published at $2.
//
// The published events of an author with one permission are a stream: a range of an index, in order. Only the newest
// event of each stream is looked up. The $4 streams whose newest events are the newest of all have the
// whole page, because each of them has at least one event that is newer than any event of the other streams.
func timeline(d engine.Dialect) string {
	var newest []string
	for _, permission := range permitted(subscription.Stranger, event.Normal) {
		newest = append(newest, newestOfFollowed(d, permission, ""))
	}
	for _, permission := range permitted(subscription.Contact, event.Normal) {
		// Counting keeps Postgres from reading all who follow the viewer.
		newest = append(newest, newestOfFollowed(d, permission,
			" AND (SELECT COUNT(*) FROM subscriptions back WHERE back.user_id = s.followed_id AND back.followed_id = $1) > 0"))
	}
	return "SELECT " + storedColumns(d, "e", withCounts) + " FROM (SELECT e.id FROM (" +
		"SELECT author_id, permission FROM (" + strings.Join(newest, " UNION ALL ") + ") newest" +
		" ORDER BY published_at DESC, id DESC LIMIT CAST($4 AS bigint)) stream" +
		" CROSS JOIN events e WHERE " + ofStream("e", "stream.author_id", "stream.permission") +
		" AND e.published_at >= (SELECT MIN(published_at) FROM (SELECT n.published_at FROM events n WHERE " +
		ofStream("n", "stream.author_id", "stream.permission") + " ORDER BY n.published_at DESC, n.id DESC LIMIT CAST($4 AS bigint)) first)" +
		" ORDER BY e.published_at DESC, e.id DESC LIMIT CAST($4 AS bigint)) top " +
		d.LookUp("events e", "e.id = top.id") + " LEFT JOIN event_counts n ON n.event_id = e.id ORDER BY e.published_at DESC, e.id DESC"
}

// ofStream returns the condition that the event is of the stream and behind the cursor. It is worded as the partial
// index is.
func ofStream(e, author, permission string) string {
	return strings.NewReplacer("{e}", e, "{author}", author, "{permission}", permission, "{published}", fmt.Sprint(int(event.Normal))).
		Replace("{e}.author_id = {author} AND {e}.permission = {permission} AND {e}.status = {published} AND ({e}.published_at, {e}.id) < ($2, $3)")
}

// newestOfFollowed returns the query for the newest event with the permission of each author whom the viewer follows, if
// the condition holds for the subscription s.
func newestOfFollowed(d engine.Dialect, permission event.Permission, condition string) string {
	stream := ofStream("e", "s.followed_id", fmt.Sprint(int(permission)))
	return "SELECT e.author_id, e.permission, e.published_at, e.id FROM subscriptions s " +
		d.LookUpFirst("events e", "id", stream, "e.published_at DESC, e.id DESC") + " WHERE s.user_id = $1 AND s.followed_id > 0" + condition
}

// newestOfDay is among how many events of a day newestOnDates looks for those that the viewer may see.
const newestOfDay = 32

// newestOnDates is onDates, but it finds only those that are among the newestOfDay newest events of a day, hidden ones
// counted. If it finds fewer than $3 and the day has more events, it adds a row with true in the first column and any event of
// the day: the caller has to ask by onDates. It finds enough for most viewers, with a plan that costs Postgres a third less.
// Hidden events cost a viewer at most newestOfDay reads more.
func newestOnDates(d engine.Dialect) string {
	ofDay := fmt.Sprintf(" FROM events e WHERE e.day = {1} AND e.status = %d ORDER BY e.created DESC, e.id DESC LIMIT ", event.Normal)
	found := fmt.Sprintf("SELECT * FROM (SELECT *%s%d) e WHERE ", ofDay, newestOfDay) +
		isVisible("$2", event.Normal) + " ORDER BY e.created DESC, e.id DESC LIMIT CAST($3 AS bigint)"
	more := fmt.Sprintf("SELECT *, TRUE%sCASE WHEN (SELECT COUNT(*) FROM found) < $3 THEN 1 ELSE 0 END OFFSET %d", ofDay, newestOfDay)
	return selectMoment(d, "top", "top.more", d.ForEach(
		"WITH found AS MATERIALIZED ("+found+") SELECT *, FALSE AS more FROM found UNION ALL SELECT * FROM ("+more+") more", "date"))
}

// isVisible returns the condition that the viewer, a parameter, may see the event e of the status, by event.VisibleStates. What
// strangers may see comes first, because most events are such. Contacts follow each other, so no block stands between them.
func isVisible(viewer string, status event.Status) string {
	var parts []string
	seenBy := func(r subscription.Relation, condition string) {
		for _, permission := range permitted(r, status) {
			parts = append(parts, fmt.Sprintf("e.permission = %d AND ", permission)+condition)
		}
	}
	seenBy(subscription.Stranger, notBlocked(viewer, "e.author_id"))
	seenBy(subscription.Self, "e.author_id = "+viewer)
	seenBy(subscription.Contact, isFollowing(viewer, "e.author_id")+" AND "+isFollowing("e.author_id", viewer))
	return strings.Join(parts, " OR ")
}

// selectMoment returns the query for the events e that are found for each day in $1, after the version of the news, which is
// never 0, and the column more. It looks up the name of each category: Postgres may read all of them for a join.
func selectMoment(d engine.Dialect, e, more, found string) string {
	return "SELECT COALESCE((SELECT version FROM news_version), 0) + 1, " + more +
		", (SELECT c.name FROM categories c WHERE c.id = " + e + ".category_id), " + storedColumns(d, e, withoutCounts) +
		", " + memberFields + found + joinMember(e+".author_id") + " ORDER BY w.place, " + e + ".created DESC, " + e + ".id DESC"
}

// onDates returns the query for the published events of each day in $1 that the viewer
// $2 may see, at most $3 a day. It has a part for each relation to an author and each
// permission that the relation makes visible (event.VisibleStates). Separate indexes
// hold the public and the hidden events of a day, so no part reads events that the
// viewer may not see. LookUp makes the database start with the left side.
func onDates(d engine.Dialect) string {
	var parts []string
	for _, permission := range permitted(subscription.Stranger, event.Normal) {
		parts = append(parts, openOn(permission))
	}
	for _, permission := range permitted(subscription.Self, event.Normal) {
		parts = append(parts, newestOn(permission, " AND e.author_id = $2"))
	}
	for _, permission := range permitted(subscription.Contact, event.Normal) {
		parts = append(parts, ofContacts(d, permission))
	}
	found := "SELECT id FROM (" + strings.Join(parts, " UNION ALL ") + ") seen ORDER BY created DESC, id DESC LIMIT CAST($3 AS bigint)"
	return selectMoment(d, "e", "FALSE", d.ForEach(found, "date")+" "+d.LookUp("events e", "e.id = top.id"))
}

// permitted returns the permissions of events of the status that the relation makes
// visible. Unless the relation is Stranger, it excludes those visible to strangers.
func permitted(r subscription.Relation, status event.Status) (permissions []event.Permission) {
	for _, as := range event.VisibleStates(r) {
		if as.Status == status && (r == subscription.Stranger || !as.VisibleTo(subscription.Stranger)) {
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

// openOn returns the query for the newest events of the day with the permission, which all may see, unless their author and the
// viewer are blocked.
func openOn(permission event.Permission) string {
	return unlessBlocked("$2", "e.author_id", func(condition string) string { return newestOn(permission, condition) })
}

// newestOf returns the condition that an event of the day with the permission is one of the $3 newest of the author, a column.
func newestOf(permission event.Permission, author string) string {
	return "e.author_id = " + author + " AND e.created >= (SELECT MIN(created) FROM (" +
		newestOn(permission, " AND e.author_id = "+author) + ") newest)"
}

// ofContacts returns the query for the newest events of the day with the permission by
// contacts of the viewer. Contacts follow each other, so no block stands between them.
//
// The recursion finds spans of authors: it alternates between the next person whom the
// viewer follows, with whom a span begins, and the author before whom it ends. A span has
// either that person alone, of whom only the newest events are read, or several authors,
// who have few events in all. So there are at most as many spans as people whom the viewer
// follows, the many events of one author cost no more than a few, and those of many
// authors no more than to read them from the index. Whether an author follows the viewer is
// checked from the newest event on, until enough are found; LIMIT 1000000 keeps this order. Events older than enough
// of those that all may see are not checked at all.
func ofContacts(d engine.Dialect, permission event.Permission) string {
	day, recent := ofDay(permission), atLeastAsNew(permitted(subscription.Stranger, event.Normal)[0])
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
				WHERE b.high > b.low + 1 AND ` + day + recent + ` AND e.author_id >= b.low AND e.author_id < b.high AND ` + isFollowed(d, day) + `
				UNION ALL
				SELECT e.id, e.created, e.author_id FROM spans b CROSS JOIN events e
				WHERE b.high = b.low + 1 AND ` + day + recent + ` AND ` + newestOf(permission, "b.low") + `
			) followed ORDER BY created DESC, id DESC LIMIT 1000000) followed
		WHERE (SELECT COUNT(*) FROM subscriptions back WHERE back.user_id = followed.author_id AND back.followed_id = $2) > 0
		ORDER BY created DESC, id DESC LIMIT CAST($3 AS bigint)) part`
}

// atLeastAsNew returns the condition that an event of the day is not older than the $3 newest with the permission, if there
// are so many.
func atLeastAsNew(permission event.Permission) string {
	return " AND e.created >= COALESCE((SELECT MIN(created) FROM (" + openOn(permission) + ") open HAVING COUNT(*) = CAST($3 AS bigint)), e.created)"
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
