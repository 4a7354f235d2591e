package bunstore

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/news"
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
	eventPage   [2]string
	onDates     string // for a viewer who follows few
	onDatesMany string // for any viewer
	followsMany string // $1 viewer; a row if the viewer follows more than few
	newest      string
	comments    string // commentsPage
	newsOfDays  string
	timeline    string // $1 viewer, $2 created, $3 event, $4 limit
	commented   string // $1 author, $2 limit
}

func newEventStatements(d engine.Dialect) eventStatements {
	columns := storedColumns(d, withCounts)
	const one = " FROM events e LEFT JOIN event_counts n ON n.event_id = e.id WHERE e.id = $1"
	ties := ties("$2", "e.author_id")
	within := " FROM events e WHERE e.author_id = $1 AND (" + visibleTo(d, subscription.Stranger, "$7") + " OR " +
		visibleTo(d, subscription.Contact, "$6") + " OR " + visibleTo(d, subscription.Self, "$5") + ")"
	return eventStatements{
		event:    "SELECT " + columns + one,
		eventFor: "SELECT " + ties + ", " + columns + one,
		likings: "SELECT " + ties + ", e.id, e.author_id, e.status, e.permission, n.likes," +
			" (SELECT COUNT(*) FROM likes l WHERE l.event_id = e.id AND l.user_id = $2) > 0" +
			" FROM events e JOIN event_counts n ON n.event_id = e.id WHERE " + d.Among("e.id", "$1"),
		eventPage: [2]string{
			relationTo("$4", "$1") + "SELECT (SELECT count(*)" + within + "), " + columns + " FROM (SELECT e.id" + within,
			" LIMIT CAST($2 AS bigint) OFFSET CAST($3 AS bigint)) top JOIN events e ON e.id = top.id LEFT JOIN event_counts n ON n.event_id = e.id",
		},
		onDates:     onDates(d, ofFewContacts),
		onDatesMany: onDates(d, ofContacts),
		followsMany: fmt.Sprintf("SELECT 1 FROM subscriptions s WHERE s.user_id = $1 AND s.followed_id > 0 LIMIT 1 OFFSET %d", fewFollowed),
		newest:      newestComments(d),
		comments:    commentsPage,
		newsOfDays:  newsOfDays(d),
		timeline:    timeline(d),
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

// Load reads everything in one round trip. For a viewer who follows many it reads the events of the days once more in
// another one, by the statement that is made for them.
func (v Events) Load(ctx context.Context, q event.RelatedQuery) (related event.Related, err error) {
	err = v.s.Read(ctx, func(ctx context.Context) error {
		related = event.Related{
			Events: map[calendar.Date][]*event.Event{}, News: map[event.DayInCity][]news.Item{},
			Comments: map[event.ID][]event.Comment{}, CategoryNames: map[feed.CategoryID]string{},
			Members: map[user.ID]*user.Member{},
		}
		followsMany := false
		reads := v.s.onDates(v.s.hotReads.onDates, q, &related)
		if len(reads) > 0 {
			reads = append(reads, engine.Step{Statement: v.s.hotReads.followsMany, Args: []any{int64(q.Viewer)}, Row: func(engine.Scanner) error {
				followsMany = true
				return nil
			}})
		}
		atOnce := v.s.Dialect.KeysAtOnce()
		for days := range slices.Chunk(engine.Distinct(q.DaysInCities), atOnce) {
			reads = append(reads, v.s.newsAt(days, q, &related))
		}
		for ids := range slices.Chunk(engine.Distinct(q.CommentsFor), atOnce) {
			reads = append(reads, engine.Step{
				Statement: v.s.hotReads.newest, Args: []any{v.s.Dialect.Key(engine.Numbers(ids)), int64(q.Comments), int64(q.Viewer)},
				Row: v.s.relatedComments(&related),
			})
		}
		if len(q.Categories) > 0 {
			reads = append(reads, v.s.categoriesOf(q.Categories, func(c feed.Category) { related.CategoryNames[c.ID] = c.Name }))
		}
		if len(q.People) > 0 {
			reads = append(reads, v.s.membersOf(q.People, func(m user.Member) { addMember(related.Members, m) }))
		}
		if err := v.s.Dialect.Query(ctx, reads...); err != nil || !followsMany {
			return err
		}
		clear(related.Events)
		return v.s.Dialect.Query(ctx, v.s.onDates(v.s.hotReads.onDatesMany, q, &related)...)
	})
	return related, err
}

// onDates returns the reads of the events of the days by the statement.
func (s *Store) onDates(statement string, q event.RelatedQuery, into *event.Related) (reads []engine.Step) {
	read := s.relatedEvents(into)
	for dates := range slices.Chunk(engine.Distinct(q.Dates), s.Dialect.KeysAtOnce()) {
		reads = append(reads, engine.Step{Statement: statement, Args: []any{s.Dialect.Key(dates), int64(q.Viewer), int64(q.Events)}, Row: read})
	}
	return reads
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

// onDates returns the query for the published events of each day in $1 that the viewer
// $2 may see, at most $3 a day. It has a part for each relation to an author and each
// permission that the relation makes visible (event.VisibleStates). Separate indexes
// hold the public and the hidden events of a day, so no part reads events that the
// viewer may not see. ofContacts returns the part for contacts. LookUp makes the database start with the left side.
func onDates(d engine.Dialect, ofContacts func(engine.Dialect, event.Permission) string) string {
	var parts []string
	for _, permission := range permitted(subscription.Stranger) {
		parts = append(parts, openOn(permission))
	}
	for _, permission := range permitted(subscription.Self) {
		parts = append(parts, newestOn(permission, " AND e.author_id = $2"))
	}
	for _, permission := range permitted(subscription.Contact) {
		parts = append(parts, ofContacts(d, permission))
	}
	seen := "SELECT id FROM (" + strings.Join(parts, " UNION ALL ") + ") seen ORDER BY created DESC, id DESC LIMIT CAST($3 AS bigint)"
	return "SELECT c.name, " + storedColumns(d, withoutCounts) + ", " + memberFields + d.ForEach(seen, "date") +
		" " + d.LookUp("events e", "e.id = top.id") + " LEFT JOIN categories c ON c.id = e.category_id" + joinMember("e.author_id") +
		" ORDER BY w.place, e.created DESC, e.id DESC"
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

// openOn returns the query for the newest events of the day with the permission, which all may see, unless their author and the
// viewer are blocked.
func openOn(permission event.Permission) string {
	return unlessBlocked("$2", "e.author_id", func(condition string) string { return newestOn(permission, condition) })
}

// fewFollowed is how many people a viewer may follow for ofFewContacts.
const fewFollowed = 64

// ofFewContacts is ofContacts for a viewer who follows few. It looks for the events of each contact, so its cost grows with
// the people whom the viewer follows, and not with the events of the day. To set up the plan of ofContacts, which is five
// times as large, costs Postgres more than to run this one. The limit bounds the cost for other viewers. It leaves room for
// people whom the viewer follows until followsMany counts them.
func ofFewContacts(d engine.Dialect, permission event.Permission) string {
	followed := fmt.Sprintf("SELECT s.followed_id AS id FROM subscriptions s WHERE s.user_id = $2 AND s.followed_id > 0 LIMIT %d", 2*fewFollowed)
	return "SELECT id, created FROM (SELECT e.id, e.created FROM (" + followed + ") k " +
		d.LookUp("events e", ofDay(permission)+" AND "+newestOf(permission, "k.id")) +
		" WHERE (SELECT COUNT(*) FROM subscriptions back WHERE back.user_id = k.id AND back.followed_id = $2) > 0" +
		" ORDER BY e.created DESC, e.id DESC LIMIT CAST($3 AS bigint)) part"
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
	day, recent := ofDay(permission), atLeastAsNew(permitted(subscription.Stranger)[0])
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

// newsColumns are the columns that are read of news, after the ID.
var newsColumns = engine.Columns[imported.NewsRecord]{
	engine.Plain("site_name", func(n *imported.NewsRecord) *string { return &n.SiteName }),
	engine.Plain("site_logo", func(n *imported.NewsRecord) *string { return &n.SiteLogo }),
	engine.Plain("url", func(n *imported.NewsRecord) *string { return &n.URL }),
	engine.Plain("title", func(n *imported.NewsRecord) *string { return &n.Title }),
	engine.Day("released", func(n *imported.NewsRecord) *calendar.Date { return &n.Released }),
	engine.Plain("html", func(n *imported.NewsRecord) *string { return (*string)(&n.HTML) }),
	engine.Plain("category", func(n *imported.NewsRecord) *string { return &n.Category }),
	engine.Plain("city", func(n *imported.NewsRecord) *string { return &n.City }),
	engine.Plain("district", func(n *imported.NewsRecord) *string { return &n.District }),
	engine.Plain("province", func(n *imported.NewsRecord) *string { return &n.Province }),
	engine.Plain("country", func(n *imported.NewsRecord) *string { return &n.Country }),
}

// newsTable is the table of news, which imports find by their source.
var newsTable = engine.Table[imported.NewsRecord]{Name: "news", Keys: 1, Columns: append(engine.Columns[imported.NewsRecord]{
	engine.Plain("source", func(n *imported.NewsRecord) *string { return &n.Source }),
}, newsColumns...)}

// newsOfDays finds, for every spot, which is a day in $1 and a city in $2, the first $3
// news of its day, those from its own city first. Both parts read whole rows in the order of an index: to look them up
// once more costs more than the rows that are left over.
func newsOfDays(d engine.Dialect) string {
	some := func(own, where string) string {
		return "SELECT * FROM (SELECT n.id, " + newsColumns.Of("n") + ", " + own + " AS own FROM news n WHERE n.released = {1} AND " + where +
			" ORDER BY n.id LIMIT CAST($3 AS bigint)) part"
	}
	first := some("1", "n.city = {2} AND {2} <> ''") + " UNION ALL " + some("0", "(n.city <> {2} OR {2} = '')") +
		" ORDER BY own DESC, id LIMIT CAST($3 AS bigint)"
	return "SELECT w.place, top.id, " + newsColumns.Of("top") + d.ForEach(first, "date", "text") + " ORDER BY w.place, top.own DESC, top.id"
}
