package diary

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/page"
	"plaza/domain/place"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

const (
	// eventFor finds the event $1, and what stands between its author and the viewer $2, who may be 0. COUNT looks up one row;
	// for EXISTS, Postgres may read all whom the viewer follows.
	eventFor = `
		SELECT e.id, e.author_id, e.created, e.day, e.category_id, e.permission, e.status, e.hidden, e.published_at,
			e.title, e.content, e.html, e.province, e.city, e.district, e.modified, e.revision, e.comments, e.likes, e.plates,
			(SELECT COUNT(*) FROM subscriptions s WHERE s.user_id = $2 AND s.followed_id = e.author_id) > 0 AS follows,
			(SELECT COUNT(*) FROM subscriptions s WHERE s.user_id = e.author_id AND s.followed_id = $2) > 0 AS is_followed,
			(SELECT COUNT(*) FROM blocks b WHERE b.user_id = $2 AND b.other_id = e.author_id) > 0 AS is_blocked
		FROM event_entries e WHERE e.id = $1`

	// eventsCommentedLast finds the events of the author $1 that were commented last, $2 of them.
	eventsCommentedLast = `
		SELECT e.id, e.author_id, e.created, e.day, e.category_id, e.permission, e.status, e.hidden, e.published_at,
			e.title, e.content, e.html, e.province, e.city, e.district, e.modified, e.revision, e.comments, e.likes, e.plates
		FROM event_counts n JOIN event_entries e ON e.id = n.event_id
		WHERE n.author_id = $1 AND n.commented IS NOT NULL
		ORDER BY n.commented DESC, n.event_id DESC LIMIT CAST($2 AS bigint)`

	// eventsOfAuthor finds the events of the author $1 from $5 to $6, with a status from $7 to $8, that the viewer $4 may see, $2
	// of them after $3 behind the one $11 of the day $9 created at $10, and how many there are:
	// all of the viewer's own; of another author the published ones that are not hidden: public ones unless a block stands
	// between the two, and those for contacts if the two are contacts. The latest day comes first, within a day the latest.
	eventsOfAuthor = `
		WITH visible AS (
			SELECT e.id, e.day, e.created FROM events e
			WHERE e.author_id = $1 AND e.day BETWEEN $5 AND $6 AND e.status BETWEEN $7 AND $8 AND ($1 = $4 OR e.status = 100 AND NOT e.hidden AND (
				e.permission = 0 AND (SELECT COUNT(*) FROM blocks b WHERE b.user_id = $4 AND b.other_id = $1) = 0
				OR e.permission = 100 AND (SELECT COUNT(*) FROM contacts k WHERE k.user_id = $4 AND k.contact_id = $1) > 0)))
		SELECT (SELECT COUNT(*) FROM visible) AS total,
			e.id, e.author_id, e.created, e.day, e.category_id, e.permission, e.status, e.hidden, e.published_at,
			e.title, e.content, e.html, e.province, e.city, e.district, e.modified, e.revision, e.comments, e.likes, e.plates
		FROM (
			SELECT id FROM visible
			WHERE (day, created) <= ($9, $10) AND ((day, created) < ($9, $10) OR id > $11)
			ORDER BY day DESC, created DESC, id
			LIMIT CAST($2 AS bigint) OFFSET CAST($3 AS bigint)) top
		JOIN event_entries e ON e.id = top.id
		ORDER BY e.day DESC, e.created DESC, e.id`

	// eventsInOrder is eventsOfAuthor in the order of the terms $9 and $10 (EVT-13), and then of the ids.
	eventsInOrder = `
		WITH visible AS (
			SELECT e.id, e.day, e.created FROM events e
			WHERE e.author_id = $1 AND e.day BETWEEN $5 AND $6 AND e.status BETWEEN $7 AND $8 AND ($1 = $4 OR e.status = 100 AND NOT e.hidden AND (
				e.permission = 0 AND (SELECT COUNT(*) FROM blocks b WHERE b.user_id = $4 AND b.other_id = $1) = 0
				OR e.permission = 100 AND (SELECT COUNT(*) FROM contacts k WHERE k.user_id = $4 AND k.contact_id = $1) > 0)))
		SELECT (SELECT COUNT(*) FROM visible) AS total,
			e.id, e.author_id, e.created, e.day, e.category_id, e.permission, e.status, e.hidden, e.published_at,
			e.title, e.content, e.html, e.province, e.city, e.district, e.modified, e.revision, e.comments, e.likes, e.plates
		FROM (
			SELECT id, ROW_NUMBER() OVER (ORDER BY
				CASE $9 WHEN 'event_time' THEN day END, CASE $9 WHEN '-event_time' THEN day END DESC,
				CASE $9 WHEN 'create_time' THEN created END, CASE $9 WHEN '-create_time' THEN created END DESC,
				CASE $10 WHEN 'event_time' THEN day END, CASE $10 WHEN '-event_time' THEN day END DESC,
				CASE $10 WHEN 'create_time' THEN created END, CASE $10 WHEN '-create_time' THEN created END DESC,
				id) AS place
			FROM visible ORDER BY place LIMIT CAST($2 AS bigint) OFFSET CAST($3 AS bigint)) top
		JOIN event_entries e ON e.id = top.id
		ORDER BY top.place`
)

func (v Events) Get(ctx context.Context, id event.ID) (event.Entry, error) {
	entry, _, err := v.GetFor(ctx, id, 0)
	return entry, err
}

func (v Events) GetFor(ctx context.Context, id event.ID, viewer user.ID) (event.Entry, subscription.Relation, error) {
	row, err := engine.One[EventRow](ctx, v.DB, event.ErrNotFound, eventFor, id, viewer)
	if err != nil {
		return event.Entry{}, 0, err
	}
	entry, err := row.Entry()
	return entry, row.Relation(viewer, row.AuthorID), err
}

func (v Events) List(ctx context.Context, q event.Query) (page.Page[event.Entry], error) {
	from, to := cmp.Or(q.From, calendar.First), cmp.Or(q.To, calendar.Last)
	args := []any{q.Author, q.Page.Limit(), q.Page.Offset(), q.Viewer, from, to, event.Draft, event.Normal}
	if q.Status != nil {
		args[6], args[7] = *q.Status, *q.Status
	}
	statement := eventsOfAuthor
	if terms := q.Order.Terms(); !q.Order.IsDefault() {
		second := ""
		if len(terms) > 1 {
			second = terms[1].String()
		}
		statement, args = eventsInOrder, append(args, terms[0].String(), second)
	} else {
		_, created, id := engine.Behind(q.Page)
		day := calendar.Last
		if after := q.Page.After(); after != (page.Cursor{}) {
			day = calendar.OfDays(after.Rank)
		}
		args = append(args, day, time.UnixMicro(created).UTC(), -id)
	}
	p, err := engine.PageOf(ctx, v.DB, q.Page, func(r EventRow) page.Cursor { return r.State().AtDay() }, statement, args...)
	entries, broken := page.TryMap(p, EventRow.Entry)
	return entries, cmp.Or(err, broken)
}

func (v Events) Written(ctx context.Context, author user.ID, s page.Span, r page.Request) (page.Page[event.State], error) {
	p, err := engine.ListPage[EventRow](ctx, v.DB, r, func(query *bun.SelectQuery) *bun.SelectQuery {
		return engine.Within(query.Where("author_id = ?", author), "created", s)
	}, engine.Latest(v.DB, s, "created", "id", func(r EventRow) page.Cursor { return page.At(r.Created.Time, r.ID) }))
	return page.Map(p, EventRow.State), err
}

func (v Events) Commented(ctx context.Context, author user.ID, limit int) ([]event.Entry, error) {
	rows, err := engine.All[EventRow](ctx, v.DB, eventsCommentedLast, author, limit)
	return engine.Converted(rows, err, EventRow.Entry)
}

func (v Events) Located(ctx context.Context, after event.ID, limit int) ([]event.Located, error) {
	rows, err := engine.SelectAll[EventRow](ctx, v.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		return engine.Limited(query.Where("id > ?", after).Order("id"), limit)
	})
	return engine.Mapped(rows, func(r EventRow) event.Located {
		return event.Located{
			ID: r.ID, Text: event.Text{Title: r.Title, Content: r.Content},
			Place: place.Place{Province: r.Province, City: r.City, District: r.District},
		}
	}), err
}

func (v Events) OfPlate(ctx context.Context, id event.PlateID) (event.ID, error) {
	row, err := engine.One[EventRow](ctx, v.DB, event.ErrNoPlate, "SELECT event_id AS id FROM plates WHERE id = $1", id)
	return row.ID, err
}

// EventsAfter finds at most $2 events of the author $1 with ids above $3.
const EventsAfter = `
	SELECT e.id, e.author_id, e.created, e.day, e.category_id, e.permission, e.status, e.hidden, e.published_at, e.title, e.content, e.html,
		e.province, e.city, e.district, e.modified, e.revision, e.plates
	FROM event_entries e
	WHERE e.author_id = $1 AND e.id + 0 > $3 ORDER BY e.id + 0 LIMIT CAST($2 AS bigint)`

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

// foundEvents finds the events $1, and whether a block stands between their authors and the viewer $2.
var foundEvents = engine.Both(`
	SELECT e.id, e.author_id, e.created, e.day, e.category_id, e.permission, e.status, e.hidden, e.published_at,
		e.title, e.content, e.html, e.province, e.city, e.district, e.modified, e.revision, e.comments, e.likes, e.plates,
		(SELECT COUNT(*) FROM blocks b WHERE b.user_id = $2 AND b.other_id = e.author_id) > 0 AS is_blocked
	FROM event_entries e WHERE e.id = ANY($1)`)

// eventsFor reads the events, and passes each to fn with the viewer's relation to its author.
func eventsFor(db *engine.DB, ids []int64, viewer user.ID, fn func(event.Entry, subscription.Relation)) engine.Step {
	return engine.Each(db, func(row *EventRow) error {
		entry, err := row.Entry()
		if err == nil {
			fn(entry, row.Relation(viewer, row.AuthorID))
		}
		return err
	}, db.Pick(foundEvents), ids, viewer)
}

// moment finds the published events of each day of $1 (on SQLite, of the day $1) that the viewer $2 may see, the $3
// newest of each: those that all may see, unless a block stands between the viewer and their author; the viewer's own; and
// those for contacts of the viewer's contacts, of whom each is looked up. A block is looked up for each public event that
// is read: Postgres may read all blocks of the viewer for EXISTS.
var moment = engine.Text{
	Postgres: `
	SELECT e.id, e.author_id, e.created, e.day, e.category_id, e.permission, e.status, e.hidden, e.published_at,
		e.title, e.content, e.html, e.province, e.city, e.district, e.modified, e.revision,
		(SELECT json_agg(json_build_array(p.id, p.photo, (extract(epoch FROM p.created) * 1000000)::bigint, p.width, p.height, p.hidden::int)
			ORDER BY p.id) FROM plates p WHERE p.event_id = e.id) AS plates,
		(SELECT c.name FROM categories c WHERE c.id = e.category_id) AS category_name,
		u.id AS member_id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, u.avatar, p.seen
	FROM unnest($1::date[]) WITH ORDINALITY d (day, place)
	CROSS JOIN LATERAL (
		SELECT * FROM (
			(SELECT e.* FROM events e
				WHERE e.day = d.day AND e.status = 100 AND NOT e.hidden AND e.permission = 0
					AND (SELECT COUNT(*) FROM blocks b WHERE b.user_id = $2 AND b.other_id = e.author_id) = 0
				ORDER BY e.created DESC, e.id DESC LIMIT $3)
			UNION ALL
			(SELECT e.* FROM events e
				WHERE e.author_id = $2 AND e.day = d.day AND e.status = 100 AND NOT e.hidden AND e.permission <> 0
				ORDER BY e.created DESC, e.id DESC LIMIT $3)
			UNION ALL
			(SELECT e.* FROM contacts k CROSS JOIN LATERAL (
					SELECT * FROM events e
					WHERE e.author_id = k.contact_id AND e.day = d.day AND e.status = 100 AND NOT e.hidden AND e.permission = 100
					ORDER BY e.created DESC, e.id DESC LIMIT $3) e
				WHERE k.user_id = $2
				ORDER BY e.created DESC, e.id DESC LIMIT $3)
		) seen ORDER BY created DESC, id DESC LIMIT $3) e
	LEFT JOIN users u ON u.id = e.author_id AND u.phone NOT LIKE 'erased-%'
	LEFT JOIN presence p ON p.user_id = u.id
	ORDER BY d.place, e.created DESC, e.id DESC`,

	SQLite: `
	SELECT e.id, e.author_id, e.created, e.day, e.category_id, e.permission, e.status, e.hidden, e.published_at,
		e.title, e.content, e.html, e.province, e.city, e.district, e.modified, e.revision,
		(SELECT json_group_array(json_array(p.id, p.photo, p.created, p.width, p.height, p.hidden) ORDER BY p.id)
			FROM plates p WHERE p.event_id = e.id) AS plates,
		(SELECT c.name FROM categories c WHERE c.id = e.category_id) AS category_name,
		u.id AS member_id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, u.avatar, p.seen
	FROM (
		SELECT id, created FROM (
			SELECT * FROM (
				SELECT e.id, e.created FROM events e
				WHERE e.day = $1 AND e.status = 100 AND NOT e.hidden AND e.permission = 0
					AND (SELECT COUNT(*) FROM blocks b WHERE b.user_id = $2 AND b.other_id = e.author_id) = 0
				ORDER BY e.created DESC, e.id DESC LIMIT CAST($3 AS integer))
			UNION ALL
			SELECT * FROM (
				SELECT e.id, e.created FROM events e INDEXED BY events_of_author
				WHERE e.author_id = $2 AND e.day = $1 AND e.status = 100 AND NOT e.hidden AND e.permission <> 0
				ORDER BY e.created DESC, e.id DESC LIMIT CAST($3 AS integer))
			UNION ALL
			SELECT * FROM (
				SELECT e.id, e.created FROM contacts k CROSS JOIN events e ON e.id IN (
					SELECT o.id FROM events o INDEXED BY events_of_author
					WHERE o.author_id = k.contact_id AND o.day = $1 AND o.status = 100 AND NOT o.hidden AND o.permission = 100
					ORDER BY o.created DESC, o.id DESC LIMIT CAST($3 AS integer))
				WHERE k.user_id = $2
				ORDER BY e.created DESC, e.id DESC LIMIT CAST($3 AS integer)))
		ORDER BY created DESC, id DESC LIMIT CAST($3 AS integer)) seen
	CROSS JOIN events e ON e.id = seen.id
	LEFT JOIN users u ON u.id = e.author_id AND u.phone NOT LIKE 'erased-%'
	LEFT JOIN presence p ON p.user_id = u.id
	ORDER BY seen.created DESC, seen.id DESC`,
}

// momentRow is a row of moment, or of peopleAndCategories.
type momentRow struct {
	EventRow
	people.MemberRow
	CategoryName string `bun:",nullzero"`
}

func (v Events) momentReads(q event.RelatedQuery, into *event.Related) (reads []engine.Step) {
	for dates := range slices.Chunk(engine.Distinct(q.Dates), v.DB.Dialect.KeysAtOnce()) {
		reads = append(reads, engine.Each(v.DB, func(row *momentRow) error {
			e, err := event.Restore(row.State())
			if err != nil {
				return err
			}
			into.Events[row.Day.Date] = append(into.Events[row.Day.Date], e)
			if row.CategoryID != 0 {
				into.CategoryNames[row.CategoryID] = row.CategoryName
			}
			people.AddMember(into.Members, row.Member())
			return nil
		}, v.DB.Pick(moment), v.DB.Dialect.Key(dates), q.Viewer, q.Events))
	}
	return reads
}
