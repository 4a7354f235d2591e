package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"plaza/adapters/bunstore"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/user"
	"plaza/test/content"
)

// writers is how many add events at once.
const writers = 16

// crowd is a row of the table of writers. The bare insert has categories of its
// own: what it adds is counted nowhere.
type crowd struct {
	scenario
	store, bare func(writer int) feed.CategoryID
}

var crowds = []crowd{
	{
		scenario{name: "W", what: "16 writers add events to one category", goal: writeGoal},
		func(int) feed.CategoryID { return largest }, func(int) feed.CategoryID { return pinned + 2 },
	},
	{
		scenario{name: "W1", what: "W, each writer to a category of its own", goal: writeGoal},
		func(n int) feed.CategoryID { return feed.CategoryID(pinned + 1 + 2*n) },
		func(n int) feed.CategoryID { return feed.CategoryID(pinned + 2 + 2*n) },
	},
}

// inserter is the bare insert: the leanest transaction that stores the rows of an
// event, without any counter.
type inserter interface {
	insert(ctx context.Context, e event.State) (event.ID, error)
	close() error
}

// contest is a database that the store and the bare insert add events to.
type contest struct {
	store *bunstore.Store
	bare  inserter
	rows  *sql.DB // to look at what they leave behind
	users int
}

func openContest(ctx context.Context, url string, d *dataset) (c *contest, err error) {
	c = &contest{users: d.users}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	if c.rows, err = sql.Open("pgx", url); err != nil {
		return c, err
	}
	if c.bare, err = openBarePostgres(ctx, url); err != nil {
		return c, err
	}
	c.store, err = bunstore.Open(ctx, bunstore.Options{URL: url})
	return c, err
}

func (c *contest) close() (err error) {
	if c.store != nil {
		err = c.store.Close()
	}
	if c.bare != nil {
		err = errors.Join(err, c.bare.close())
	}
	if c.rows != nil {
		err = errors.Join(err, c.rows.Close())
	}
	return err
}

// draft is a new public, published event of a user.
func (c *contest) draft(in feed.CategoryID) (*event.Event, error) {
	r, now := roll("drafts", int(serials.Add(1))), time.Now()
	title, text, html := r.text(40), r.text(200), "<p>"+pick(r, words[:20])+"</p>"
	draft := event.Change{
		Title: &title, Content: &text, HTML: &html, Category: &in, Permission: new(event.Public), Publish: new(true),
	}
	return event.New(user.ID(r.n(c.users)+1), draft.Sanitised(content.AsSent{}), calendar.DateOf(now), now)
}

// adder is a contender that adds events, and keeps the count of those that were
// acknowledged.
type adder struct {
	add   func(context.Context, *event.Event) error
	to    func(writer int) feed.CategoryID
	added [writers]int
}

func (c *contest) storing(to func(int) feed.CategoryID) *adder {
	return &adder{to: to, add: func(ctx context.Context, e *event.Event) error {
		_, err := c.store.Events().Add(ctx, e)
		return err
	}}
}

func (c *contest) inserting(to func(int) feed.CategoryID) *adder {
	return &adder{to: to, add: func(ctx context.Context, e *event.Event) error {
		_, err := c.bare.insert(ctx, e.State())
		return err
	}}
}

// measured makes a contender of the adder.
func (a *adder) measured(name string, c *contest) contender {
	return contender{name, func(ctx context.Context, l load) (measurement, error) {
		l.connections = writers
		return l.together(ctx, func(n int, repeat func(func() error) error) error {
			return repeat(func() error {
				e, err := c.draft(a.to(n))
				if err != nil {
					return err
				}
				if err := a.add(ctx, e); err != nil {
					return err
				}
				a.added[n]++
				return nil
			})
		})
	}}
}

// acknowledged is how many events the adder has added to each category.
func (a *adder) acknowledged() map[feed.CategoryID]int {
	sums := map[feed.CategoryID]int{}
	for n, added := range a.added {
		sums[a.to(n)] += added
	}
	return sums
}

// benchWriters measures the rows that are wanted, and returns how many events of the
// store's were found to be counted.
func benchWriters(ctx context.Context, s benchedStore, d *dataset, r rounds) (rows []row, counted int, err error) {
	c, err := openContest(ctx, s.full, d)
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	r.tidy = s.tidy
	return c.holdAll(ctx, s.name, r)
}

// holdAll begins once the bare insert has shown that it does no less.
func (c *contest) holdAll(ctx context.Context, name string, r rounds) (rows []row, counted int, err error) {
	if err := c.compareRows(ctx); err != nil {
		return nil, 0, err
	}
	for _, w := range crowds {
		if !wanted(w.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "%s, %s: %s\n", name, w.name, w.what)
		o, added, err := c.hold(ctx, w, r)
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", w.name, err)
		}
		rows, counted = append(rows, row{scenario: w.scenario, outcome: o}), counted+added
	}
	return rows, counted, nil
}

// hold has the crowd write, in turns through the store and without it, and fails
// unless all that was acknowledged is there and exactly what the store added is
// counted.
func (c *contest) hold(ctx context.Context, w crowd, r rounds) (o outcome, counted int, err error) {
	before, err := c.tally(ctx)
	if err != nil {
		return o, 0, err
	}
	bare, store := c.inserting(w.bare), c.storing(w.store)
	if o, err = r.duel(ctx, bare.measured("bare", c), store.measured("store", c)); err != nil {
		return o, 0, err
	}
	after, err := c.tally(ctx)
	if err != nil {
		return o, 0, err
	}
	for _, added := range store.added {
		counted += added
	}
	return o, counted, compareTallies(before, after, store.acknowledged(), bare.acknowledged())
}

// tally is how many events each category has: as the store's feed says, and as
// rows.
type tally struct{ counted, listed map[feed.CategoryID]int }

func (c *contest) tally(ctx context.Context) (tally, error) {
	t := tally{counted: map[feed.CategoryID]int{}, listed: map[feed.CategoryID]int{}}
	_, metas, err := c.store.Feed().Metas(ctx, feed.Selection{Kinds: []feed.Kind{feed.Event}})
	if err != nil {
		return t, err
	}
	for category, meta := range metas {
		t.counted[category] = meta.Count
	}
	rows, err := c.rows.QueryContext(ctx, "SELECT category_id, COUNT(*) FROM feed_listings WHERE kind = 'xfile' GROUP BY category_id")
	if err != nil {
		return t, err
	}
	defer rows.Close()
	for rows.Next() {
		var category feed.CategoryID
		var count int
		if err := rows.Scan(&category, &count); err != nil {
			return t, err
		}
		t.listed[category] = count
	}
	return t, rows.Err()
}

var errMiscounted = errors.New("what was added is not what is there")

// compareTallies fails unless the store has counted what it acknowledged, and
// nothing else, and everything that was acknowledged is listed.
func compareTallies(before, after tally, stored, inserted map[feed.CategoryID]int) error {
	for in := range feed.CategoryID(categories + 1) {
		counted, listed := after.counted[in]-before.counted[in], after.listed[in]-before.listed[in]
		if counted != stored[in] || listed != stored[in]+inserted[in] {
			return fmt.Errorf("%w: in category %d, %d events were acknowledged by the store and %d by the bare insert, but %d are counted and %d "+
				"listed",
				errMiscounted, in, stored[in], inserted[in], counted, listed)
		}
	}
	return nil
}

// compareRows fails unless the bare insert leaves just the rows that the store
// leaves of the same event.
func (c *contest) compareRows(ctx context.Context) error {
	e, err := c.draft(crowds[0].bare(0))
	if err != nil {
		return err
	}
	stored, err := c.store.Events().Add(ctx, e)
	if err != nil {
		return err
	}
	inserted, err := c.bare.insert(ctx, e.State())
	if err != nil {
		return err
	}
	want, err := c.rowsOf(ctx, stored.ID())
	if err != nil {
		return err
	}
	got, err := c.rowsOf(ctx, inserted)
	if err != nil {
		return err
	}
	if !slices.Equal(want, got) {
		return fmt.Errorf("%w: the bare insert leaves %v, the store %v", errUnlike, got, want)
	}
	return nil
}

// rowsOf are all columns of what is stored of an event, but its number.
func (c *contest) rowsOf(ctx context.Context, id event.ID) ([]string, error) {
	rows, err := c.rows.QueryContext(ctx, `SELECT e.*, n.*, l.* FROM events e JOIN event_counts n ON n.event_id = e.id
		JOIN feed_listings l ON l.kind = 'xfile' AND l.id = e.id WHERE e.id = $1`, int64(id))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	if !rows.Next() {
		return nil, errors.Join(fmt.Errorf("event %d is not stored whole", id), rows.Err())
	}
	values := make([]any, len(names))
	for i := range values {
		values[i] = new(any)
	}
	if err := rows.Scan(values...); err != nil {
		return nil, err
	}
	var all []string
	for i, name := range names {
		if name != "id" && name != "event_id" {
			all = append(all, fmt.Sprintf("%s=%v", name, *values[i].(*any)))
		}
	}
	return all, rows.Err()
}
