package bunstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
	"plaza/domain/instant"
	"plaza/domain/moderation"
)

// Finding is an inconsistency in the database.
type Finding struct {
	What     string `json:"what"`
	Repaired bool   `json:"repaired"`
}

// checkBatch is the number of rows per batch.
const checkBatch = 500

// checkLimit is how long one statement of a check may take.
const checkLimit = 10 * time.Minute

// check is one run of Check. A row that looks wrong is locked and checked again, so
// that concurrent writes cause no false findings.
type check struct {
	*engine.DB
	repair bool
	found  func(Finding)
}

// Check verifies all derived data (listings, counters and totals) and that stored
// values can be read, and reports what it finds. With repair it rebuilds derived data.
// Servers may keep running.
func (s *Store) Check(ctx context.Context, repair bool, found func(Finding)) error {
	c := check{DB: s.Within(checkLimit), repair: repair, found: found}
	problems, err := s.Integrity(ctx)
	if err != nil {
		return s.Explain(ctx, err)
	}
	for _, p := range problems {
		found(Finding{What: p})
	}
	for _, part := range []func(context.Context) error{
		c.listings, c.removeOrphans, c.counters, c.totals, c.discussions, c.images, c.hidden, c.follows, c.blocks, c.contacts,
		c.notifications, c.ownersSums, c.telephones,
	} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// errDryRun rolls back a repair that was not requested, and a transaction that has repaired nothing.
var errDryRun = errors.New("no repair requested")

// inspect calls fn, which repairs an inconsistency and returns its description, or "" if it has changed nothing.
func (c check) inspect(ctx context.Context, fn func(ctx context.Context, tx *engine.Tx) (what string, err error)) error {
	var what string
	err := c.Write(ctx, func(tx *engine.Tx) (err error) {
		ctx := tx.Context()
		if what, err = fn(ctx, tx); err == nil && (what == "" || !c.repair) {
			err = errDryRun
		}
		return err
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	if err == nil && what != "" {
		c.found(Finding{What: what, Repaired: c.repair})
	}
	return err
}

// totals compares the totals of each kind with the listings, and adds the difference. Concurrent
// writers add to the same sum, so only other recounts must be excluded.
func (c check) totals(ctx context.Context) error {
	for _, kind := range []feed.Kind{feed.Publication, feed.Node, feed.Demand, origins} {
		var is, should int64
		compare := engine.Step{Statement: compareTotal, Args: []any{string(kind)}, Row: engine.Into(&is, &should)}
		err := c.ReadRows(ctx, compare, func() {})
		if err == nil && is != should {
			err = c.inspect(ctx, func(ctx context.Context, tx *engine.Tx) (string, error) {
				tx.Lock("total of " + string(kind))
				if err := tx.Run(ctx, compare); err != nil || is == should {
					return "", err
				}
				var b listingChanges
				b.total(kind, should-is)
				writeListings(c.DB, tx, b)
				return fmt.Sprintf("total of %s is %d; should be %d", kind, is, should), nil
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

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

// compare returns the read that passes every wrong counter to fn.
func (c check) compare(statement string, args []any, fn func(of counterKey, is, should countedRow)) engine.Step {
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

// counters compares all counters with the listings.
func (c check) counters(ctx context.Context) error {
	var suspects []counterKey
	compare := c.compare(compareCounters, nil, func(of counterKey, _, _ countedRow) { suspects = append(suspects, of) })
	err := c.ReadRows(ctx, compare, func() { suspects = nil })
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
	return c.inspect(ctx, func(ctx context.Context, tx *engine.Tx) (what string, err error) {
		tx.Lock(fmt.Sprint("counter of ", of.kind, " in ", of.category))
		var b listingChanges
		key := []any{int64(of.category), string(of.kind)}
		tx.Queue(lockCounters, key...)
		err = tx.Run(ctx, c.compare(compareCounter, key, func(of counterKey, is, should countedRow) {
			what = fmt.Sprintf("counter of %s in category %d is %d, latest %s and %s; should be %d, latest %s and %s",
				of.kind, of.category, is.count, is.created, is.updated, should.count, should.created, should.updated)
			delta := b.counter(of)
			delta.more, delta.created, delta.updated, delta.lost = should.count-is.count, should.created.Time, should.updated.Time, true
			b.total(of.kind, 0)
		}))
		writeListings(c.DB, tx, b)
		return what, err
	})
}

// hideables are the tables whose rows can be hidden, and the columns that have their owners.
var hideables = []struct {
	kind         moderation.Kind
	table, owner string
}{{moderation.Event, "events", "author_id"}, {moderation.Comment, "comments", "author_id"}, {moderation.Image, "images", "owner_id"}}

// hidden compares what is hidden with the stored hidings. A thing without its hiding stays hidden: it gets one that gives no
// reason, so that staff can restore it. A hiding of something else goes.
func (c check) hidden(ctx context.Context) error {
	for _, of := range hideables {
		table, owner := bun.Ident(of.table), bun.Ident(of.owner)
		all := c.Reader.NewSelect().TableExpr("? AS x", table).Column("x.id").
			Where("x.hidden AND NOT EXISTS (SELECT 1 FROM hidden_things h WHERE h.kind = ? AND h.object_id = x.id)", of.kind)
		err := c.suspects(ctx, all, func(ctx context.Context, id int64) error {
			return c.inspect(ctx, func(ctx context.Context, tx *engine.Tx) (string, error) {
				if err := c.lockRows(ctx, tx, of.table, "id", id); err != nil {
					return "", err
				}
				added, err := engine.Affected(tx.NewRaw(`
					INSERT INTO hidden_things (kind, object_id, owner_id, reason, hidden_at)
					SELECT ?0, x.id, x.?1, '', ?2 FROM ?3 AS x
					WHERE x.id = ?4 AND x.hidden AND NOT EXISTS (SELECT 1 FROM hidden_things h WHERE h.kind = ?0 AND h.object_id = x.id)`,
					of.kind, owner, engine.At(instant.Normalise(time.Now())), table, id).Exec(ctx))
				if err != nil || !added {
					return "", err
				}
				return fmt.Sprintf("%s %d is hidden, and why is not stored", of.kind, id), nil
			})
		})
		if err != nil {
			return err
		}
		err = c.wrongRows(ctx, "hidden_things", "object_id", string(of.kind)+" %d is stored as hidden, and is not",
			"n.kind = ? AND NOT EXISTS (SELECT 1 FROM ? AS x WHERE x.id = n.object_id AND x.hidden AND x.? = n.owner_id)",
			of.kind, table, owner)
		if err != nil {
			return err
		}
	}
	return nil
}
