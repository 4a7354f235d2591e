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
	thing  feed.Listable
	broken error
}

// checkSource reads all records of a kind.
type shelf struct {
	kind  feed.Kind
	after func(ctx context.Context, db bun.IDB, id int64) ([]stored, error) // the next batch, with higher IDs
	lock  func(ctx context.Context, tx *transaction, id int64) (stored, error)
}

func (s *Store) shelves() []shelf {
	return []shelf{
		shelfOf[publicationRow](s, feed.Publication), shelfOf[nodeRow](s, feed.Node), shelfOf[demandRow](s, feed.Demand),
		s.originShelf(), s.eventShelf(),
	}
}

func (r publicationRow) stored() stored { return stored{id: int64(r.ID), thing: r.publication()} }
func (r nodeRow) stored() stored        { return stored{id: int64(r.ID), thing: r.node()} }
func (r demandRow) stored() stored      { return stored{id: int64(r.ID), thing: r.demand()} }

// sourceOf reads records that are one row each.
func shelfOf[R interface{ stored() stored }](s *Store, kind feed.Kind) shelf {
	return shelf{
		kind: kind,
		after: func(ctx context.Context, db bun.IDB, id int64) ([]stored, error) {
			var rows []R
			if err := db.NewSelect().Model(&rows).Where("id > ?", id).Order("id").Limit(checkBatch).Scan(ctx); err != nil {
				return nil, err
			}
			things := make([]stored, len(rows))
			for i, row := range rows {
				things[i] = row.stored()
			}
			return things, nil
		},
		lock: func(ctx context.Context, tx *transaction, id int64) (stored, error) {
			var row R
			err := s.selecting(tx, true).Model(&row).Where("id = ?", id).Scan(ctx)
			return row.stored(), err
		},
	}
}

// originSource reads publications with the data that decides whether they are origins.
func (s *Store) originShelf() shelf {
	return shelf{
		kind: origins,
		after: func(ctx context.Context, db bun.IDB, id int64) ([]stored, error) {
			var rows []originRow
			err := selectOrigins(db, &rows).Where("p.id > ?", id).Order("p.id").Limit(checkBatch).Scan(ctx)
			things := make([]stored, len(rows))
			for i, row := range rows {
				things[i] = stored{id: int64(row.ID), thing: row.origin()}
			}
			return things, err
		},
		lock: func(ctx context.Context, tx *transaction, id int64) (stored, error) {
			var row originRow
			if err := tx.NewSelect().Model(&row.publicationRow).Where("id = ?", id).Scan(ctx); err != nil {
				return stored{}, err
			}
			if _, err := s.lockBundles(ctx, tx, row.publication()); err != nil {
				return stored{}, err
			}
			err := selectOrigins(tx, &row).Where("p.id = ?", id).Scan(ctx)
			return stored{id: id, thing: row.origin()}, err
		},
	}
}

// eventSource reads events with their plates.
func (s *Store) eventShelf() shelf {
	batch := "SELECT " + eventColumns(s.dialect, withCounts) + " FROM events e LEFT JOIN event_counts n ON n.event_id = e.id" +
		" WHERE e.id > $1 ORDER BY e.id LIMIT CAST($2 AS bigint)"
	storedOf := func(e storedEvent) stored {
		thing, err := e.event()
		return stored{id: int64(e.row.ID), thing: thing, broken: err}
	}
	return shelf{
		kind: feed.Xfile,
		after: func(ctx context.Context, _ bun.IDB, id int64) ([]stored, error) {
			events, err := queryEvents(ctx, s.reader.DB, batch, []any{id, int64(checkBatch)})
			things := make([]stored, len(events))
			for i, e := range events {
				things[i] = storedOf(e)
			}
			return things, err
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
	for _, shelf := range c.shelves() {
		for after := int64(0); ; {
			batch, err := c.unlike(ctx, shelf, &after)
			if err != nil {
				return err
			}
			for _, id := range batch {
				if err := c.relook(ctx, shelf, id); err != nil {
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
func (c check) unlike(ctx context.Context, of shelf, after *int64) (ids []int64, err error) {
	err = c.read(ctx, func(ctx context.Context) error {
		ids = nil
		things, err := of.after(ctx, c.reader, *after)
		if err != nil {
			return err
		}
		if len(things) == 0 {
			*after = -1
			return nil
		}
		last := things[len(things)-1].id
		var rows []listingRow
		if err := c.reader.NewSelect().Model(&rows).
			Where("kind = ? AND id > ? AND id <= ?", of.kind, *after, last).Scan(ctx); err != nil {
			return err
		}
		listed := map[int64]listingRow{}
		for _, row := range rows {
			listed[row.ID] = row
		}
		for _, t := range things {
			row, is := listed[t.id]
			if t.broken != nil || !agree(t.thing, row, is) {
				ids = append(ids, t.id)
			}
		}
		*after = last
		return nil
	})
	return ids, err
}

// agree reports whether the row equals the record's listing.
func agree(t feed.Listable, row listingRow, is bool) bool {
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
func (c check) relook(ctx context.Context, of shelf, id int64) error {
	var broken error
	err := c.look(ctx, func(ctx context.Context, tx *transaction) (string, error) {
		t, err := of.lock(ctx, tx, id)
		if errors.Is(err, sql.ErrNoRows) || errors.Is(err, event.ErrNotFound) {
			return "", nil // removed meanwhile
		}
		if broken = t.broken; err != nil || broken != nil {
			return "", err
		}
		at := item{of.kind, id}
		row, err := oldListing(ctx, tx, at)
		if err != nil || agree(t.thing, or(row), row != nil) {
			return "", err
		}
		return fmt.Sprintf("the listing of %s %d is not what it must be", of.kind, id), c.mendListing(ctx, tx, at, row, t.thing)
	})
	if err == nil && broken != nil {
		c.found(Finding{What: fmt.Sprintf("%s %d can't be read: %v", of.kind, id, broken)})
	}
	return err
}

// repairListing replaces the wrong listing. The counters may or may not have counted
// it: they are recounted later.
func (s *Store) mendListing(ctx context.Context, tx *transaction, at item, wrong *listingRow, t feed.Listable) error {
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
func (c check) strays(ctx context.Context) error {
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
			err := c.look(ctx, func(ctx context.Context, tx *transaction) (string, error) {
				return fmt.Sprintf("%s %d is listed and not there", kind, row.ID), c.mendListing(ctx, tx, item{kind, row.ID}, &row, nil)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
