package bunstore

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
)

// stored is a stored record, or the reason why it can't be read.
type stored struct {
	id     int64
	record feed.Listable
	broken error
}

// checkSource reads all records of a kind.
type checkSource struct {
	kind   feed.Kind
	after  string                                                           // $1 id, $2 limit
	locked string                                                           // $1 id; the record, which no other transaction can change then
	lock   func(ctx context.Context, tx *listedTransaction, id int64) error // precedes locked, unless nil
	scan   func(engine.Scanner) (stored, error)
}

// checkSteps are the statements of a check.
type checkSteps struct {
	recordsAfter, lockRecord map[feed.Kind]string // those of a checkSource

	compareCounters string // every counter, and what it should be
	compareCounter  string // $1 category, $2 kind
	compareTotal    string // $1 kind
}

func newCheckSteps(d engine.Dialect) checkSteps {
	s := checkSteps{
		recordsAfter: map[feed.Kind]string{
			feed.Event: "SELECT " + eventColumns + " FROM event_entries e WHERE e.id > $1 ORDER BY e.id LIMIT CAST($2 AS bigint)",
		},
		lockRecord: map[feed.Kind]string{},

		compareCounters: compareCounters(""),
		compareCounter:  compareCounters("WHERE category_id = $1 AND kind = $2"),
		compareTotal: `SELECT (SELECT CAST(COALESCE(SUM(count), 0) AS bigint) FROM feed_totals WHERE kind = $1),
			(SELECT COUNT(*) FROM feed_listings WHERE kind = $1)`,
	}
	records := func(kind feed.Kind, selected, lock string) {
		s.recordsAfter[kind] = selected + " WHERE p.id > $1 ORDER BY p.id LIMIT CAST($2 AS bigint)"
		s.lockRecord[kind] = selected + " WHERE p.id = $1 " + lock
	}
	for kind, t := range recordTables {
		records(kind, "SELECT "+t.List()+" FROM "+t.tableName()+" p", d.ForUpdate())
	}
	records(origins, "SELECT "+publicationTable.Of("p")+", EXISTS (SELECT 1 FROM publications f WHERE f.bundle_id = p.first_original_id"+
		" AND f.published AND NOT f.deleted) FROM publications p", "")
	return s
}

func (c check) checkSources() []checkSource {
	return []checkSource{
		c.recordSource(feed.Publication), c.recordSource(feed.Node), c.recordSource(feed.Demand), c.originSource(), c.eventSource(),
	}
}

// recordSource reads records that are one row each.
func (c check) recordSource(kind feed.Kind) checkSource {
	return checkSource{
		kind: kind, after: c.steps.recordsAfter[kind], locked: c.steps.lockRecord[kind],
		scan: func(scan engine.Scanner) (s stored, err error) {
			s.id, s.record, err = scanRecord(kind, scan, c.Dialect)
			return s, err
		},
	}
}

// originSource reads publications with the data that decides whether they are origins.
// The lock keeps imports from changing what the bundle shows.
func (c check) originSource() checkSource {
	source := c.recordSource(origins)
	source.lock = func(ctx context.Context, tx *listedTransaction, _ int64) error {
		return c.Dialect.Lock(ctx, tx, importLock)
	}
	source.scan = func(scan engine.Scanner) (stored, error) {
		var o origin
		err := scan(append(publicationTable.Targets(&o.Publication, c.Dialect), &o.originalVisible)...)
		return stored{id: int64(o.ID), record: o}, err
	}
	return source
}

// eventSource reads events with their plates.
func (c check) eventSource() checkSource {
	source := c.recordSource(feed.Event)
	source.locked = "SELECT " + eventColumns + " FROM event_entries e WHERE e.id = $1"
	source.lock = func(ctx context.Context, tx *listedTransaction, id int64) error {
		return tx.Run(ctx, engine.Step{Statement: lockEvent, Args: []any{id}})
	}
	source.scan = func(scan engine.Scanner) (stored, error) {
		e, err := scanEvent(scan)
		if err != nil {
			return stored{}, err
		}
		record, err := e.event()
		return stored{id: int64(e.ID), record: record, broken: err}, nil
	}
	return source
}

// listings compares all records with their listings in the feed.
func (c check) listings(ctx context.Context) error {
	for _, source := range c.checkSources() {
		for after := int64(0); ; {
			batch, err := c.mismatched(ctx, source, &after)
			if err != nil {
				return err
			}
			for _, id := range batch {
				if err := c.recheck(ctx, source, id); err != nil {
					return err
				}
			}
			if after < 0 {
				break
			}
		}
	}
	return nil
}

// mismatched returns the IDs in a batch whose listings look wrong, and advances after;
// past the last batch, after is negative.
func (c check) mismatched(ctx context.Context, source checkSource, after *int64) (ids []int64, err error) {
	records, err := engine.ReadAll(ctx, c.Store.DB, source.after, []any{*after, int64(checkBatch)}, source.scan)
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		*after = -1
		return nil, nil
	}
	last := records[len(records)-1].id
	listings, err := engine.SelectAll[listingRow](ctx, c.Store.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.Where("kind = ? AND id > ? AND id <= ?", source.kind, *after, last)
	})
	if err != nil {
		return nil, err
	}
	listed := map[int64]*feed.Listing{}
	for _, row := range listings {
		listed[row.ID] = new(row.listing())
	}
	for _, t := range records {
		if t.broken != nil || !isListedAs(t.record, listed[t.id]) {
			ids = append(ids, t.id)
		}
	}
	*after = last
	return ids, nil
}

// isListedAs reports whether the listing, which may be nil, is that of the record.
func isListedAs(record feed.Listable, l *feed.Listing) bool { return isSame(listed(record), l) }

// recheck locks the record and checks it again.
func (c check) recheck(ctx context.Context, source checkSource, id int64) error {
	var broken error
	err := c.inspect(ctx, func(ctx context.Context, tx *listedTransaction) (string, error) {
		if source.lock != nil {
			if err := source.lock(ctx, tx, id); err != nil {
				return "", err
			}
		}
		var t *stored
		at := item{source.kind, id}
		err := tx.Run(ctx, engine.Step{Statement: source.locked, Args: []any{id}, Row: func(scan func(...any) error) error {
			found, err := source.scan(scan)
			t = &found
			return err
		}})
		if err != nil || t == nil { // nil: removed meanwhile
			return "", err
		}
		if broken = t.broken; broken != nil {
			return "", nil
		}
		var rows []listingRow
		if err := tx.NewSelect().Model(&rows).Where("kind = ? AND id = ?", at.kind, id).Scan(ctx); err != nil {
			return "", err
		}
		var was *feed.Listing
		if len(rows) > 0 {
			was = new(rows[0].listing())
		}
		if isListedAs(t.record, was) {
			return "", nil
		}
		c.repairListing(tx, at, was, t.record)
		return fmt.Sprintf("listing of %s %d is wrong", source.kind, id), nil
	})
	if err == nil && broken != nil {
		c.found(Finding{What: fmt.Sprintf("%s %d can't be read: %v", source.kind, id, broken)})
	}
	return err
}

// repairListing replaces the wrong listing. The counters may or may not have counted
// it: they are recounted later.
func (s *Store) repairListing(tx *listedTransaction, at item, wrong *feed.Listing, record feed.Listable) {
	next := listedOrNot(record)
	for _, l := range []*feed.Listing{wrong, next} {
		if l != nil {
			tx.changes.counter(counterKey{l.Category, at.kind})
		}
	}
	tx.changes.total(at.kind, 0)
	s.writeListing(tx.Tx, listingChange{at: at, next: next})
}

// recordsOf are the tables of the records of each kind of listings.
var recordsOf = map[feed.Kind]string{
	feed.Publication: "publications", feed.Node: "nodes", feed.Demand: "demands", origins: "publications", feed.Event: "events",
}

// removeOrphans finds listings whose records do not exist.
func (c check) removeOrphans(ctx context.Context) error {
	for kind, table := range recordsOf {
		orphans, err := engine.SelectAll[listingRow](ctx, c.Store.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
			return query.Where("l.kind = ?", kind).Where("NOT EXISTS (SELECT 1 FROM ? t WHERE t.id = l.id)", bun.Ident(table)).Order("id")
		})
		if err != nil {
			return err
		}
		for _, row := range orphans {
			err := c.inspect(ctx, func(_ context.Context, tx *listedTransaction) (string, error) {
				c.repairListing(tx, item{kind, row.ID}, new(row.listing()), nil)
				return fmt.Sprintf("listed %s %d does not exist", kind, row.ID), nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
