package bunstore

import (
	"context"
	"fmt"
	"strings"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/event"
	"plaza/domain/page"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// eventStatements are the hot reads of events.
type eventStatements struct {
	event    string // $1 id
	eventFor string // $1 id, $2 viewer
	likings  string // $1 ids, $2 viewer
	// eventPage reads the events of the author $1 that the viewer $4 may see, $2 of them after $3. The states that each
	// relation makes visible are $5 for Self, $6 for Contact and $7 for Stranger. The order clause goes between its two
	// parts and after them.
	eventPage [2]string
	commented string // $1 author, $2 limit
}

func newEventStatements(d engine.Dialect) eventStatements {
	columns := storedColumns(d, "e", withCounts)
	const one = " FROM events e LEFT JOIN event_counts n ON n.event_id = e.id WHERE e.id = $1"
	ties := ties("$2", "e.author_id")
	within := " FROM events e WHERE e.author_id = $1 AND (" + visibleTo(d, subscription.Stranger, "$7") + " OR " +
		visibleTo(d, subscription.Contact, "$6") + " OR " + visibleTo(d, subscription.Self, "$5") + ")"
	return eventStatements{
		event:    "SELECT " + columns + one,
		eventFor: "SELECT " + ties + ", " + columns + one,
		likings: "SELECT " + ties + ", e.id, e.author_id, e.status, e.permission, e.hidden, n.likes," +
			" (SELECT COUNT(*) FROM likes l WHERE l.event_id = e.id AND l.user_id = $2) > 0" +
			" FROM events e JOIN event_counts n ON n.event_id = e.id WHERE " + d.Among("e.id", "$1"),
		eventPage: [2]string{
			relationTo("$4", "$1") + "SELECT (SELECT count(*)" + within + "), " + columns + " FROM (SELECT e.id" + within,
			" LIMIT CAST($2 AS bigint) OFFSET CAST($3 AS bigint)) top JOIN events e ON e.id = top.id LEFT JOIN event_counts n ON n.event_id = e.id",
		},
		commented: "SELECT " + columns + " FROM event_counts n JOIN events e ON e.id = n.event_id" +
			" WHERE n.author_id = $1 AND n.commented IS NOT NULL ORDER BY n.commented DESC, n.event_id DESC LIMIT CAST($2 AS bigint)",
	}
}

// relationTo returns the beginning of a statement that finds out the relation of the viewer to the author once, as
// subscription.Relate does. Both are parameters.
func relationTo(viewer, author string) string {
	viewer, author = "CAST("+viewer+" AS bigint)", "CAST("+author+" AS bigint)"
	return fmt.Sprintf("WITH tie (relation) AS (SELECT CASE WHEN %[1]s = %[2]s THEN %[6]d WHEN %[3]s THEN %[7]d WHEN %[4]s AND %[5]s THEN %[8]d ELSE %[9]d END) ",
		viewer, author, isBlocked(viewer, author), isFollowing(viewer, author), isFollowing(author, viewer),
		subscription.Self, subscription.Blocked, subscription.Contact, subscription.Stranger)
}

// visibleTo returns the condition that an event is in one of the states of the parameter, and the relation of relationTo is
// as close as r or closer. A closer relation makes more states visible.
func visibleTo(d engine.Dialect, r subscription.Relation, states string) string {
	return fmt.Sprintf("(SELECT relation FROM tie) >= %d AND ", r) + d.Among(visibleState, states)
}

// visibleState encodes the exposure of an event as one number.
const visibleState = "e.status * 1000 + e.permission + CASE WHEN e.hidden THEN 1 ELSE 0 END"

func visibleStates(states []event.Exposure) []int64 {
	all := make([]int64, len(states))
	for i, as := range states {
		all[i] = int64(as.Status)*1000 + int64(as.Permission)
		if as.IsHidden {
			all[i]++
		}
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
	statement := v.s.hotReads.eventPage[0] + order + v.s.hotReads.eventPage[1] + order
	args := []any{int64(q.Author), int64(q.Page.Size()), int64(q.Page.Offset()), int64(q.Viewer)}
	for _, r := range []subscription.Relation{subscription.Self, subscription.Contact, subscription.Stranger} {
		args = append(args, v.s.Dialect.ListOf(visibleStates(event.VisibleStates(r))))
	}
	return engine.ReadPage(ctx, v.s.DB, q.Page, statement, args, func(total *int) func(engine.Scanner) (event.Entry, error) {
		return entryReader(v.s.Dialect, total)
	})
}

func (v Events) Commented(ctx context.Context, author user.ID, limit int) ([]event.Entry, error) {
	return engine.ReadAll(ctx, v.s.DB, v.s.hotReads.commented, []any{int64(author), int64(limit)}, entryReader(v.s.Dialect))
}

func (v Events) Located(ctx context.Context, after event.ID, limit int) ([]event.Located, error) {
	args := []any{int64(after), int64(max(limit, 0))}
	return engine.ReadAll(ctx, v.s.DB, v.s.steps.located, args, func(scan engine.Scanner) (e event.Located, err error) {
		err = scan((*int64)(&e.ID), &e.Title, &e.Content, &e.Place.Province, &e.Place.City, &e.Place.District)
		return e, err
	})
}

func (v Events) OfPlate(ctx context.Context, id event.PlateID) (on event.ID, err error) {
	err = v.s.Read(ctx, func(ctx context.Context) error {
		err := v.s.Reader.NewSelect().Table("plates").Column("event_id").Where("id = ?", id).Scan(ctx, &on)
		return engine.OrNotFound(err, event.ErrNoPlate)
	})
	return on, err
}
