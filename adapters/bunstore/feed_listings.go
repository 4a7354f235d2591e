package bunstore

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/publication"
)

// categories is the kind of the category tree in the totals. It has no listings.
const categories feed.Kind = "category"

// listingChanges collects the changes of a transaction to listings, counters and totals
// of the feed. They are written at its end, so that shared counter rows are locked as
// briefly as possible: first the counters, ordered by category and kind, then the
// totals, ordered by kind. The fixed order prevents deadlocks.
type listingChanges struct {
	listings []listingChange
	counters map[counterKey]*counterDelta
	totals   map[feed.Kind]int64 // the change of the count; zero for a kind that only changed
}

// listingChange is a change of one listing; nil means no listing.
type listingChange struct {
	at        item
	old, next *feed.Listing
}

// isUpdate reports whether only Updated has changed.
func (b listingChange) isUpdate() bool {
	if b.old == nil || b.next == nil {
		return false
	}
	was := *b.old
	was.Updated = b.next.Updated
	return isSame(&was, b.next)
}

// counterKey identifies a counter.
type counterKey struct {
	category feed.CategoryID
	kind     feed.Kind
}

func (a counterKey) compare(b counterKey) int {
	return cmp.Or(cmp.Compare(a.category, b.category), cmp.Compare(a.kind, b.kind))
}

// counterDelta is a change of a counter.
type counterDelta struct {
	more             int64
	created, updated time.Time // latest of the added listings; zero if none was added
	lost             bool      // a removed listing may have been the latest
}

// replace replaces the old listing by the next one; nil means no listing.
func (b *listingChanges) replace(at item, old, next *feed.Listing) {
	if old == nil && next == nil {
		return
	}
	b.listings = append(b.listings, listingChange{at, old, next})
	if next != nil {
		b.add(next)
	}
	if old != nil {
		c := b.counter(counterKey{old.Category, at.kind})
		c.more--
		made := next != nil && next.Category == old.Category // correct unless it is earlier
		c.lost = c.lost || !made || next.Created.Before(old.Created) || next.Updated.Before(old.Updated)
		b.total(at.kind, -1)
	}
}

// add counts a new listing.
func (b *listingChanges) add(l *feed.Listing) {
	c := b.counter(counterKey{l.Category, l.Kind})
	c.more++
	c.created, c.updated = later(c.created, l.Created), later(c.updated, l.Updated)
	b.total(l.Kind, 1)
}

func (b *listingChanges) counter(of counterKey) *counterDelta {
	if b.counters == nil {
		b.counters = map[counterKey]*counterDelta{}
	}
	if b.counters[of] == nil {
		b.counters[of] = &counterDelta{}
	}
	return b.counters[of]
}

// total records that the kind has changed, and the change of its count. Events have no
// totals, because no page lists them.
func (b *listingChanges) total(kind feed.Kind, more int64) {
	if kind == feed.Event {
		return
	}
	if b.totals == nil {
		b.totals = map[feed.Kind]int64{}
	}
	b.totals[kind] += more
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// listingSteps are the statements that write listings, counters and totals.
type listingSteps struct {
	d       engine.Dialect
	lock    string // $1 category, $2 kind; empty where there is one writer at a time
	count   string // $1 category, $2 kind, $3 change of the count, $4 and $5 latest instants of the added
	recount string // $1 category, $2 kind
	upsert  string // the columns of listingTable
	update  string // $1 kind, $2 id, $3 updated
	remove  string // $1 kind, $2 id
	total   string // $1 kind, $2 change of the count, $3 now
}

func newListingSteps(d engine.Dialect) listingSteps {
	came := func(column string) string {
		return column + " = CASE WHEN EXCLUDED." + column + " IS NULL OR k." + column + " >= EXCLUDED." + column +
			" THEN k." + column + " ELSE EXCLUDED." + column + " END"
	}
	latest := func(column string) string {
		return "(SELECT l." + column + " FROM feed_listings l WHERE l.category_id = $1 AND l.kind = CAST($2 AS text) ORDER BY l." + column +
			" DESC LIMIT 1) AS " + column
	}
	atMost := func(column string) string {
		return column + " = CASE WHEN k." + column + " <= m." + column + " THEN k." + column + " ELSE m." + column + " END"
	}
	const columns = "INSERT INTO feed_counters AS k (category_id, kind, shard, count, created, updated, version) "
	onConflict := " ON CONFLICT (category_id, kind, shard) DO UPDATE SET count = k.count + EXCLUDED.count, version = k.version + 1, " +
		came("created") + ", " + came("updated")
	insert := "INSERT INTO feed_listings (" + listingTable.List() + ") "
	s := listingSteps{
		d:     d,
		count: columns + "VALUES ($1, $2, " + d.Shard() + ", $3, $4, $5, 1)" + onConflict,
		recount: "WITH m AS (SELECT " + latest("created") + ", " + latest("updated") + `)
			UPDATE feed_counters AS k SET ` + atMost("created") + ", " + atMost("updated") + ` FROM m
			WHERE k.category_id = $1 AND k.kind = $2 AND (m.created IS NULL OR k.created > m.created OR k.updated > m.updated)`,
		upsert: insert + "VALUES (" + listingTable.Parameters(1) + ")" + `
			ON CONFLICT (kind, id) DO UPDATE SET category_id = EXCLUDED.category_id, created = EXCLUDED.created,
			updated = EXCLUDED.updated, lat = EXCLUDED.lat, lng = EXCLUDED.lng`,
		// SQLite writes every index that contains an assigned column.
		update: `UPDATE feed_listings SET updated = $3 WHERE kind = CAST($1 AS text) AND id = $2`,
		remove: `DELETE FROM feed_listings WHERE kind = CAST($1 AS text) AND id = $2`,
		// Versions follow the clock, so that none is used again after rows were lost or
		// a backup was restored.
		total: `INSERT INTO feed_totals AS t (kind, shard, count, version) ` + "VALUES ($1, " + d.Shard() + ", $2, $3)" + `
			ON CONFLICT (kind, shard) DO UPDATE SET count = t.count + EXCLUDED.count,
			version = CASE WHEN t.version < EXCLUDED.version THEN EXCLUDED.version ELSE t.version + 1 END`,
	}
	if lock := d.ForUpdate(); lock != "" {
		s.lock = "SELECT shard FROM feed_counters WHERE category_id = $1 AND kind = $2 ORDER BY shard " + lock
	}
	return s
}

// stepsFor returns the steps that write the changes.
func (s listingSteps) stepsFor(b listingChanges) []engine.Step {
	inOrder := slices.SortedFunc(maps.Keys(b.counters), counterKey.compare)
	isLost := func(of counterKey) bool { return b.counters[of].lost }
	listings := make([]engine.Step, len(b.listings), len(b.listings)+2*len(b.counters)+len(b.totals))
	for i, change := range b.listings {
		listings[i] = s.put(change)
	}
	steps := s.countsOf(b, inOrder)
	if slices.ContainsFunc(inOrder, isLost) {
		// All shards are locked before the latest of the remaining listings is looked
		// up: concurrent changes are then either committed or not yet counted.
		steps = append(steps, listings...)
	} else {
		steps = append(listings, steps...)
	}
	for _, of := range inOrder {
		if isLost(of) {
			steps = append(steps, engine.Step{Statement: s.recount, Args: []any{int64(of.category), string(of.kind)}})
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(b.totals)) {
		steps = append(steps, engine.Step{Statement: s.total, Args: []any{string(kind), b.totals[kind], time.Now().UnixMicro()}})
	}
	return steps
}

func (s listingSteps) countsOf(b listingChanges, inOrder []counterKey) []engine.Step {
	steps := make([]engine.Step, 0, 2*len(inOrder))
	for _, of := range inOrder {
		c := b.counters[of]
		args := []any{int64(of.category), string(of.kind)}
		if c.lost {
			steps = append(steps, lockStep(s.lock, args...)...)
		}
		args = append(slices.Clip(args), c.more, s.d.Instant(c.created), s.d.Instant(c.updated))
		steps = append(steps, engine.Step{Statement: s.count, Args: args})
	}
	return steps
}

// put writes the listing and leaves the counters alone.
func (s listingSteps) put(b listingChange) engine.Step {
	next := b.next
	switch {
	case next == nil:
		return engine.Step{Statement: s.remove, Args: []any{string(b.at.kind), b.at.id}}
	case b.isUpdate():
		return engine.Step{Statement: s.update, Args: []any{string(b.at.kind), b.at.id, s.d.Instant(next.Updated)}}
	}
	return engine.Step{Statement: s.upsert, Args: listingTable.Values(next, s.d)}
}

// item identifies a record that can be listed.
type item struct {
	kind feed.Kind
	id   int64
}

// listingTable is the table of listings. There, uncategorised items have category 0, not
// NULL.
var listingTable = engine.Table[feed.Listing]{Name: "feed_listings", Keys: 2, Columns: append(engine.Columns[feed.Listing]{
	engine.Plain("kind", func(l *feed.Listing) *string { return (*string)(&l.Kind) }),
	engine.Optional("id", func(l *feed.Listing) *int64 { return &l.ID }),
	engine.Plain("category_id", func(l *feed.Listing) *int64 { return (*int64)(&l.Category) }),
	engine.Instant("created", func(l *feed.Listing) *time.Time { return &l.Created }),
	engine.Instant("updated", func(l *feed.Listing) *time.Time { return &l.Updated }),
}, engine.Point(func(l *feed.Listing) **geo.Point { return &l.Point })...)}

// listed returns the listing of the record, or nil if it is not listed.
func listed(record feed.Listable) *feed.Listing {
	l, is := record.Listing()
	if !is {
		return nil
	}
	return &l
}

// isSame reports whether both are the same listing, or nil.
func isSame(a, b *feed.Listing) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Kind == b.Kind && a.ID == b.ID && a.Category == b.Category && a.Created.Equal(b.Created) && a.Updated.Equal(b.Updated) &&
		(a.Point == nil && b.Point == nil || a.Point != nil && b.Point != nil && *a.Point == *b.Point)
}

// origins is the kind under which origin publications are listed a second time, so that
// their pages and their total cost the same as any others. No feed shows it.
const origins feed.Kind = "origin"

// origin is a publication that may be an origin, with the visibility of its original.
type origin struct {
	publication.Publication
	originalVisible bool
}

func (o origin) Listing() (feed.Listing, bool) {
	l, listed := o.Publication.Listing()
	l.Kind = origins
	return l, listed && o.IsOrigin(o.originalVisible)
}
