package bunstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/uptrace/bun"

	"plaza/domain/event"
	"plaza/domain/feed"
)

// Events implements event.Repository, event.Reader, event.Discussion and
// event.RelatedReader.
//
// Every writer locks an event's counts before the event itself, and both before the
// counters of the feed. The fixed order prevents deadlocks.
type Events struct{ s *Store }

// Events returns the repository of events and their discussions.
func (s *Store) Events() Events { return Events{s} }

var (
	_ event.Repository    = Events{}
	_ event.Reader        = Events{}
	_ event.Discussion    = Events{}
	_ event.RelatedReader = Events{}
)

func eventItem(id event.ID) item { return item{feed.Xfile, int64(id)} }

func (v Events) Add(ctx context.Context, e *event.Event) (*event.Event, error) {
	state := e.State()
	var stored event.State
	id, err := v.s.insert(ctx, v.s.insertEvent(state), func(id int64) ([]step, error) {
		state.ID = event.ID(id)
		counts := step{statement: v.s.sql.insertCounts, args: []any{id, int64(state.Author)}}
		others, err := v.s.completeEvent(nil, state, &stored)
		return append([]step{counts}, others...), err
	})
	if err != nil {
		return nil, err
	}
	stored.ID = event.ID(id)
	return event.Restore(stored)
}

// insertEvent stores the columns of a new event.
func (s *Store) insertEvent(e event.State) step {
	args := append(s.eventArgs(e), int64(e.Author), s.dialect.instant(dbTime{e.Created}))
	return step{statement: s.sql.insertEvent, args: args}
}

// eventArgs returns the mutable columns, in the order of eventSteps.
func (s *Store) eventArgs(e event.State) []any {
	category := any(nil)
	if e.Category != 0 {
		category = int64(e.Category)
	}
	return []any{
		s.dialect.date(e.Date), e.Title, e.Content, string(e.HTML), category, int64(e.Permission), int64(e.Status),
		e.Place.Province, e.Place.City, e.Place.District, s.dialect.instant(dbTime{e.Modified}),
	}
}

// completeEvent returns the steps after the event's row is written, which locks it:
// they write its plates, whose new IDs are set in stored, and its listing.
func (s *Store) completeEvent(old *event.Event, next event.State, stored *event.State) ([]step, error) {
	e, err := event.Restore(next)
	if err != nil {
		return nil, fmt.Errorf("store event: %v", err)
	}
	*stored = e.State()
	at := eventItem(next.ID)
	if old == nil {
		return append(s.plateSteps(next.ID, nil, stored.Plates), s.sql.stepsForNew(at, listed(e))...), nil
	}
	var b listingChanges
	b.replace(at, listed(old), listed(e))
	return append(s.plateSteps(next.ID, old.State().Plates, stored.Plates), s.sql.stepsFor(b)...), nil
}

// plateSteps returns the steps that delete removed plates, and insert new plates and
// set their IDs.
func (s *Store) plateSteps(on event.ID, before, after []event.Plate) (steps []step) {
	for _, p := range before {
		if !slices.ContainsFunc(after, func(kept event.Plate) bool { return kept.ID == p.ID }) {
			steps = append(steps, step{statement: s.sql.deletePlate, args: []any{int64(p.ID)}})
		}
	}
	for i, p := range after {
		if p.ID == 0 {
			steps = append(steps, step{
				statement: s.sql.insertPlate, args: []any{int64(on), string(p.Photo), s.dialect.instant(dbTime{p.Created})},
				row: func(scan func(...any) error) error { return scan(&after[i].ID) },
			})
		}
	}
	return steps
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

// hotEvent returns the committed event.
func (s *Store) hotEvent(ctx context.Context, id event.ID) (*storedEvent, error) {
	found, err := s.hotEvents(ctx, s.hot.event, []any{int64(id)})
	return theOnly(found, err)
}

// loadEvent returns the event as the transaction sees it.
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

// lockEvent locks the event. Its data must be read afterwards, by another statement:
// this one may have waited, and sees other tables as they were before.
func (s *Store) lockEvent(ctx context.Context, tx *transaction, id event.ID) error {
	var locked event.ID
	err := tx.NewRaw("SELECT id FROM events WHERE id = ? "+s.dialect.forUpdate(), id).Scan(ctx, &locked)
	return orNotFound(err, event.ErrNotFound)
}

// changing is an event inside Change: the result of fn and, once stored, the entry with
// its IDs and counts.
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
			return nil, fmt.Errorf("change event: %v", err)
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

// loadChanging locks the event if db is a transaction.
func (s *Store) loadChanging(ctx context.Context, db bun.IDB, id event.ID) (*changing, int64, error) {
	load := func() (*storedEvent, error) { return s.hotEvent(ctx, id) }
	if tx, within := db.(*transaction); within {
		if err := s.lockEvent(ctx, tx, id); err != nil {
			return nil, 0, err
		}
		load = func() (*storedEvent, error) { return s.loadEvent(ctx, tx.driver, id) }
	}
	stored, err := load()
	if err != nil {
		return nil, 0, err
	}
	entry, err := stored.entry()
	return &changing{Entry: entry}, stored.row.Revision, err
}

// saveChanging does not write an event that fn left unchanged: it was consistent when
// it was loaded, and that is the moment of this Change.
func (s *Store) saveChanging(ctx context.Context, tx *transaction, old, next *changing, revision int64) (bool, error) {
	before, after := old.State(), next.State()
	if reflect.DeepEqual(before, after) {
		next.stored = old.Entry
		return true, nil
	}
	steps, stored, err := s.rewrite(old.Event, after, revision)
	if err != nil {
		return false, err
	}
	if err := tx.run(ctx, steps...); errors.Is(err, errMissed) {
		return false, nil // another caller has changed or removed it
	} else if err != nil {
		return false, err
	}
	next.stored, err = stored.entry()
	return true, err
}

// rewritten is an event after the steps of rewrite.
type rewritten struct {
	event.State
	event.Counts
	revision int64
}

func (r *rewritten) entry() (event.Entry, error) {
	e, err := event.Restore(r.State)
	return event.Entry{Event: e, Counts: r.Counts, Revision: r.revision}, err
}

// rewrite returns the steps that store the changed event if it still has the revision,
// and read its counts.
func (s *Store) rewrite(old *event.Event, next event.State, revision int64) ([]step, *rewritten, error) {
	r := &rewritten{revision: revision + 1}
	others, err := s.completeEvent(old, next, &r.State)
	first := step{
		statement: s.sql.rewriteEvent, args: append(s.eventArgs(next), int64(next.ID), revision), mustMatch: true,
		row: func(scan func(...any) error) error { return scan(&r.Comments, &r.Likes, new(int64)) },
	}
	if isSameButText(old.State(), next) {
		first.statement, first.args = s.sql.rewriteText, append(s.textArgs(next), int64(next.ID), revision)
	}
	return append([]step{first}, others...), r, err
}

// isSameButText reports whether only unindexed columns have changed.
func isSameButText(old, next event.State) bool {
	return old.Date == next.Date && old.Category == next.Category && old.Permission == next.Permission && old.Status == next.Status
}

func (s *Store) textArgs(e event.State) []any {
	return []any{
		e.Title, e.Content, string(e.HTML), e.Place.Province, e.Place.City, e.Place.District, s.dialect.instant(dbTime{e.Modified}),
	}
}

// ChangeRead applies fn to the event as it was read and writes the result at once. If
// fn fails or changes nothing, or if the event has changed since, it falls back to
// Change: fn may decide differently on the current event.
func (v Events) ChangeRead(ctx context.Context, read event.Entry, fn func(*event.Event) error) (event.Entry, error) {
	if err := ctx.Err(); err != nil {
		return event.Entry{}, err
	}
	before := read.State()
	changed, err := event.Restore(before)
	if err != nil {
		return event.Entry{}, fmt.Errorf("change event: %v", err)
	}
	if err := cmp.Or(fn(changed), ctx.Err()); err != nil || reflect.DeepEqual(before, changed.State()) {
		return v.Change(ctx, read.ID(), fn)
	}
	steps, stored, err := v.s.rewrite(read.Event, changed.State(), read.Revision)
	if err != nil {
		return event.Entry{}, err
	}
	if err := v.s.writeAll(ctx, steps); errors.Is(err, errMissed) {
		return v.Change(ctx, read.ID(), fn)
	} else if err != nil {
		return event.Entry{}, err
	}
	return stored.entry()
}

func (v Events) Remove(ctx context.Context, id event.ID) (removed *event.Event, err error) {
	err = v.s.write(ctx, func(ctx context.Context, tx *transaction) (err error) {
		removed, err = v.s.removeEvent(ctx, tx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return removed, nil
}

// removeEvent deletes the counts first, so that exactly one of several concurrent
// callers succeeds. The row's dependents are deleted with it.
func (s *Store) removeEvent(ctx context.Context, tx *transaction, id event.ID) (*event.Event, error) {
	done, err := tx.NewDelete().Model((*eventCountsRow)(nil)).Where("event_id = ?", id).Exec(ctx)
	if err := orNotAffected(done, err, event.ErrNotFound); err != nil {
		return nil, err
	}
	if err := s.lockEvent(ctx, tx, id); err != nil {
		return nil, err
	}
	stored, err := s.loadEvent(ctx, tx.driver, id)
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
	tx.changes.replace(eventItem(id), listed(e), nil)
	return e, nil
}
