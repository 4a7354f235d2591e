package feed

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/publication"
)

// CategoryTree is the kind of the category tree in the totals. It has no listings.
const CategoryTree feed.Kind = "category"

// ListingChanges collects the changes of a transaction to listings, counters and totals
// of the feed. They are written at its end, wherever WriteListings is called, so that shared counter rows are locked last and as
// briefly as possible: first the counters, ordered by category and kind, then the
// totals, ordered by kind. The fixed order prevents deadlocks.
type ListingChanges struct {
	listings []listingChange
	counters map[CounterKey]*counterDelta
	totals   map[feed.Kind]int64 // the change of the count; zero for a kind that only changed
}

// listingChange is a change of one listing; nil means no listing.
type listingChange struct{ old, next *feed.Listing }

// isUpdate reports whether only Updated has changed.
func (b listingChange) isUpdate() bool {
	if b.old == nil || b.next == nil {
		return false
	}
	was := *b.old
	was.Updated = b.next.Updated
	return IsSame(&was, b.next)
}

// CounterKey identifies a counter.
type CounterKey struct {
	Category feed.CategoryID
	Kind     feed.Kind
}

// counterDelta is a change of a counter.
type counterDelta struct {
	more             int64
	created, updated time.Time // latest of the added listings; zero if none was added
	lost             bool      // a removed listing may have been the latest
}

// Replace replaces the old listing by the next one; nil means no listing.
func (b *ListingChanges) Replace(old, next *feed.Listing) {
	if old == nil && next == nil {
		return
	}
	b.listings = append(b.listings, listingChange{old, next})
	if next != nil {
		b.add(next)
	}
	if old != nil {
		c := b.counter(CounterKey{old.Category, old.Kind})
		c.more--
		made := next != nil && next.Category == old.Category // correct unless it is earlier
		c.lost = c.lost || !made || next.Created.Before(old.Created) || next.Updated.Before(old.Updated)
		b.Total(old.Kind, -1)
	}
}

// add counts a new listing.
func (b *ListingChanges) add(l *feed.Listing) {
	c := b.counter(CounterKey{l.Category, l.Kind})
	c.more++
	c.created = slices.MaxFunc([]time.Time{c.created, l.Created}, time.Time.Compare)
	c.updated = slices.MaxFunc([]time.Time{c.updated, l.Updated}, time.Time.Compare)
	b.Total(l.Kind, 1)
}

func (b *ListingChanges) counter(of CounterKey) *counterDelta {
	if b.counters == nil {
		b.counters = map[CounterKey]*counterDelta{}
	}
	if b.counters[of] == nil {
		b.counters[of] = &counterDelta{}
	}
	return b.counters[of]
}

// Total records that the kind has changed, and the change of its count. Events have no
// totals, because no page lists them.
func (b *ListingChanges) Total(kind feed.Kind, more int64) {
	if kind == feed.Event {
		return
	}
	if b.totals == nil {
		b.totals = map[feed.Kind]int64{}
	}
	b.totals[kind] += more
}

// countListings counts $3 more listings of the kind $2 in the category $1, the latest of them created at $4 and updated at $5.
// The shard depends on the connection, whose transactions run one after the other.
var countListings = engine.Both(`
	INSERT INTO feed_counters AS k (category_id, kind, shard, count, created, updated)
	VALUES ($1, $2, pg_backend_pid() % 16, $3, $4, $5)
	ON CONFLICT (category_id, kind, shard) DO UPDATE SET count = k.count + EXCLUDED.count,
		created = CASE WHEN k.created > EXCLUDED.created THEN k.created ELSE COALESCE(EXCLUDED.created, k.created) END,
		updated = CASE WHEN k.updated > EXCLUDED.updated THEN k.updated ELSE COALESCE(EXCLUDED.updated, k.updated) END`)

// countTotal counts $2 more listings of the kind $1, which has changed at $3. Versions follow the clock, so that none is
// used again after rows were lost or a backup was restored.
var countTotal = engine.Both(`
	INSERT INTO feed_totals AS t (kind, shard, count, version) VALUES ($1, pg_backend_pid() % 16, $2, $3)
	ON CONFLICT (kind, shard) DO UPDATE SET count = t.count + EXCLUDED.count,
		version = CASE WHEN t.version < EXCLUDED.version THEN EXCLUDED.version ELSE t.version + 1 END`)

const (
	// lockCounters locks the counters of the kind $2 in the category $1.
	lockCounters = `
		SELECT 1 FROM feed_counters
		WHERE category_id = $1 AND kind = $2
		ORDER BY shard
		FOR UPDATE`

	// trimCounters makes the instants of the counters of the kind $2 in the category $1 at most the latest of its listings.
	trimCounters = `
		WITH latest AS (
			SELECT
				(SELECT l.created FROM feed_listings l WHERE l.category_id = $1 AND l.kind = CAST($2 AS text)
					ORDER BY l.created DESC LIMIT 1) AS created,
				(SELECT l.updated FROM feed_listings l WHERE l.category_id = $1 AND l.kind = CAST($2 AS text)
					ORDER BY l.updated DESC LIMIT 1) AS updated)
		UPDATE feed_counters AS k SET
			created = CASE WHEN k.created <= m.created THEN k.created ELSE m.created END,
			updated = CASE WHEN k.updated <= m.updated THEN k.updated ELSE m.updated END
		FROM latest m
		WHERE k.category_id = $1 AND k.kind = $2 AND (m.created IS NULL OR k.created > m.created OR k.updated > m.updated)`

	// putListing stores the listing of the kind $1 with the id $2: the category $3, created at $4, updated at $5, at $6, $7.
	putListing = `
		INSERT INTO feed_listings (kind, id, category_id, created, updated, lat, lng) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (kind, id) DO UPDATE SET category_id = EXCLUDED.category_id, created = EXCLUDED.created,
			updated = EXCLUDED.updated, lat = EXCLUDED.lat, lng = EXCLUDED.lng`

	// touchListing stores that the listing of the kind $1 with the id $2 was updated at $3. SQLite writes every index that
	// has an assigned column.
	touchListing = `
		UPDATE feed_listings SET updated = $3 WHERE kind = CAST($1 AS text) AND id = $2`
)

// WriteListings makes the transaction end with the statements that write all of its changes.
func WriteListings(db *engine.DB, tx *engine.Tx, b ListingChanges) {
	tx.AtEnd(func() { b.queue(db, tx) })
}

func (b ListingChanges) queue(db *engine.DB, tx *engine.Tx) {
	inOrder := slices.SortedFunc(maps.Keys(b.counters), func(a, b CounterKey) int {
		return cmp.Or(cmp.Compare(a.Category, b.Category), cmp.Compare(a.Kind, b.Kind))
	})
	// All shards are locked before the latest of the remaining listings is looked up: concurrent changes are then either
	// committed or not yet counted.
	for _, of := range inOrder {
		c := b.counters[of]
		if c.lost {
			tx.Queue(lockCounters, of.Category, of.Kind)
		}
		tx.Queue(db.Pick(countListings), of.Category, of.Kind, c.more, c.created, c.updated)
	}
	for _, change := range b.listings {
		change.write(db, tx)
	}
	for _, of := range inOrder {
		if b.counters[of].lost {
			tx.Queue(trimCounters, of.Category, of.Kind)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(b.totals)) {
		tx.Queue(db.Pick(countTotal), kind, b.totals[kind], time.Now().UnixMicro())
	}
}

// write queues the statement that writes the listing and leaves the counters alone.
func (b listingChange) write(db *engine.DB, tx *engine.Tx) {
	switch next := b.next; {
	case next == nil:
		tx.Queue("DELETE FROM feed_listings WHERE kind = CAST($1 AS text) AND id = $2", b.old.Kind, b.old.ID)
		if slices.Contains(feed.ItemKinds(), b.old.Kind) {
			Unindex(tx, b.old.Kind, b.old.ID)
		}
	case b.isUpdate():
		tx.Queue(touchListing, next.Kind, next.ID, next.Updated)
	default:
		row := listingRowOf(next)
		tx.Add(engine.Step{Statement: putListing, Args: engine.Values(db, &row)})
	}
}

// ListingRow is a listing, whose category is 0 without one.
type ListingRow struct {
	bun.BaseModel `bun:"table:feed_listings,alias:l"`
	Kind          feed.Kind `bun:",pk"`
	ID            int64     `bun:",pk"`
	CategoryID    feed.CategoryID
	Created       engine.Time
	Updated       engine.Time
	Lat           *float64
	Lng           *float64
}

func listingRowOf(l *feed.Listing) ListingRow {
	r := ListingRow{
		Kind: l.Kind, ID: l.ID, CategoryID: l.Category, Created: engine.At(l.Created), Updated: engine.At(l.Updated),
	}
	if l.Point != nil {
		r.Lat, r.Lng = &l.Point.Lat, &l.Point.Lng
	}
	return r
}

func (r ListingRow) Listing() feed.Listing {
	return feed.Listing{
		Kind: r.Kind, ID: r.ID, Category: r.CategoryID, Created: r.Created.Time, Updated: r.Updated.Time, Point: pointOf(r.Lat, r.Lng),
	}
}

// pointOf returns the point of two columns, which are both NULL without one.
func pointOf(lat, lng *float64) *geo.Point {
	if lat == nil || lng == nil {
		return nil
	}
	return &geo.Point{Lat: *lat, Lng: *lng}
}

// Listed returns the listing of the record, or nil if it is not listed, or no record.
func Listed(record feed.Listable) *feed.Listing {
	if record == nil {
		return nil
	}
	if l, is := record.Listing(); is {
		return &l
	}
	return nil
}

// IsSame reports whether both are the same listing, or nil.
func IsSame(a, b *feed.Listing) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Kind == b.Kind && a.ID == b.ID && a.Category == b.Category && a.Created.Equal(b.Created) && a.Updated.Equal(b.Updated) &&
		(a.Point == nil && b.Point == nil || a.Point != nil && b.Point != nil && *a.Point == *b.Point)
}

// Origins is the kind under which origin publications are listed a second time, so that
// their pages and their total cost the same as any others. No feed shows it.
const Origins feed.Kind = "origin"

// Origin is a publication that may be an origin, with the visibility of its original.
type Origin struct {
	publication.Publication
	OriginalVisible bool
}

func (o Origin) Listing() (feed.Listing, bool) {
	l, listed := o.Publication.Listing()
	l.Kind = Origins
	return l, listed && o.IsOrigin(o.OriginalVisible)
}
