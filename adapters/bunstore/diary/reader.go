package diary

import (
	"cmp"
	"context"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
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
