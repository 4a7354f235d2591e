package diary

import (
	"context"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/event"
	"plaza/domain/page"
	"plaza/domain/user"
)

// timeline finds the newest events that the viewer $1 may see of those whom the viewer follows, $4 of them behind the
// event $3, first published at $2: the public ones of the followed, and the ones for contacts of the viewer's contacts.
//
// The events of an author with one permission are a stream. Only the newest event of each stream is looked up. The $4
// streams whose newest events are the newest of all have the whole page, because each of them has at least one event
// that is newer than any event of the other streams.
var timeline = engine.Text{
	Postgres: `
	SELECT e.id, e.author_id, e.created, e.day, e.category_id, e.permission, e.status, e.hidden, e.published_at,
		e.title, e.content, e.html, e.province, e.city, e.district, e.modified, e.revision, e.comments, e.likes, e.plates
	FROM (
		SELECT id FROM (
			SELECT author_id, permission FROM (
				SELECT e.author_id, e.permission, e.published_at, e.id
				FROM subscriptions s CROSS JOIN LATERAL (
					SELECT * FROM events e
					WHERE e.author_id = s.followed_id AND e.permission = 0 AND e.status = 100 AND NOT e.hidden
						AND (e.published_at, e.id) < ($2, $3)
					ORDER BY e.published_at DESC, e.id DESC LIMIT 1) e
				WHERE s.user_id = $1 AND s.followed_id > 0
				UNION ALL
				SELECT e.author_id, e.permission, e.published_at, e.id
				FROM contacts k CROSS JOIN LATERAL (
					SELECT * FROM events e
					WHERE e.author_id = k.contact_id AND e.permission = 100 AND e.status = 100 AND NOT e.hidden
						AND (e.published_at, e.id) < ($2, $3)
					ORDER BY e.published_at DESC, e.id DESC LIMIT 1) e
				WHERE k.user_id = $1
			) newest
			ORDER BY published_at DESC, id DESC LIMIT $4
		) stream CROSS JOIN LATERAL (
			SELECT e.id, e.published_at FROM events e
			WHERE e.author_id = stream.author_id AND e.permission = stream.permission AND e.status = 100 AND NOT e.hidden
				AND (e.published_at, e.id) < ($2, $3)
			ORDER BY e.published_at DESC, e.id DESC LIMIT $4) e
		ORDER BY published_at DESC, id DESC LIMIT $4
	) top
	JOIN event_entries e ON e.id = top.id
	ORDER BY e.published_at DESC, e.id DESC`,

	SQLite: `
	SELECT e.id, e.author_id, e.created, e.day, e.category_id, e.permission, e.status, e.hidden, e.published_at,
		e.title, e.content, e.html, e.province, e.city, e.district, e.modified, e.revision, e.comments, e.likes, e.plates
	FROM (
		SELECT e.id FROM (
			SELECT author_id, permission FROM (
				SELECT e.author_id, e.permission, e.published_at, e.id
				FROM subscriptions s CROSS JOIN events e ON e.id = (
					SELECT e.id FROM events e
					WHERE e.author_id = s.followed_id AND e.permission = 0 AND e.status = 100 AND NOT e.hidden
						AND (e.published_at, e.id) < ($2, $3)
					ORDER BY e.published_at DESC, e.id DESC LIMIT 1)
				WHERE s.user_id = $1 AND s.followed_id > 0
				UNION ALL
				SELECT e.author_id, e.permission, e.published_at, e.id
				FROM contacts k CROSS JOIN events e ON e.id = (
					SELECT e.id FROM events e
					WHERE e.author_id = k.contact_id AND e.permission = 100 AND e.status = 100 AND NOT e.hidden
						AND (e.published_at, e.id) < ($2, $3)
					ORDER BY e.published_at DESC, e.id DESC LIMIT 1)
				WHERE k.user_id = $1
			) newest
			ORDER BY published_at DESC, id DESC LIMIT CAST($4 AS integer)
		) stream CROSS JOIN events e
		WHERE e.author_id = stream.author_id AND e.permission = stream.permission AND e.status = 100 AND NOT e.hidden
			AND (e.published_at, e.id) < ($2, $3)
			AND e.published_at >= (SELECT MIN(published_at) FROM (
				SELECT first.published_at FROM events first
				WHERE first.author_id = stream.author_id AND first.permission = stream.permission AND first.status = 100 AND NOT first.hidden
					AND (first.published_at, first.id) < ($2, $3)
				ORDER BY first.published_at DESC, first.id DESC LIMIT CAST($4 AS integer)))
		ORDER BY e.published_at DESC, e.id DESC LIMIT CAST($4 AS integer)
	) top
	CROSS JOIN event_entries e ON e.id = top.id
	ORDER BY e.published_at DESC, e.id DESC`,
}

func (v Events) Timeline(ctx context.Context, viewer user.ID, r page.CursorRequest) (page.CursorPage[event.Entry], error) {
	published, _, id := engine.Behind(r.Paged())
	rows, err := engine.All[EventRow](ctx, v.DB, v.DB.Pick(timeline), viewer, published, id, r.Size()+1)
	entries, err := engine.Converted(rows, err, EventRow.Entry)
	return page.UpTo(r.Size(), entries, event.Entry.AtCursor), err
}
