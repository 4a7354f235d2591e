package bunstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/idempotency"
	"plaza/domain/quota"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// Events implements event.Repository, event.Reader, event.Discussion and
// event.RelatedReader.
//
// Every writer locks an event's counts before the event itself, and both before the
// bytes of its author's pictures and the counters of the feed. The locks of quotas come
// first of all. The fixed order prevents deadlocks.
type Events struct {
	s      *Store
	limits quota.Limits
}

// Events returns the repository of events and their discussions.
func (s *Store) Events() Events { return Events{s: s} }

var (
	_ event.Repository    = Events{}
	_ event.Reader        = Events{}
	_ event.Discussion    = Events{}
	_ event.RelatedReader = Events{}
)

func eventItem(id event.ID) item { return item{feed.Event, int64(id)} }

// Add learns the number of the event before it stores what refers to it.
func (v Events) Add(ctx context.Context, e *event.Event, charges ...ratelimit.Charge) (*event.Event, error) {
	var stored event.State
	err := v.s.write(ctx, func(ctx context.Context, tx *listedTransaction) error {
		stored = e.State()
		makes, err := stored.Makes()
		if err != nil {
			return err
		}
		if v.countsDrafts(nil, e) {
			v.needDraft(tx.Tx, stored.Author, v.limits.ErrDrafts())
		}
		chargeAll(tx.Tx, charges)
		tx.Queue(v.s.steps.insertEvent, eventNew.Values(&stored, v.s.Dialect)...).Into((*int64)(&stored.ID))
		if err := tx.Send(); err != nil {
			return err
		}
		tx.Queue(insertCounts, stored.ID, stored.Author)
		plates := newPlates(stored.Plates)
		changePlates(tx.Tx, stored.ID, nil, stored.Plates)
		countPictures(tx.Tx, v.limits, stored.Author, plates...)
		if l := listed(e); l != nil {
			l.ID = int64(stored.ID)
			tx.changes.replace(eventItem(stored.ID), nil, l)
		}
		return v.complete(tx.Tx, &stored, makes)
	})
	if err != nil {
		return nil, err
	}
	return event.Restore(stored)
}

// complete queues the statement that completes the key of the state with what storing the state has made, and removes the
// key from it: the key is not stored with the event. It sends what is queued to know a plate's number.
func (Events) complete(tx *engine.Tx, state *event.State, makes idempotency.Kind) error {
	k := state.Completes
	state.Completes = nil
	switch {
	case k == nil:
		return nil
	case makes == idempotency.Plate:
		if err := tx.Send(); err != nil {
			return err
		}
		complete(tx, k, makes, int64(state.Plates[len(state.Plates)-1].ID))
	default:
		complete(tx, k, makes, int64(state.ID))
	}
	return nil
}

const (
	// insertCounts begins to count comments and likes of the event $1 by $2.
	insertCounts = `
		INSERT INTO event_counts (event_id, author_id) VALUES ($1, $2)`

	// insertPlate adds the plate with the photo $2, made at $3, to the event $1.
	insertPlate = `
		INSERT INTO plates (event_id, photo, created) VALUES ($1, $2, $3)
		RETURNING id`

	// deletePlate removes the plate $1.
	deletePlate = `
		DELETE FROM plates WHERE id = $1`

	// deleteEvent removes the event $1 with what refers to it.
	deleteEvent = `
		DELETE FROM events WHERE id = $1`

	// lockEvent locks the event $1.
	lockEvent = `
		SELECT id FROM events WHERE id = $1
		FOR UPDATE`
)

// changePlates queues the statements that delete removed plates, and insert new plates and set their IDs.
func changePlates(tx *engine.Tx, on event.ID, before, after []event.Plate) {
	for _, p := range before {
		if !slices.ContainsFunc(after, func(kept event.Plate) bool { return kept.ID == p.ID }) {
			tx.Queue(deletePlate, p.ID)
		}
	}
	for i, p := range after {
		if p.ID == 0 {
			tx.Queue(insertPlate, on, p.Photo, p.Created).Into((*int64)(&after[i].ID))
		}
	}
}

func (v Events) Get(ctx context.Context, id event.ID) (event.Entry, error) {
	return engine.ReadOne(ctx, v.s.DB, event.ErrNotFound, v.s.hotReads.event, []any{int64(id)}, entryReader(v.s.Dialect))
}

func (v Events) GetFor(ctx context.Context, id event.ID, viewer user.ID) (event.Entry, subscription.Relation, error) {
	var follows, followed, blocked bool
	read := entryReader(v.s.Dialect, &follows, &followed, &blocked)
	found, err := engine.ReadOne(ctx, v.s.DB, event.ErrNotFound, v.s.hotReads.eventFor, []any{int64(id), int64(viewer)}, read)
	if err != nil {
		return event.Entry{}, 0, err
	}
	return found, subscription.Relate(viewer, found.Author(), follows, followed, blocked), nil
}

// loadEvent locks the event and returns it. It locks it by a statement of its own: that one may wait,
// and sees other tables as they were before.
func (s *Store) loadEvent(ctx context.Context, tx *engine.Tx, id event.ID) (*storedEvent, error) {
	var found []storedEvent
	args := []any{int64(id)}
	err := tx.Run(ctx, engine.Step{Statement: lockEvent, Args: args},
		engine.Step{Statement: s.hotReads.event, Args: args, Row: engine.Collect(&found, eventReader(s.Dialect))})
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, event.ErrNotFound
	}
	return &found[0], nil
}

// Change locks the event. It does not write an event that fn leaves unchanged: it was consistent
// when it was loaded, and that is the moment of this Change.
func (v Events) Change(
	ctx context.Context, id event.ID, fn func(*event.Event) error, charges ...ratelimit.Charge,
) (changed event.Entry, err error) {
	err = v.s.write(ctx, func(ctx context.Context, tx *listedTransaction) error {
		if err := v.lockDraftsWith(ctx, tx.Tx, id); err != nil {
			return err
		}
		changed, err = v.change(ctx, tx, id, fn, charges)
		return err
	})
	if err != nil {
		return event.Entry{}, err
	}
	return changed, nil
}

// lockDraftsWith locks the room for drafts of the author of an event that was not read yet.
func (v Events) lockDraftsWith(ctx context.Context, tx *engine.Tx, id event.ID) error {
	if v.limits.Drafts == 0 {
		return nil
	}
	var author user.ID
	err := tx.NewSelect().Model((*eventRow)(nil)).Column("author_id").Where("id = ?", id).Scan(ctx, &author)
	v.lockDrafts(tx, author)
	return engine.OrNotFound(err, event.ErrNotFound)
}

// change is Change within the transaction.
func (v Events) change(
	ctx context.Context, tx *listedTransaction, id event.ID, fn func(*event.Event) error, charges []ratelimit.Charge,
) (event.Entry, error) {
	stored, err := v.s.loadEvent(ctx, tx.Tx, id)
	if err != nil {
		return event.Entry{}, err
	}
	read, err := stored.entry()
	if err != nil {
		return event.Entry{}, err
	}
	next, err := event.Restore(read.State())
	if err != nil {
		return event.Entry{}, fmt.Errorf("change event: %v", err)
	}
	if err := cmp.Or(fn(next), ctx.Err()); err != nil || reflect.DeepEqual(read.State(), next.State()) {
		return read, err
	}
	rewritten, err := v.rewrite(tx.Tx, read.Event, next.State(), stored.revision, charges)
	if err != nil {
		return event.Entry{}, err
	}
	if v.countsDrafts(read.Event, next) {
		tx.Queue(hasFewerDrafts, stored.Author, v.limits.Drafts+1).Must(v.limits.ErrDrafts()) // with this one
	}
	if err := tx.Send(); err != nil {
		return event.Entry{}, err
	}
	return rewritten.entry()
}

// errStale reports that an event has changed since it was read.
var errStale = errors.New("the event has changed")

// rewrite stores the changed event if it still has the revision, applies the charges, and returns the event as it stores it,
// whose counts it reads. Else it returns errStale. The first statement locks the row, the last ones the counters of the feed.
func (v Events) rewrite(
	tx *engine.Tx, old *event.Event, next event.State, revision int64, charges []ratelimit.Charge,
) (*storedEvent, error) {
	s := v.s
	changed, err := event.Restore(next)
	if err != nil {
		return nil, fmt.Errorf("store event: %v", err)
	}
	before, r := old.State(), &storedEvent{State: changed.State(), revision: revision + 1}
	statement, written := s.steps.rewriteEvent, eventMutable
	if slices.Equal(eventIndexed.Values(&before, s.Dialect), eventIndexed.Values(&next, s.Dialect)) {
		statement, written = s.steps.rewriteText, eventText
	}
	tx.Queue(statement, append([]any{int64(next.ID), revision}, written.Values(&next, s.Dialect)...)...).Must(errStale).
		Into(&r.Comments, &r.Likes)
	chargeAll(tx, charges)
	makes, err := r.Makes()
	if err != nil {
		return nil, err
	}
	plates := newPlates(r.Plates)
	changePlates(tx, next.ID, before.Plates, r.Plates)
	countPictures(tx, v.limits, next.Author, plates...)
	if err := tx.Send(); err != nil {
		return nil, err
	}
	var b listingChanges
	b.replace(eventItem(next.ID), listed(old), listed(changed))
	tx.Add(s.steps.stepsFor(b)...)
	return r, v.complete(tx, &r.State, makes)
}

// ChangeRead applies fn to the event as it was read and writes the result at once. If
// fn fails or changes nothing, or if the event has changed since, it falls back to
// Change: fn may decide differently on the current event. So it does if the author has
// as many drafts as the quota: the event may be a draft already.
func (v Events) ChangeRead(
	ctx context.Context, read event.Entry, fn func(*event.Event) error, charges ...ratelimit.Charge,
) (event.Entry, error) {
	if err := ctx.Err(); err != nil {
		return event.Entry{}, err
	}
	before := read.State()
	changed, err := event.Restore(before)
	if err != nil {
		return event.Entry{}, fmt.Errorf("change event: %v", err)
	}
	if err := cmp.Or(fn(changed), ctx.Err()); err != nil || reflect.DeepEqual(before, changed.State()) {
		return v.Change(ctx, read.ID(), fn, charges...)
	}
	var stored *storedEvent
	err = v.s.Write(ctx, func(tx *engine.Tx) error {
		if v.countsDrafts(read.Event, changed) {
			v.needDraft(tx, read.Author(), errStale)
		}
		stored, err = v.rewrite(tx, read.Event, changed.State(), read.Revision, charges)
		return err
	})
	if errors.Is(err, errStale) {
		return v.Change(ctx, read.ID(), fn, charges...)
	}
	if err != nil {
		return event.Entry{}, v.s.orThrottled(ctx, err)
	}
	return stored.entry()
}

func (v Events) Remove(ctx context.Context, id event.ID) (removed *event.Event, err error) {
	err = v.s.write(ctx, func(ctx context.Context, tx *listedTransaction) (err error) {
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
func (s *Store) removeEvent(ctx context.Context, tx *listedTransaction, id event.ID) (*event.Event, error) {
	done, err := tx.NewDelete().Model((*eventCountsRow)(nil)).Where("event_id = ?", id).Exec(ctx)
	if err := engine.OrNotAffected(done, err, event.ErrNotFound); err != nil {
		return nil, err
	}
	stored, err := s.loadEvent(ctx, tx.Tx, id)
	if err != nil {
		return nil, err
	}
	tx.Queue(deleteEvent, id)
	e, err := stored.event()
	if err != nil {
		return nil, err
	}
	tx.changes.replace(eventItem(id), listed(e), nil)
	return e, nil
}
