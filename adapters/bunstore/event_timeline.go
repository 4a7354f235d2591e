package bunstore

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/event"
	"plaza/domain/page"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// farFuture is later than the creation of every event.
var farFuture = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

func (v Events) Timeline(ctx context.Context, viewer user.ID, r page.CursorRequest) (page.CursorPage[event.Entry], error) {
	created, id := farFuture, int64(math.MaxInt64)
	if r.After != (page.Cursor{}) {
		created, id = time.UnixMicro(r.After.Rank).UTC(), r.After.ID
	}
	args := []any{int64(viewer), v.s.Dialect.Instant(created), id, int64(r.Size() + 1)}
	entries, err := engine.ReadAll(ctx, v.s.DB, v.s.hotReads.timeline, args, entryReader(v.s.Dialect))
	return page.UpTo(r.Size(), entries, event.Entry.AtCursor), err
}

// timeline returns the query for the newest events that the viewer $1 may see of those whom the
// viewer follows, $4 of them behind the event $3, created at $2.
//
// The published events of an author with one permission are a stream: a range of an index, in order. Only the newest
// event of each stream is looked up. The $4 streams whose newest events are the newest of all have the
// whole page, because each of them has at least one event that is newer than any event of the other streams.
func timeline(d engine.Dialect) string {
	var newest []string
	for _, permission := range permitted(subscription.Stranger) {
		newest = append(newest, newestOfFollowed(d, permission, ""))
	}
	for _, permission := range permitted(subscription.Contact) {
		// Counting keeps Postgres from reading all who follow the viewer.
		newest = append(newest, newestOfFollowed(d, permission,
			" AND (SELECT COUNT(*) FROM subscriptions back WHERE back.user_id = s.followed_id AND back.followed_id = $1) > 0"))
	}
	return "SELECT " + storedColumns(d, withCounts) + " FROM (SELECT e.id FROM (" +
		"SELECT author_id, permission FROM (" + strings.Join(newest, " UNION ALL ") + ") newest" +
		" ORDER BY created DESC, id DESC LIMIT CAST($4 AS bigint)) stream" +
		" CROSS JOIN events e WHERE " + ofStream("e", "stream.author_id", "stream.permission") +
		" AND e.created >= (SELECT MIN(created) FROM (SELECT n.created FROM events n WHERE " +
		ofStream("n", "stream.author_id", "stream.permission") + " ORDER BY n.created DESC, n.id DESC LIMIT CAST($4 AS bigint)) first)" +
		" ORDER BY e.created DESC, e.id DESC LIMIT CAST($4 AS bigint)) top " +
		d.LookUp("events e", "e.id = top.id") + " LEFT JOIN event_counts n ON n.event_id = e.id ORDER BY e.created DESC, e.id DESC"
}

// ofStream returns the condition that the event is of the stream and behind the cursor. It is worded as the partial
// index is.
func ofStream(e, author, permission string) string {
	return strings.NewReplacer("{e}", e, "{author}", author, "{permission}", permission, "{published}", fmt.Sprint(int(event.Normal))).
		Replace("{e}.author_id = {author} AND {e}.permission = {permission} AND {e}.status = {published} AND ({e}.created, {e}.id) < ($2, $3)")
}

// newestOfFollowed returns the query for the newest event with the permission of each author whom the viewer follows, if
// the condition holds for the subscription s.
func newestOfFollowed(d engine.Dialect, permission event.Permission, condition string) string {
	stream := ofStream("e", "s.followed_id", fmt.Sprint(int(permission)))
	return "SELECT e.author_id, e.permission, e.created, e.id FROM subscriptions s " +
		d.LookUpFirst("events e", "id", stream, "e.created DESC, e.id DESC") + " WHERE s.user_id = $1 AND s.followed_id > 0" + condition
}
