package bunstore

import (
	"context"
	"slices"
	"strings"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/news"
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

func newEventStatements(d engine.Dialect) eventStatements {
	columns := storedColumns(d, withCounts)
	const one = " FROM events e LEFT JOIN event_counts n ON n.event_id = e.id WHERE e.id = $1"
	// Whether the viewer $2 follows the event's author, and the other way round.
	const follows = "EXISTS (SELECT 1 FROM subscriptions s WHERE s.user_id = $2 AND s.followed_id = e.author_id)," +
		" EXISTS (SELECT 1 FROM subscriptions s WHERE s.user_id = e.author_id AND s.followed_id = $2)"
	within := " FROM events e WHERE e.author_id = $1 AND " + d.Among(visibleState, "$2")
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
	statement := v.s.hotReads.eventPage[0] + order + v.s.hotReads.eventPage[1] + order
	args := []any{
		int64(q.Author), v.s.Dialect.ListOf(visibleStates(q.States)), int64(q.Page.Size()), int64(q.Page.Offset()),
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

// Load reads everything in one round trip.
func (v Events) Load(ctx context.Context, q event.RelatedQuery) (related event.Related, err error) {
	err = v.s.Read(ctx, func(ctx context.Context) error {
		related = event.Related{
			Events: map[calendar.Date][]*event.Event{}, News: map[event.DayInCity][]news.Item{},
			Comments: map[event.ID][]event.Comment{}, CategoryNames: map[feed.CategoryID]string{},
			Members: map[user.ID]*user.Member{},
		}
		var reads []engine.Step
		atOnce := v.s.Dialect.KeysAtOnce()
		readEvent, readComment := v.s.relatedEvents(&related), v.s.relatedComments(&related)
		for dates := range slices.Chunk(engine.Distinct(q.Dates), atOnce) {
			reads = append(reads, engine.Step{
				Statement: v.s.hotReads.onDates, Args: []any{v.s.Dialect.Key(dates), int64(q.Viewer), int64(q.Events)}, Row: readEvent,
			})
		}
		for days := range slices.Chunk(engine.Distinct(q.DaysInCities), atOnce) {
			reads = append(reads, v.s.newsAt(days, q, &related))
		}
		for ids := range slices.Chunk(engine.Distinct(q.CommentsFor), atOnce) {
			reads = append(reads, engine.Step{
				Statement: v.s.hotReads.newest, Args: []any{v.s.Dialect.Key(engine.Numbers(ids)), int64(q.Comments)}, Row: readComment,
			})
		}
		if len(q.Categories) > 0 {
			reads = append(reads, v.s.categoriesOf(q.Categories, func(c feed.Category) { related.CategoryNames[c.ID] = c.Name }))
		}
		if len(q.People) > 0 {
			reads = append(reads, v.s.membersOf(q.People, func(m user.Member) { addMember(related.Members, m) }))
		}
		return v.s.Dialect.Query(ctx, reads...)
	})
	return related, err
}

// relatedEvents returns the function that scans a row of onDates.
func (s *Store) relatedEvents(into *event.Related) func(engine.Scanner) error {
	var stored storedEvent
	var category string
	var author user.Member
	targets := append(stored.targets(s.Dialect, engine.OrZeroText[string]{Into: &category}), memberTargets(&author, s.Dialect)...)
	return func(scan engine.Scanner) error {
		stored = storedEvent{} // no memory is shared with the next row
		if err := scan(targets...); err != nil {
			return err
		}
		e, err := stored.event()
		if err != nil {
			return err
		}
		into.Events[stored.Date] = append(into.Events[stored.Date], e)
		if id := stored.Category; id != 0 {
			into.CategoryNames[id] = category
		}
		addMember(into.Members, author)
		return nil
	}
}

// relatedComments returns the function that scans a row of newest.
func (s *Store) relatedComments(into *event.Related) func(engine.Scanner) error {
	var on event.ID
	read := commentReader(s.Dialect, into.Members, (*int64)(&on))
	return func(scan engine.Scanner) error {
		row, err := read(scan)
		row.EventID = on
		into.Comments[on] = append(into.Comments[on], row.comment())
		return err
	}
}

func (s *Store) newsAt(daysInCities []event.DayInCity, q event.RelatedQuery, into *event.Related) engine.Step {
	days, cities := make([]calendar.Date, len(daysInCities)), make([]string, len(daysInCities))
	for i, key := range daysInCities {
		days[i], cities[i] = key.Date, key.City
	}
	return engine.Step{
		Statement: s.hotReads.newsOfDays,
		Args:      []any{s.Dialect.Key(days), s.Dialect.Key(cities), int64(q.News)},
		Row: func(scan func(...any) error) error {
			var position int
			var n imported.NewsRecord
			err := scan(newsColumns.Targets(&n, s.Dialect, &position, &n.ID)...)
			if err != nil {
				return err
			}
			key := daysInCities[position-1]
			into.News[key] = append(into.News[key], n.Item)
			return nil
		},
	}
}
