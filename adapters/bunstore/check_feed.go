package bunstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"plaza/domain/event"
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
	kind feed.Kind
	next func(ctx context.Context, db bun.IDB, id int64) ([]stored, error) // the next batch, with higher IDs
	lock func(ctx context.Context, tx *transaction, id int64) (stored, error)
}

func (s *Store) checkSources() []checkSource {
	return []checkSource{
		sourceOf[publicationRow](s, feed.Publication), sourceOf[nodeRow](s, feed.Node), sourceOf[demandRow](s, feed.Demand),
		s.originSource(), s.eventSource(),
	}
}

func (r publicationRow) stored() stored { return stored{id: int64(r.ID), record: r.publication()} }
func (r nodeRow) stored() stored        { return stored{id: int64(r.ID), record: r.node()} }
func (r demandRow) stored() stored      { return stored{id: int64(r.ID), record: r.demand()} }

// sourceOf reads records that are one row each.
func sourceOf[R interface{ stored() stored }](s *Store, kind feed.Kind) checkSource {
	return checkSource{
		kind: kind,
		next: func(ctx context.Context, db bun.IDB, id int64) ([]stored, error) {
			var rows []R
			if err := db.NewSelect().Model(&rows).Where("id > ?", id).Order("id").Limit(checkBatch).Scan(ctx); err != nil {
				return nil, err
			}
			records := make([]stored, len(rows))
			for i, row := range rows {
				records[i] = row.stored()
			}
			return records, nil
		},
		lock: func(ctx context.Context, tx *transaction, id int64) (stored, error) {
			var row R
			err := s.selecting(tx, true).Model(&row).Where("id = ?", id).Scan(ctx)
			return row.stored(), err
		},
	}
}

// originSource reads publications with the data that decides whether they are origins.
func (s *Store) originSource() checkSource {
	return checkSource{
		kind: origins,
		next: func(ctx context.Context, db bun.IDB, id int64) ([]stored, error) {
			var rows []originRow
			err := selectOrigins(db, &rows).Where("p.id > ?", id).Order("p.id").Limit(checkBatch).Scan(ctx)
			records := make([]stored, len(rows))
			for i, row := range rows {
				records[i] = stored{id: int64(row.ID), record: row.origin()}
			}
			return records, err
		},
		lock: func(ctx context.Context, tx *transaction, id int64) (stored, error) {
			if err := s.dialect.lock(ctx, tx, importLock); err != nil { // so that no import changes what the bundle shows
				return stored{}, err
			}
			var row originRow
			err := selectOrigins(tx, &row).Where("p.id = ?", id).Scan(ctx)
			return stored{id: id, record: row.origin()}, err
		},
	}
}

// eventSource reads events with their plates.
func (s *Store) eventSource() checkSource {
	batch := "SELECT " + eventColumns(s.dialect, withCounts) + " FROM events e LEFT JOIN event_counts n ON n.event_id = e.id" +
		" WHERE e.id > $1 ORDER BY e.id LIMIT CAST($2 AS bigint)"
	storedOf := func(e storedEvent) stored {
		record, err := e.event()
		return stored{id: int64(e.row.ID), record: record, broken: err}
	}
	return checkSource{
		kind: feed.Xfile,
		next: func(ctx context.Context, _ bun.IDB, id int64) ([]stored, error) {
			events, err := queryEvents(ctx, s.reader.DB, batch, []any{id, int64(checkBatch)})
			records := make([]stored, len(events))
			for i, e := range events {
				records[i] = storedOf(e)
			}
			return records, err
		},
		lock: func(ctx context.Context, tx *transaction, id int64) (stored, error) {
			if err := s.lockEvent(ctx, tx, event.ID(id)); err != nil {
				return stored{}, err
			}
			e, err := s.loadEvent(ctx, tx.driver, event.ID(id))
			if err != nil {
				return stored{}, err
			}
			return storedOf(*e), nil
		},
	}
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
	err = c.read(ctx, func(ctx context.Context) error {
		ids = nil
		records, err := source.next(ctx, c.reader, *after)
		if err != nil {
			return err
		}
		if len(records) == 0 {
			*after = -1
			return nil
		}
		last := records[len(records)-1].id
		var rows []listingRow
		if err := c.reader.NewSelect().Model(&rows).
			Where("kind = ? AND id > ? AND id <= ?", source.kind, *after, last).Scan(ctx); err != nil {
			return err
		}
		listed := map[int64]listingRow{}
		for _, row := range rows {
			listed[row.ID] = row
		}
		for _, t := range records {
			row, is := listed[t.id]
			if t.broken != nil || !isListedAs(t.record, row, is) {
				ids = append(ids, t.id)
			}
		}
		*after = last
		return nil
	})
	return ids, err
}

// isListedAs reports whether the row equals the record's listing.
func isListedAs(t feed.Listable, row listingRow, is bool) bool {
	l, listed := t.Listing()
	return listed == is && (!listed || listingRowOf(l).equal(row))
}

func (r listingRow) equal(other listingRow) bool {
	return r.Kind == other.Kind && r.ID == other.ID && r.CategoryID == other.CategoryID &&
		r.Created.Equal(other.Created.Time) && r.Updated.Equal(other.Updated.Time) &&
		same(r.Lat, other.Lat) && same(r.Lng, other.Lng)
}

func same[T comparable](a, b *T) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// recheck locks the record and checks it again.
func (c check) recheck(ctx context.Context, source checkSource, id int64) error {
	var broken error
	err := c.inspect(ctx, func(ctx context.Context, tx *transaction) (string, error) {
		t, err := source.lock(ctx, tx, id)
		if errors.Is(err, sql.ErrNoRows) || errors.Is(err, event.ErrNotFound) {
			return "", nil // removed meanwhile
		}
		if broken = t.broken; err != nil || broken != nil {
			return "", err
		}
		at := item{source.kind, id}
		row, err := oldListing(ctx, tx, at)
		if err != nil || isListedAs(t.record, or(row), row != nil) {
			return "", err
		}
		return fmt.Sprintf("listing of %s %d is wrong", source.kind, id), c.repairListing(ctx, tx, at, row, t.record)
	})
	if err == nil && broken != nil {
		c.found(Finding{What: fmt.Sprintf("%s %d can't be read: %v", source.kind, id, broken)})
	}
	return err
}

// repairListing replaces the wrong listing. The counters may or may not have counted
// it: they are recounted later.
func (s *Store) repairListing(ctx context.Context, tx *transaction, at item, wrong *listingRow, t feed.Listable) error {
	var next *listingRow
	if t != nil {
		if l, listed := t.Listing(); listed {
			next = new(listingRowOf(l))
		}
	}
	for _, row := range []*listingRow{wrong, next} {
		if row != nil {
			tx.changes.counter(counterKey{row.CategoryID, at.kind})
		}
	}
	tx.changes.total(at.kind, 0)
	return tx.run(ctx, s.sql.put(listingChange{at: at, next: next}))
}

func or[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// orphans finds listings whose records do not exist.
func (c check) orphans(ctx context.Context) error {
	for kind, table := range map[feed.Kind]string{
		feed.Publication: "publications", origins: "publications", feed.Node: "nodes", feed.Demand: "demands", feed.Xfile: "events",
	} {
		missing := "NOT EXISTS (SELECT 1 FROM " + table + " t WHERE t.id = l.id)"
		var rows []listingRow
		err := c.read(ctx, func(ctx context.Context) error {
			rows = nil
			return c.reader.NewSelect().Model(&rows).Where("l.kind = ?", kind).Where(missing).Order("id").Scan(ctx)
		})
		if err != nil {
			return err
		}
		for _, row := range rows {
			err := c.inspect(ctx, func(ctx context.Context, tx *transaction) (string, error) {
				return fmt.Sprintf("listed %s %d does not exist", kind, row.ID), c.repairListing(ctx, tx, item{kind, row.ID}, &row, nil)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
