package bunstore

import (
	"context"
	"fmt"
)

// countedRow is the count and latest instants of a kind in a category, from its
// counters or from the listings.
type countedRow struct {
	count            int64
	created, updated dbTime
}

// compareCounters returns the query that reads both as of one moment, the counters
// first.
func compareCounters(where string) string {
	return `WITH said AS (SELECT category_id, kind, SUM(count) AS count, MAX(created) AS created, MAX(updated) AS updated
			FROM feed_counters ` + where + ` GROUP BY category_id, kind),
		there AS (SELECT category_id, kind, COUNT(*) AS count, MAX(created) AS created, MAX(updated) AS updated
			FROM feed_listings ` + where + ` GROUP BY category_id, kind),
		every AS (SELECT category_id, kind FROM said UNION SELECT category_id, kind FROM there)
		SELECT e.category_id, e.kind, CAST(COALESCE(s.count, 0) AS bigint), s.created, s.updated, COALESCE(t.count, 0), t.created, t.updated
		FROM every e LEFT JOIN said s ON s.category_id = e.category_id AND s.kind = e.kind
		LEFT JOIN there t ON t.category_id = e.category_id AND t.kind = e.kind`
}

// isEqual ignores the instants of empty counters.
func (a countedRow) isEqual(b countedRow) bool {
	return a.count == b.count && (a.count == 0 || a.created.Equal(b.created.Time) && a.updated.Equal(b.updated.Time))
}

// compare returns the read that passes every wrong counter to fn.
func (c check) compare(statement string, args []any, fn func(of counterKey, is, should countedRow)) step {
	return step{statement: statement, args: args, row: func(scan func(...any) error) error {
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

// counters compares all counters with the listings.
func (c check) counters(ctx context.Context) error {
	var suspects []counterKey
	err := c.read(ctx, func(ctx context.Context) error {
		suspects = nil
		return c.dialect.query(ctx, c.compare(c.sql.compareCounters, nil, func(of counterKey, _, _ countedRow) { suspects = append(suspects, of) }))
	})
	for _, of := range suspects {
		if err == nil {
			err = c.recount(ctx, of)
		}
	}
	return err
}

// recount checks the counter again while no other recount of it runs. Concurrent
// changes are added to the same sum.
func (c check) recount(ctx context.Context, of counterKey) error {
	return c.inspect(ctx, func(ctx context.Context, tx *transaction) (what string, err error) {
		if err := c.dialect.lock(ctx, tx, fmt.Sprint("counter of ", of.kind, " in ", of.category)); err != nil {
			return "", err
		}
		key := []any{int64(of.category), string(of.kind)}
		if c.sql.lock != "" {
			if err := tx.run(ctx, step{statement: c.sql.lock, args: key}); err != nil {
				return "", err
			}
		}
		err = tx.run(ctx, c.compare(c.sql.compareCounter, key, func(of counterKey, is, should countedRow) {
			what = fmt.Sprintf("counter of %s in category %d is %d, latest %s and %s; should be %d, latest %s and %s",
				of.kind, of.category, is.count, is.created, is.updated, should.count, should.created, should.updated)
			delta := tx.changes.counter(of)
			delta.more, delta.created, delta.updated, delta.lost = should.count-is.count, should.created, should.updated, true
			tx.changes.total(of.kind, 0)
		}))
		return what, err
	})
}
