package feed

import (
	"context"
	"fmt"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
)

// countedRow is the count and latest instants of a kind in a category, from its
// counters or from the listings.
type countedRow struct {
	count            int64
	created, updated engine.Time
}

const (
	// compareCounters finds every counter, and what it should be, as of one moment.
	compareCounters = `
		WITH said AS (
			SELECT category_id, kind, CAST(SUM(count) AS bigint) AS count, MAX(created) AS created, MAX(updated) AS updated
			FROM feed_counters GROUP BY category_id, kind),
		there AS (
			SELECT category_id, kind, COUNT(*) AS count, MAX(created) AS created, MAX(updated) AS updated
			FROM feed_listings GROUP BY category_id, kind),
		every AS (SELECT category_id, kind FROM said UNION SELECT category_id, kind FROM there)
		SELECT e.category_id, e.kind, COALESCE(s.count, 0), s.created, s.updated, COALESCE(t.count, 0), t.created, t.updated
		FROM every e LEFT JOIN said s ON s.category_id = e.category_id AND s.kind = e.kind
		LEFT JOIN there t ON t.category_id = e.category_id AND t.kind = e.kind`

	// compareCounter is compareCounters for the kind $2 in the category $1.
	compareCounter = `
		SELECT CAST($1 AS bigint), CAST($2 AS text), s.count, s.created, s.updated, t.count, t.created, t.updated
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

// isEqual ignores the instants of empty counters.
func (a countedRow) isEqual(b countedRow) bool {
	return a.count == b.count && (a.count == 0 || a.created.Equal(b.created.Time) && a.updated.Equal(b.updated.Time))
}

// wrongCounter returns the read that passes every wrong counter to fn.
func wrongCounter(statement string, args []any, fn func(of counterKey, is, should countedRow)) engine.Step {
	return engine.Step{Statement: statement, Args: args, Row: func(scan func(...any) error) error {
		var of counterKey
		var is, should countedRow
		err := scan((*int64)(&of.category), (*string)(&of.kind), &is.count, &is.created, &is.updated,
			&should.count, &should.created, &should.updated)
		if err == nil && !is.isEqual(should) {
			fn(of, is, should)
		}
		return err
	}}
}

// WrongCounters compares all counters with the listings.
func WrongCounters(ctx context.Context, db *engine.DB) (suspects []counterKey, err error) {
	compare := wrongCounter(compareCounters, nil, func(of counterKey, _, _ countedRow) { suspects = append(suspects, of) })
	err = db.ReadRows(ctx, compare, func() { suspects = nil })
	return suspects, err
}

// Recount corrects the counter while no other recount of it runs, and says what was wrong. Concurrent changes are added to the same
// sum.
func Recount(db *engine.DB, tx *engine.Tx, of counterKey) (what string, err error) {
	var b ListingChanges
	key := []any{int64(of.category), string(of.kind)}
	tx.Lock(fmt.Sprint("counter of ", of.kind, " in ", of.category))
	tx.Queue(lockCounters, key...)
	tx.Add(wrongCounter(compareCounter, key, func(of counterKey, is, should countedRow) {
		what = fmt.Sprintf("counter of %s in category %d is %d, latest %s and %s; should be %d, latest %s and %s",
			of.kind, of.category, is.count, is.created, is.updated, should.count, should.created, should.updated)
		delta := b.counter(of)
		delta.more, delta.created, delta.updated, delta.lost = should.count-is.count, should.created.Time, should.updated.Time, true
		b.Total(of.kind, 0)
	}))
	err = tx.Send()
	WriteListings(db, tx, b)
	return what, err
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

// RepairListing replaces the wrong listing. The counters may or may not have counted
// it: they are recounted later.
func RepairListing(db *engine.DB, tx *engine.Tx, at Item, wrong *feed.Listing, record feed.Listable) {
	var b ListingChanges
	next := listedOrNot(record)
	for _, l := range []*feed.Listing{wrong, next} {
		if l != nil {
			b.counter(counterKey{l.Category, at.Kind})
		}
	}
	b.Total(at.Kind, 0)
	writeListing(db, tx, listingChange{at: at, next: next})
	WriteListings(db, tx, b)
}
