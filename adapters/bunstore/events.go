package bunstore

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/uptrace/bun"

	"plaza/domain/event"
	"plaza/domain/feed"
)

// Events is the store as event.Repository, event.Reader and event.Discussion.
//
// Whoever writes locks an event's counts before the event itself, and both before
// the counters of the feed, so writers never wait for each other in a circle.
type Events struct{ s *Store }

// Events returns the store's events and what is said of them.
func (s *Store) Events() Events { return Events{s} }

var (
	_ event.Repository = Events{}
	_ event.Reader     = Events{}
	_ event.Discussion = Events{}
)

func eventItem(id event.ID) item { return item{feed.Xfile, int64(id)} }

func (v Events) Add(ctx context.Context, e *event.Event) (added *event.Event, err error) {
	err = v.s.write(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
		added, err = v.s.addEvent(ctx, tx, e.State())
		return err
	})
	if err != nil {
		return nil, err
	}
	return added, nil
}

func (s *Store) addEvent(ctx context.Context, tx bun.Tx, state event.State) (*event.Event, error) {
	row := eventRowOf(state)
	row.ID = 0
	if _, err := tx.NewInsert().Model(&row).Exec(ctx); err != nil {
		return nil, err
	}
	state.ID = row.ID
	if _, err := tx.NewInsert().Model(&eventCountsRow{EventID: state.ID, AuthorID: state.Author}).Exec(ctx); err != nil {
		return nil, err
	}
	return s.completeEvent(ctx, tx, nil, state)
}

// completeEvent stores the new plates of an event whose row is written, and its
// place in the feed, and returns the event with their numbers.
func (s *Store) completeEvent(ctx context.Context, tx bun.Tx, old *listingRow, state event.State) (*event.Event, error) {
	if err := addPlates(ctx, tx, state.ID, state.Plates); err != nil {
		return nil, err
	}
	e, err := event.Restore(state)
	if err != nil {
		return nil, fmt.Errorf("storing an event: %v", err)
	}
	return e, relist(ctx, tx, eventItem(state.ID), old, listed(e))
}

// addPlates stores the plates that have no numbers and gives them theirs.
func addPlates(ctx context.Context, tx bun.Tx, on event.ID, plates []event.Plate) error {
	var rows []plateRow
	for _, p := range plates {
		if p.ID == 0 {
			rows = append(rows, plateRow{EventID: on, Photo: p.Photo, Created: moment{p.Created}})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if _, err := tx.NewInsert().Model(&rows).Exec(ctx); err != nil {
		return err
	}
	for i := range plates {
		if plates[i].ID == 0 {
			plates[i].ID, rows = rows[0].ID, rows[1:]
		}
	}
	return nil
}

func (v Events) Get(ctx context.Context, id event.ID) (found event.Entry, err error) {
	err = v.s.read(ctx, func(ctx context.Context) error {
		stored, err := v.s.hotEvent(ctx, id)
		if err != nil {
			return err
		}
		found, err = stored.entry()
		return err
	})
	return found, err
}

// hotEvent returns the event as it is committed.
func (s *Store) hotEvent(ctx context.Context, id event.ID) (*storedEvent, error) {
	found, err := s.hotEvents(ctx, s.hot.event, []any{int64(id)})
	return theOnly(found, err)
}

// loadEvent returns the event as the driver's own transaction sees it.
func (s *Store) loadEvent(ctx context.Context, tx querier, id event.ID) (*storedEvent, error) {
	found, err := queryEvents(ctx, tx, s.hot.event, []any{int64(id)})
	return theOnly(found, err)
}

func theOnly(found []storedEvent, err error) (*storedEvent, error) {
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, event.ErrNotFound
	}
	return &found[0], nil
}

// lockEvent keeps everybody else from changing the event. What must be read of it
// has to be read afterwards, by another statement: this one may have waited, and
// sees of all other tables what was there before.
func (s *Store) lockEvent(ctx context.Context, tx bun.Tx, id event.ID) error {
	var locked event.ID
	err := tx.NewRaw("SELECT id FROM events WHERE id = ? "+s.dialect.forUpdate(), id).Scan(ctx, &locked)
	return orNone(err, event.ErrNotFound)
}

// changing is an event inside Change: what fn made of it and, once that is
// stored, the entry with its numbers and counts.
type changing struct {
	event.Entry
	stored event.Entry
}

func (v Events) Change(ctx context.Context, id event.ID, fn func(*event.Event) error) (event.Entry, error) {
	changed, err := change(ctx, v.s, aggregate[*changing]{
		load: func(ctx context.Context, db bun.IDB, _ bool) (*changing, int64, error) {
			return v.s.loadChanging(ctx, db, id)
		},
		save: v.s.saveChanging,
	}, func(old *changing) (*changing, error) {
		e, err := event.Restore(old.State())
		if err != nil {
			return nil, fmt.Errorf("changing an event: %v", err)
		}
		if err := fn(e); err != nil {
			return nil, err
		}
		return &changing{Entry: event.Entry{Event: e, Counts: old.Counts}}, nil
	})
	if err != nil {
		return event.Entry{}, err
	}
	return changed.stored, nil
}

// loadChanging locks what it loads in a transaction.
func (s *Store) loadChanging(ctx context.Context, db bun.IDB, id event.ID) (*changing, int64, error) {
	load := func() (*storedEvent, error) { return s.hotEvent(ctx, id) }
	if tx, within := db.(bun.Tx); within {
		if err := s.lockEvent(ctx, tx, id); err != nil {
			return nil, 0, err
		}
		load = func() (*storedEvent, error) { return s.loadEvent(ctx, tx.Tx, id) }
	}
	stored, err := load()
	if err != nil {
		return nil, 0, err
	}
	entry, err := stored.entry()
	return &changing{Entry: entry}, stored.row.Revision, err
}

// saveChanging leaves an event alone that fn has left as it was: it was whole when
// it was loaded, and that is when this Change happened.
func (s *Store) saveChanging(ctx context.Context, tx bun.Tx, old, next *changing, revision int64) (bool, error) {
	before, after := old.State(), next.State()
	if reflect.DeepEqual(before, after) {
		next.stored = old.Entry
		return true, nil
	}
	row := eventRowOf(after)
	row.Revision = revision + 1
	err := tx.NewUpdate().Model(&row).WherePK().Where("e.revision = ?", revision).
		Returning("(SELECT comments FROM event_counts WHERE event_id = ?), (SELECT likes FROM event_counts WHERE event_id = ?)", row.ID, row.ID).
		Scan(ctx, &next.stored.Comments, &next.stored.Likes)
	if err != nil {
		return false, orNone(err, nil) // somebody else has changed it, or removed it
	}
	if err := dropPlates(ctx, tx, before.Plates, after.Plates); err != nil {
		return false, err
	}
	e, err := s.completeEvent(ctx, tx, listed(old.Event), after)
	if err != nil {
		return false, err
	}
	next.stored.Event = e
	return true, nil
}

// dropPlates deletes the plates that are no longer there.
func dropPlates(ctx context.Context, tx bun.Tx, before, after []event.Plate) error {
	var gone []event.PlateID
	for _, p := range before {
		if !slices.ContainsFunc(after, func(kept event.Plate) bool { return kept.ID == p.ID }) {
			gone = append(gone, p.ID)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	_, err := tx.NewDelete().Model((*plateRow)(nil)).Where("id IN (?)", bun.List(numbers(gone))).Exec(ctx)
	return err
}

func (v Events) Remove(ctx context.Context, id event.ID) (removed *event.Event, err error) {
	err = v.s.write(ctx, func(ctx context.Context, tx bun.Tx) (err error) {
		removed, err = v.s.removeEvent(ctx, tx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return removed, nil
}

// removeEvent deletes the counts first: of many who try, one does. Everything else
// that hangs on the event goes with its row.
func (s *Store) removeEvent(ctx context.Context, tx bun.Tx, id event.ID) (*event.Event, error) {
	done, err := tx.NewDelete().Model((*eventCountsRow)(nil)).Where("event_id = ?", id).Exec(ctx)
	if err := orUntouched(done, err, event.ErrNotFound); err != nil {
		return nil, err
	}
	if err := s.lockEvent(ctx, tx, id); err != nil {
		return nil, err
	}
	stored, err := s.loadEvent(ctx, tx.Tx, id)
	if err != nil {
		return nil, err
	}
	if _, err := tx.NewDelete().Model(&stored.row).WherePK().Exec(ctx); err != nil {
		return nil, err
	}
	e, err := stored.event()
	if err != nil {
		return nil, err
	}
	return e, relist(ctx, tx, eventItem(id), listed(e), nil)
}
