package feed

import (
	"fmt"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
)

const (
	// WrongCounters finds the counters that are not what the listings say, as of one moment. Instants of empty ones are ignored.
	WrongCounters = `
		WITH said AS (
			SELECT category_id, kind, CAST(SUM(count) AS bigint) AS count, MAX(created) AS created, MAX(updated) AS updated
			FROM feed_counters GROUP BY category_id, kind HAVING SUM(count) <> 0),
		there AS (
			SELECT category_id, kind, COUNT(*) AS count, MAX(created) AS created, MAX(updated) AS updated
			FROM feed_listings GROUP BY category_id, kind)
		SELECT COALESCE(s.category_id, t.category_id) AS category, COALESCE(s.kind, t.kind) AS kind
		FROM said s FULL JOIN there t ON t.category_id = s.category_id AND t.kind = s.kind
		WHERE (s.count, s.created, s.updated) IS DISTINCT FROM (t.count, t.created, t.updated)`

	// compareCounter finds the counter of the kind $2 in the category $1, and what it should be.
	compareCounter = `
		SELECT s.count, s.created, s.updated, t.count, t.created, t.updated
		FROM (
			SELECT CAST(COALESCE(SUM(count), 0) AS bigint) AS count, MAX(created) AS created, MAX(updated) AS updated
			FROM feed_counters WHERE category_id = $1 AND kind = $2) s
		CROSS JOIN (
			SELECT COUNT(*) AS count, MAX(created) AS created, MAX(updated) AS updated
			FROM feed_listings WHERE category_id = $1 AND kind = $2) t`

	// compareTotal finds the total of the kind $1, and what it should be.
	compareTotal = `
		SELECT (SELECT CAST(COALESCE(SUM(count), 0) AS bigint) FROM feed_totals WHERE kind = $1),
			(SELECT COUNT(*) FROM feed_listings WHERE kind = $1)`
)

// Recount corrects the counter while no other recount of it runs, and says what was wrong. Concurrent changes are added to the same
// sum.
func Recount(db *engine.DB, tx *engine.Tx, of CounterKey) (string, error) {
	var is, should int64
	var created, updated, latestCreated, latestUpdated engine.Time
	tx.Lock(fmt.Sprint("counter of ", of.Kind, " in ", of.Category))
	tx.Queue(lockCounters, of.Category, of.Kind)
	tx.Queue(compareCounter, of.Category, of.Kind).Into(&is, &created, &updated, &should, &latestCreated, &latestUpdated)
	if err := tx.Send(); err != nil {
		return "", err
	}
	if is == should && (is == 0 || created.Equal(latestCreated.Time) && updated.Equal(latestUpdated.Time)) {
		return "", nil
	}
	var b ListingChanges
	*b.counter(of) = counterDelta{more: should - is, created: latestCreated.Time, updated: latestUpdated.Time, lost: true}
	b.Total(of.Kind, 0)
	WriteListings(db, tx, b)
	return fmt.Sprintf("counter of %s in category %d is %d, latest %s and %s; should be %d, latest %s and %s",
		of.Kind, of.Category, is, created, updated, should, latestCreated, latestUpdated), nil
}

// RecountTotal adds what the total of the kind lacks, and says what was wrong. Concurrent writers add to the same sum, so only other
// recounts must be excluded.
func RecountTotal(db *engine.DB, tx *engine.Tx, kind feed.Kind) (string, error) {
	var is, should int64
	tx.Lock("total of " + string(kind))
	tx.Queue(compareTotal, kind).Into(&is, &should)
	if err := tx.Send(); err != nil || is == should {
		return "", err
	}
	var b ListingChanges
	b.Total(kind, should-is)
	WriteListings(db, tx, b)
	return fmt.Sprintf("total of %s is %d; should be %d", kind, is, should), nil
}

// Repair replaces the wrong listing by the right one; nil means no listing. The counters may or may not have
// counted it: they are recounted later.
func (b *ListingChanges) Repair(wrong, right *feed.Listing) {
	b.listings = append(b.listings, listingChange{wrong, right})
	for _, l := range []*feed.Listing{wrong, right} {
		if l != nil {
			b.counter(CounterKey{l.Category, l.Kind})
			b.Total(l.Kind, 0)
		}
	}
}
