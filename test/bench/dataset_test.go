package bench

import (
	"fmt"
	"iter"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// epoch is when the dataset ends. It lies in the past, so that everything a server
// writes comes after it, and no user of the dataset is online.
var epoch = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

const history = 2 * 365 * 24 * time.Hour

// Sizes that do not grow with the scale.
const (
	categories    = 200
	eventsEach    = 5
	newsPerDay    = 12
	maxTokens     = 2000
	pinnedListing = 1000 // publications in the category of the table of sizes
)

// Categories with a part of their own.
const (
	uncategorised = 0 // what has no category
	largest       = 1 // a tenth of everything
	pinned        = 2 // pinnedListing publications, however many there are in all
)

// dataset is how much there is of everything. All rows follow from it.
type dataset struct {
	users, publications, nodes, demands, images, events, days int

	shelves map[string]shelving
	sent    sync.Map // *atomic.Int64 by scenario: how many of its requests were made that are sent only once
}

// next returns the next request of a scenario whose requests are sent only once.
func (d *dataset) next(sc scenario) request {
	sent, _ := d.sent.LoadOrStore(sc.name, new(atomic.Int64))
	return sc.request(d, int(sent.(*atomic.Int64).Add(1)-1))
}

// newDataset returns the dataset at the scale; 1 is the whole one.
func newDataset(scale float64) *dataset {
	of := func(full int) int { return max(10, int(scale*float64(full))) }
	return sized(of(200_000), of(1_000_000), of(500_000), of(1_000_000))
}

// tiny is the scale of tests.
const tiny = 0.0005

// thousand has a thousand things in its feed.
func thousand() *dataset { return sized(200, 660, 330, 1000) }

func sized(users, publications, demands, images int) *dataset {
	d := &dataset{
		users: users, publications: publications, nodes: publications / 100, demands: demands,
		images: images, events: users * eventsEach,
	}
	d.days = min(max(10, d.events/100), int(history/(24*time.Hour)))
	d.shelves = map[string]shelving{
		"publication": shelve(d.publications), "node": shelve(d.nodes), "demand": shelve(d.demands), "xfile": shelve(d.events),
	}
	return d
}

func (d *dataset) tokens() int { return min(d.users, maxTokens) }

// table is the rows of a table in the order of its columns.
type table struct {
	name    string
	columns string
	numbers bool // the database gives the ids of later rows
	rows    iter.Seq[[]any]
}

// day is a day in a column.
type day struct{ time.Time }

func (d day) String() string { return d.Format(time.DateOnly) }

// tables are all tables with rows, those first that others refer to.
func (d *dataset) tables() []table {
	return []table{
		{"users", "id, phone, password_hash, scopes, disabled, generation, firstname, lastname, expertise, location, timezone, joined",
			true, counted(d.users, d.user)},
		{"name_prefixes", "prefix, user_id", false, d.prefixes()},
		{"presence", "user_id, seen", false, d.presence()},
		{"tokens", "id, hash, user_id, scopes, generation, ttl, created, narrowed", true, counted(d.tokens(), d.token)},
		{"categories", "id, parent_id, name, slug", false, counted(categories, d.category)},
		{"subscriptions", "id, user_id, followed_id, category_id, created, updated", true, d.subscriptions()},
		{"events", "id, author_id, day, title, content, html, category_id, permission, status, province, city, district, created, modified, " +
			"published_at", true, counted(d.events, d.eventRow)},
		{"plates", "id, event_id, photo, width, height, created", true, d.plates()},
		{"comments", "id, event_id, author_id, content, created", true, d.comments()},
		{"likes", "event_id, user_id", false, d.likes()},
		{"news", "id, site_name, site_logo, url, title, released, html, category, city, district, province, country", true,
			counted(d.days*newsPerDay, d.news)},
		{"publications", "id, bundle_id, first_original_id, original_id, node_id, type, title, summary, cover, author_id, language, " +
			"category_id, published, deleted, created, updated", false, counted(d.publications, d.publicationRow)},
		{"nodes", "id, bundle_id, title, summary, cover, author_id, language, category_id, published, deleted, created, updated", false,
			counted(d.nodes, d.nodeRow)},
		{"demands", "id, title, description, tags, cover, images, author_id, address, category_id, lat, lng, closed, starts, ends, published, " +
			"deleted, created, updated", false, counted(d.demands, d.demandRow)},
		{"images", "id, owner_id, key, width, height, tags, created, deleted", true, counted(d.images, d.imageRow)},
		{"orders", "id, user_id, subject, amount, currency, state, created, expires, next_check", true, counted(d.orders(), d.order)},
	}
}

// counted makes the rows 0 to n-1.
func counted(n int, row func(i int) []any) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for i := range n {
			if !yield(row(i)) {
				return
			}
		}
	}
}

// orNone is nil for zero.
func orNone(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

// orNever is nil for the zero time.
func orNever(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at
}

// shelving puts things into categories, unevenly, and each category's things
// throughout all the others.
type shelving struct {
	starts [categories + 2]int // where each category begins in a row of all things
}

// stride is a prime: steps of so many lead to each of a number of things, unless it is a multiple.
const stride = 7919

// shelve gives every category its part of the total.
func shelve(total int) shelving {
	var counts [categories + 1]int
	counts[uncategorised], counts[largest], counts[pinned] = total/500, total/10, min(pinnedListing, total/20)
	left := total - counts[uncategorised] - counts[largest] - counts[pinned]
	weight := func(c int) float64 { return 1 / float64(c+20) }
	var sum float64
	for c := pinned + 1; c <= categories; c++ {
		sum += weight(c)
	}
	given := 0
	for c := pinned + 1; c <= categories; c++ {
		counts[c] = int(float64(left) * weight(c) / sum)
		given += counts[c]
	}
	counts[pinned+1] += left - given
	if total > 0 && total%stride == 0 {
		panic(fmt.Sprintf("%d things are a multiple of %d: choose another scale", total, stride))
	}
	var s shelving
	for c, n := range counts {
		s.starts[c+1] = s.starts[c] + n
	}
	return s
}

func (s shelving) total() int { return s.starts[categories+1] }

// of is the category of a thing; zero is none.
func (s shelving) of(i int) int64 { return s.at(i * stride % s.total()) }

// at is the category that has the place in the row of all things. Drawn by chance,
// a category comes as often as it has things.
func (s shelving) at(place int) int64 {
	return int64(sort.Search(categories, func(c int) bool { return s.starts[c+1] > place }))
}

func (s shelving) count(category int) int { return s.starts[category+1] - s.starts[category] }
