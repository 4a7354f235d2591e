package bunstore

import (
	"context"
	"strings"

	"plaza/domain/event"
	"plaza/domain/page"
	"plaza/domain/user"
)

// eventStatements are the hot reads of events.
type eventStatements struct {
	event string // $1 id
	// eventPage reads the events of the author $1 in the visible states $2, $3 of them
	// after $4. The order clause goes between its two parts and after them.
	eventPage  [2]string
	onDates    string
	newest     string
	newsOfDays string
	commented  string // $1 author, $2 limit
}

func newEventStatements(d dialect) eventStatements {
	columns := eventColumns(d, withCounts)
	within := " FROM events e WHERE e.author_id = $1 AND " + d.among(visibleState, "$2")
	return eventStatements{
		event: "SELECT " + columns + " FROM events e LEFT JOIN event_counts n ON n.event_id = e.id WHERE e.id = $1",
		eventPage: [2]string{
			"SELECT (SELECT count(*)" + within + "), " + columns + " FROM (SELECT e.id" + within,
			" LIMIT CAST($3 AS bigint) OFFSET CAST($4 AS bigint)) top JOIN events e ON e.id = top.id LEFT JOIN event_counts n ON n.event_id = e.id",
		},
		onDates:    onDates(d),
		newest:     newestComments(d),
		newsOfDays: newsOfDays(d),
		commented: "SELECT " + columns + " FROM event_counts n JOIN events e ON e.id = n.event_id" +
			" WHERE n.author_id = $1 AND n.commented IS NOT NULL ORDER BY n.commented DESC, n.event_id DESC LIMIT CAST($2 AS bigint)",
	}
}

// visibleState encodes an event's status and permission as one number.
const visibleState = "e.status * 1000 + e.permission"

func visibleStates(states []event.StatusPermission) []int64 {
	all := make([]int64, len(states))
	for i, as := range states {
		all[i] = int64(as.Status)*1000 + int64(as.Permission)
	}
	return all
}

// ordering returns the ORDER BY clause.
func ordering(o event.Ordering) string {
	columns := map[event.Key]string{event.ByDate: "e.day", event.ByCreated: "e.created"}
	var clause strings.Builder
	clause.WriteString(" ORDER BY ")
	for _, term := range o.Terms() {
		clause.WriteString(columns[term.Key])
		if term.Descending {
			clause.WriteString(" DESC")
		}
		clause.WriteString(", ")
	}
	clause.WriteString("e.id")
	return clause.String()
}

func (v Events) List(ctx context.Context, q event.Query) (p page.Page[event.Entry], err error) {
	order := ordering(q.Order)
	statement := v.s.hot.eventPage[0] + order + v.s.hot.eventPage[1] + order
	args := []any{
		int64(q.Author), v.s.dialect.listOf(visibleStates(q.States)), int64(q.Page.Size()), int64(q.Page.Offset()),
	}
	err = v.s.read(ctx, func(ctx context.Context) error {
		var total int // stays zero without rows: the page is the only one, or past the last
		stored, err := v.s.hotEvents(ctx, statement, args, &total)
		if err != nil {
			return err
		}
		entries, err := entriesOf(stored)
		if err != nil {
			return err
		}
		p, err = page.Of(q.Page, entries, total)
		return err
	})
	return p, err
}

func (v Events) Commented(ctx context.Context, author user.ID, limit int) (entries []event.Entry, err error) {
	err = v.s.read(ctx, func(ctx context.Context) error {
		stored, err := v.s.hotEvents(ctx, v.s.hot.commented, []any{int64(author), int64(limit)})
		if err != nil {
			return err
		}
		entries, err = entriesOf(stored)
		return err
	})
	return entries, err
}

// located uses the primary key, so it costs the same from any start.
const located = "SELECT id, title, content, province, city, district FROM events WHERE id > $1 ORDER BY id LIMIT CAST($2 AS bigint)"

func (v Events) Located(ctx context.Context, after event.ID, limit int) (found []event.Located, err error) {
	err = v.s.read(ctx, func(ctx context.Context) error {
		found = nil
		return v.s.each(ctx, located, []any{int64(after), int64(max(limit, 0))}, func(scan func(...any) error) error {
			var e event.Located
			err := scan((*int64)(&e.ID), &e.Title, &e.Content, &e.Place.Province, &e.Place.City, &e.Place.District)
			found = append(found, e)
			return err
		})
	})
	return found, err
}

func (v Events) OfPlate(ctx context.Context, id event.PlateID) (on event.ID, err error) {
	err = v.s.read(ctx, func(ctx context.Context) error {
		err := v.s.reader.NewSelect().Model((*plateRow)(nil)).Column("event_id").Where("id = ?", id).Scan(ctx, &on)
		return orNotFound(err, event.ErrNoPlate)
	})
	return on, err
}
