package bunstore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

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
	eventPage  [2]string
	onDates    string
	newestOn   string // newestOnDates
	around     string // $1 users, $2 categories
	newest     string
	comments   string // commentsPage
	newsOfDays string // newsOfDays
	newsOfDay  string // $1 days, $2 limit
	timeline   string // $1 viewer, $2 published_at, $3 event, $4 limit
	commented  string // $1 author, $2 limit
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
		likings: "SELECT " + ties + ", e.id, e.author_id, e.status, e.permission, n.likes," +
			" (SELECT COUNT(*) FROM likes l WHERE l.event_id = e.id AND l.user_id = $2) > 0" +
			" FROM events e JOIN event_counts n ON n.event_id = e.id WHERE " + d.Among("e.id", "$1"),
		eventPage: [2]string{
			relationTo("$4", "$1") + "SELECT (SELECT count(*)" + within + "), " + columns + " FROM (SELECT e.id" + within,
			" LIMIT CAST($2 AS bigint) OFFSET CAST($3 AS bigint)) top JOIN events e ON e.id = top.id LEFT JOIN event_counts n ON n.event_id = e.id",
		},
		onDates:    onDates(d),
		newestOn:   newestOnDates(d),
		around:     around(d),
		newest:     newestComments(d),
		comments:   commentsPage,
		newsOfDays: newsOfDays(d),
		newsOfDay: "SELECT top.*" + d.ForEach("SELECT n.id, "+newsColumns.Of("n")+" FROM news n WHERE n.released = {1}"+
			" ORDER BY n.id LIMIT CAST($2 AS bigint)", "date") + " ORDER BY w.place, top.id",
		timeline: timeline(d),
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

// Load reads everything in one round trip, and in another one days of which the viewer may see few of the newest events.
func (v Events) Load(ctx context.Context, q event.RelatedQuery) (related event.Related, err error) {
	err = v.s.Read(ctx, func(ctx context.Context) error {
		related = event.Related{
			Events: map[calendar.Date][]*event.Event{}, News: map[event.DayInCity][]news.Item{},
			Comments: map[event.ID][]event.Comment{}, CategoryNames: map[feed.CategoryID]string{},
			Members: map[user.ID]*user.Member{},
		}
		var unfinished []calendar.Date
		var version int64
		kept, missing, unknown := v.s.news.find(q, &related)
		ofDays := map[calendar.Date][]news.Item{}
		reads := v.s.onDates(v.s.hotReads.newestOn, q.Dates, q, v.s.relatedEvents(&related, &version, &unfinished))
		if len(q.People) > 0 || len(q.Categories) > 0 {
			reads = append(reads, v.s.around(q, &related))
		}
		atOnce := v.s.Dialect.KeysAtOnce()
		reads = append(append(reads, v.s.newsAt(missing, q, &related)...), v.s.newsOn(unknown, ofDays)...)
		for ids := range slices.Chunk(engine.Distinct(q.CommentsFor), atOnce) {
			reads = append(reads, engine.Step{
				Statement: v.s.hotReads.newest, Args: []any{v.s.Dialect.Key(engine.Numbers(ids)), int64(q.Comments), int64(q.Viewer)},
				Row: v.s.relatedComments(&related),
			})
		}
		if err := v.s.Dialect.Query(ctx, reads...); err != nil {
			return err
		}
		for _, date := range unfinished {
			delete(related.Events, date)
		}
		reads = v.s.onDates(v.s.hotReads.onDates, unfinished, q, v.s.relatedEvents(&related, new(int64), nil))
		if kept != version && len(missing) < len(q.DaysInCities) {
			clear(related.News)
			reads = append(reads, v.s.newsAt(q.DaysInCities, q, &related)...)
		}
		if kept != version || len(unknown) > 0 {
			v.s.news.keep(version, unknown, ofDays)
		}
		if len(reads) == 0 {
			return nil
		}
		return v.s.Dialect.Query(ctx, reads...)
	})
	return related, err
}

// onDates returns the reads of the events of the days by the statement.
func (s *Store) onDates(statement string, of []calendar.Date, q event.RelatedQuery, read func(engine.Scanner) error) (reads []engine.Step) {
	for dates := range slices.Chunk(engine.Distinct(of), s.Dialect.KeysAtOnce()) {
		reads = append(reads, engine.Step{Statement: statement, Args: []any{s.Dialect.Key(dates), int64(q.Viewer), int64(q.Events)}, Row: read})
	}
	return reads
}

// around returns the query for the users $1 and the names of the categories $2. To ask for each by a statement of its own
// costs more than to find them.
func around(d engine.Dialect) string {
	return "SELECT k.category, k.name, " + memberFields + " FROM (SELECT id, 0 AS category, '' AS name FROM users WHERE " + d.Among("id", "$1") +
		" UNION ALL SELECT 0, id, name FROM categories WHERE " + d.Among("id", "$2") + ") k" + joinMember("k.id")
}

func (s *Store) around(q event.RelatedQuery, into *event.Related) engine.Step {
	var member user.Member
	var id feed.CategoryID
	var name string
	targets := append([]any{(*int64)(&id), &name}, memberTargets(&member, s.Dialect)...)
	args := []any{s.Dialect.ListOf(engine.Numbers(q.People)), s.Dialect.ListOf(engine.Numbers(q.Categories))}
	return engine.Step{Statement: s.hotReads.around, Args: args, Row: func(scan engine.Scanner) error {
		err := scan(targets...)
		if id != 0 {
			into.CategoryNames[id] = name
		}
		addMember(into.Members, member)
		return err
	}}
}

// relatedEvents returns the function that scans a row of onDates or newestOnDates, each with the version of the news. It adds
// days that have more events to unfinished.
func (s *Store) relatedEvents(into *event.Related, version *int64, unfinished *[]calendar.Date) func(engine.Scanner) error {
	var stored storedEvent
	var category string
	var author user.Member
	var hasMore bool
	targets := append(stored.targets(s.Dialect, version, &hasMore, engine.OrZeroText[string]{Into: &category}), memberTargets(&author, s.Dialect)...)
	return func(scan engine.Scanner) error {
		stored = storedEvent{} // no memory is shared with the next row
		if err := scan(targets...); err != nil {
			return err
		}
		if hasMore {
			*unfinished = append(*unfinished, stored.Date)
			return nil
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

// newsAt returns the reads of the news of the days in cities.
func (s *Store) newsAt(all []event.DayInCity, q event.RelatedQuery, into *event.Related) (reads []engine.Step) {
	for some := range slices.Chunk(engine.Distinct(all), s.Dialect.KeysAtOnce()) {
		days, cities := make([]calendar.Date, len(some)), make([]string, len(some))
		for i, key := range some {
			days[i], cities[i] = key.Date, key.City
		}
		args := []any{s.Dialect.Key(days), s.Dialect.Key(cities), int64(q.News)}
		reads = append(reads, engine.Step{Statement: s.hotReads.newsOfDays, Args: args, Row: func(scan engine.Scanner) error {
			var position int
			var n imported.NewsRecord
			err := scan(newsColumns.Targets(&n, s.Dialect, &position, &n.ID)...)
			if err != nil {
				return err
			}
			key := some[position-1]
			into.News[key] = append(into.News[key], n.Item)
			return nil
		}})
	}
	return reads
}

// newsOn returns the reads of the first news of each of the days, more than are kept of a day.
func (s *Store) newsOn(days []calendar.Date, into map[calendar.Date][]news.Item) (reads []engine.Step) {
	for some := range slices.Chunk(engine.Distinct(days), s.Dialect.KeysAtOnce()) {
		args := []any{s.Dialect.Key(some), maxNewsOfDay + 1}
		reads = append(reads, engine.Step{Statement: s.hotReads.newsOfDay, Args: args, Row: func(scan engine.Scanner) error {
			var n imported.NewsRecord
			err := scan(newsColumns.Targets(&n, s.Dialect, &n.ID)...)
			into[n.Released] = append(into[n.Released], n.Item)
			return err
		}})
	}
	return reads
}

// keptNews is the news of days that Load has read. All of it is of one version of the news, or newer. Every change of news raises
// the version (the table news_version), and Load reads it each time, so that no caller gets what is out of date. The zero value is
// empty.
type keptNews struct {
	mu      sync.Mutex
	version int64
	of      map[calendar.Date][]news.Item // nil: the day has too many
	size    int                           // in bytes, about
}

const (
	maxNewsOfDay = 32       // kept of a day; the database is asked for the news of a day with more
	maxKeptNews  = 12 << 20 // bytes; when there are more, all of it is dropped
)

// find adds what is kept of the query's news to the related data, and returns its version, the days in cities that the database has
// to be asked for, and those of their days that may be kept.
func (k *keptNews) find(q event.RelatedQuery, into *event.Related) (version int64, missing []event.DayInCity, unknown []calendar.Date) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, day := range q.DaysInCities {
		items, isKnown := k.of[day.Date]
		if !isKnown {
			unknown = append(unknown, day.Date)
		}
		if items == nil {
			missing = append(missing, day)
		} else if len(items) > 0 {
			into.News[day] = news.ForCity(items, day.City, q.News)
		}
	}
	return k.version, missing, unknown
}

// keep keeps the news of the days, which were read after the version was; zero: the version is not known.
func (k *keptNews) keep(version int64, days []calendar.Date, of map[calendar.Date][]news.Item) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if version == 0 {
		return
	}
	if version != k.version || k.size > maxKeptNews {
		k.version, k.of, k.size = version, map[calendar.Date][]news.Item{}, 0
	}
	for _, day := range days {
		items, size := of[day], 100
		for _, n := range items {
			size += 500 + len(n.Title) + len(n.URL) + len(n.HTML)
		}
		switch {
		case len(items) > maxNewsOfDay || size > maxKeptNews/16:
			items = nil
		case len(items) == 0:
			items = []news.Item{}
		}
		if k.of[day] = items; items != nil {
			k.size += size
		}
	}
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
