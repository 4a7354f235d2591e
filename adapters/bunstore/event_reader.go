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
	event    string // $1 id
	eventFor string // $1 id, $2 viewer
	liking   string // $1 id, $2 viewer
	// eventPage reads the events of the author $1 in the visible states $2, $3 of them
	// after $4. The order clause goes between its two parts and after them.
	eventPage  [2]string
	onDates    string
	newest     string
	comments   string // commentsPage
	newsOfDays string
	commented  string // $1 author, $2 limit
}

func newEventStatements(d dialect) eventStatements {
	columns := storedColumns(d, withCounts)
	const one = " FROM events e LEFT JOIN event_counts n ON n.event_id = e.id WHERE e.id = $1"
	// Whether the viewer $2 follows the event's author, and the other way round.
	const follows = "EXISTS (SELECT 1 FROM subscriptions s WHERE s.user_id = $2 AND s.followed_id = e.author_id)," +
		" EXISTS (SELECT 1 FROM subscriptions s WHERE s.user_id = e.author_id AND s.followed_id = $2)"
	within := " FROM events e WHERE e.author_id = $1 AND " + d.among(visibleState, "$2")
	return eventStatements{
		event:    "SELECT " + columns + one,
		eventFor: "SELECT " + follows + ", " + columns + one,
		liking: "SELECT " + follows + ", e.author_id, e.status, e.permission, n.likes," +
			" EXISTS (SELECT 1 FROM likes l WHERE l.event_id = e.id AND l.user_id = $2)" +
			" FROM events e JOIN event_counts n ON n.event_id = e.id WHERE e.id = $1",
		eventPage: [2]string{
			"SELECT (SELECT count(*)" + within + "), " + columns + " FROM (SELECT e.id" + within,
			" LIMIT CAST($3 AS bigint) OFFSET CAST($4 AS bigint)) top JOIN events e ON e.id = top.id LEFT JOIN event_counts n ON n.event_id = e.id",
		},
		onDates:    onDates(d),
		newest:     newestComments(d),
		comments:   commentsPage,
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

func (v Events) List(ctx context.Context, q event.Query) (page.Page[event.Entry], error) {
	order := ordering(q.Order)
	statement := v.s.hot.eventPage[0] + order + v.s.hot.eventPage[1] + order
	args := []any{
		int64(q.Author), v.s.dialect.listOf(visibleStates(q.States)), int64(q.Page.Size()), int64(q.Page.Offset()),
	}
	return readPage(ctx, v.s, q.Page, statement, args, func(total *int) func(scanner) (event.Entry, error) { return entryReader(v.s.dialect, total) })
}

func (v Events) Commented(ctx context.Context, author user.ID, limit int) ([]event.Entry, error) {
	return readAll(ctx, v.s, v.s.hot.commented, []any{int64(author), int64(limit)}, entryReader(v.s.dialect))
}

func (v Events) Located(ctx context.Context, after event.ID, limit int) ([]event.Located, error) {
	return readAll(ctx, v.s, v.s.sql.located, []any{int64(after), int64(max(limit, 0))}, func(scan scanner) (e event.Located, err error) {
		err = scan((*int64)(&e.ID), &e.Title, &e.Content, &e.Place.Province, &e.Place.City, &e.Place.District)
		return e, err
	})
}

func (v Events) OfPlate(ctx context.Context, id event.PlateID) (on event.ID, err error) {
	err = v.s.read(ctx, func(ctx context.Context) error {
		err := v.s.reader.NewSelect().Table("plates").Column("event_id").Where("id = ?", id).Scan(ctx, &on)
		return orNotFound(err, event.ErrNoPlate)
	})
	return on, err
}
