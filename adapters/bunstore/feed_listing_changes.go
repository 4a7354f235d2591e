package bunstore

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"plaza/domain/feed"
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
	created, updated dbTime // latest of the added listings; zero if none was added
	lost             bool   // a removed listing may have been the latest
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
	if kind == feed.Xfile {
		return
	}
	if b.totals == nil {
		b.totals = map[feed.Kind]int64{}
	}
	b.totals[kind] += more
}

func later(a dbTime, b time.Time) dbTime {
	if b.After(a.Time) {
		return dbTime{b}
	}
	return a
}

// listingSteps are the statements that write listings, counters and totals.
type listingSteps struct {
	d       dialect
	lock    string // $1 category, $2 kind; empty where there is one writer at a time
	count   string // $1 category, $2 kind, $3 change of the count, $4 and $5 latest instants of the added
	counts  string // the same with a list for each; empty where that is not faster
	recount string // $1 category, $2 kind
	upsert  string // the columns of listingTable; a zero ID is the event that was just inserted
	first   string // the same for a new listing, and counts it; empty where that takes two statements
	update  string // $1 kind, $2 id, $3 updated
	remove  string // $1 kind, $2 id
	total   string // $1 kind, $2 change of the count, $3 now
}

func newListingSteps(d dialect) listingSteps {
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
	insert := "INSERT INTO feed_listings (" + listingTable.list() + ") "
	row := strings.Replace(listingTable.parameters(1), "$2", "COALESCE($2, "+d.newest("events")+")", 1)
	s := listingSteps{
		d:     d,
		count: columns + d.values("$1, $2, "+d.shard()+", $3, $4, $5, 1") + onConflict,
		recount: "WITH m AS (SELECT " + latest("created") + ", " + latest("updated") + `)
			UPDATE feed_counters AS k SET ` + atMost("created") + ", " + atMost("updated") + ` FROM m
			WHERE k.category_id = $1 AND k.kind = $2 AND (m.created IS NULL OR k.created > m.created OR k.updated > m.updated)` + d.unlessMissed(),
		upsert: insert + d.values(row) + `
			ON CONFLICT (kind, id) DO UPDATE SET category_id = EXCLUDED.category_id, created = EXCLUDED.created,
			updated = EXCLUDED.updated, lat = EXCLUDED.lat, lng = EXCLUDED.lng`,
		// SQLite writes every index that contains an assigned column.
		update: `UPDATE feed_listings SET updated = $3 WHERE kind = CAST($1 AS text) AND id = $2` + d.unlessMissed(),
		remove: `DELETE FROM feed_listings WHERE kind = CAST($1 AS text) AND id = $2` + d.unlessMissed(),
		// Versions follow the clock, so that none is used again after rows were lost or
		// a backup was restored.
		total: `INSERT INTO feed_totals AS t (kind, shard, count, version) ` + d.values("$1, "+d.shard()+", $2, $3") + `
			ON CONFLICT (kind, shard) DO UPDATE SET count = t.count + EXCLUDED.count,
			version = CASE WHEN t.version < EXCLUDED.version THEN EXCLUDED.version ELSE t.version + 1 END`,
	}
	if lists := d.unnest("bigint", "text", "bigint", "timestamptz", "timestamptz"); lists != "" {
		s.counts = columns + "SELECT n.c1, n.c2, " + d.shard() + ", n.c3, n.c4, n.c5, 1 FROM " + lists + " WHERE TRUE" + d.unlessMissed() + onConflict
	}
	if lock := d.forUpdate(); lock != "" { // and where a statement may write within another
		// The listing is inserted first, so that the counter is locked more briefly.
		s.first = "WITH counted AS (" + columns + d.values("$3, $1, "+d.shard()+", 1, $4, $5, 1") + onConflict + `)
			` + insert + d.values(row)
		s.lock = "SELECT shard FROM feed_counters WHERE category_id = $1 AND kind = $2" + d.unlessMissed() + " ORDER BY shard " + lock
	}
	return s
}

// stepsFor returns the steps that write the changes.
func (s listingSteps) stepsFor(b listingChanges) []step {
	inOrder := slices.SortedFunc(maps.Keys(b.counters), counterKey.compare)
	isLost := func(of counterKey) bool { return b.counters[of].lost }
	listings := make([]step, len(b.listings), len(b.listings)+2*len(b.counters)+len(b.totals))
	for i, change := range b.listings {
		listings[i] = s.put(change)
	}
	lost := slices.ContainsFunc(inOrder, isLost)
	steps := s.countsOf(b, inOrder, lost)
	if lost {
		// All shards are locked before the latest of the remaining listings is looked
		// up: concurrent changes are then either committed or not yet counted.
		steps = append(steps, listings...)
	} else {
		steps = append(listings, steps...)
	}
	for _, of := range inOrder {
		if isLost(of) {
			steps = append(steps, step{statement: s.recount, args: []any{int64(of.category), string(of.kind)}})
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(b.totals)) {
		steps = append(steps, step{statement: s.total, args: []any{string(kind), b.totals[kind], time.Now().UnixMicro()}})
	}
	return steps
}

// manyCounters or more are faster in one statement.
const manyCounters = 8

func (s listingSteps) countsOf(b listingChanges, inOrder []counterKey, lost bool) []step {
	if !lost && s.counts != "" && len(inOrder) >= manyCounters {
		return []step{s.countAll(b, inOrder)}
	}
	steps := make([]step, 0, 2*len(inOrder))
	for _, of := range inOrder {
		c := b.counters[of]
		args := []any{int64(of.category), string(of.kind)}
		if c.lost && s.lock != "" {
			steps = append(steps, step{statement: s.lock, args: args})
		}
		steps = append(steps, step{statement: s.count, args: append(slices.Clip(args), c.more, s.d.instant(c.created), s.d.instant(c.updated))})
	}
	return steps
}

// countAll needs no lock first: it writes the counters in order.
func (s listingSteps) countAll(b listingChanges, inOrder []counterKey) step {
	var in, more []int64
	var kinds []string
	var created, updated []*time.Time
	for _, of := range inOrder {
		c := b.counters[of]
		in, kinds, more = append(in, int64(of.category)), append(kinds, string(of.kind)), append(more, c.more)
		created, updated = append(created, c.created.orNil()), append(updated, c.updated.orNil())
	}
	return step{statement: s.counts, args: []any{in, kinds, more, created, updated}}
}

// put writes the listing and leaves the counters alone.
func (s listingSteps) put(b listingChange) step {
	next := b.next
	switch {
	case next == nil:
		return step{statement: s.remove, args: []any{string(b.at.kind), b.at.id}}
	case b.isUpdate():
		return step{statement: s.update, args: []any{string(b.at.kind), b.at.id, s.d.instant(dbTime{next.Updated})}}
	}
	return step{statement: s.upsert, args: listingTable.values(next, s.d)}
}

// stepsForNew returns the steps for a new listing of a kind without totals.
func (s listingSteps) stepsForNew(l *feed.Listing) []step {
	if s.first == "" {
		var b listingChanges
		b.replace(item{l.Kind, l.ID}, nil, l)
		return s.stepsFor(b)
	}
	return []step{{statement: s.first, args: listingTable.values(l, s.d)}}
}
