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

// Add sends all steps together. Those behind the one that inserts the event refer to it.
func (v Events) Add(ctx context.Context, e *event.Event, charges ...ratelimit.Charge) (*event.Event, error) {
	stored, d := e.State(), v.s.Dialect
	stored.ID = 0
	completed, err := v.s.eventCompletion(&stored)
	if err != nil {
		return nil, err
	}
	var steps []engine.Step
	if v.countsDrafts(nil, e) {
		steps = v.roomForDraft(stored.Author, v.limits.ErrDrafts())
	}
	steps = append(append(steps, v.s.chargeSteps(charges)...),
		engine.Step{Statement: v.s.steps.insertEvent, Args: eventNew.Values(&stored, d), Row: engine.Into(&stored.ID)},
		engine.Step{Statement: v.s.steps.insertCounts, Args: []any{int64(stored.Author)}},
	)
	steps = append(steps, v.s.plateSteps(0, nil, stored.Plates)...)
	steps = append(steps, v.s.pictureSteps(v.limits, stored.Author, newPlates(stored.Plates)...)...)
	if l := listed(e); l != nil {
		l.ID = 0
		steps = append(steps, v.s.steps.stepsForNew(l)...)
	}
	if err := v.s.writeAll(ctx, append(steps, completed...)); err != nil {
		return nil, err
	}
	return event.Restore(stored)
}

// eventCompletion returns the step that completes the key of the state with what storing the
// state makes, and removes the key from it: the key is not stored with the event.
func (s *Store) eventCompletion(state *event.State) ([]engine.Step, error) {
	makes, err := state.Makes()
	if err != nil {
		return nil, err
	}
	k, statement := state.Completes, s.steps.completeEvent
	if makes == idempotency.Plate {
		statement = s.steps.completePlate
	}
	state.Completes = nil
	return completion(k, statement), nil
}

// plateSteps returns the steps that delete removed plates, and insert new plates and
// set their IDs. The event is 0 if an earlier step inserts it.
func (s *Store) plateSteps(on event.ID, before, after []event.Plate) (steps []engine.Step) {
	for _, p := range before {
		if !slices.ContainsFunc(after, func(kept event.Plate) bool { return kept.ID == p.ID }) {
			steps = append(steps, engine.Step{Statement: s.steps.deletePlate, Args: []any{int64(p.ID)}})
		}
	}
	for i, p := range after {
		if p.ID == 0 {
			steps = append(steps, engine.Step{
				Statement: s.steps.insertPlate, Args: []any{engine.NullIfZero(on), string(p.Photo), s.Dialect.Instant(p.Created)},
				Row: engine.Into(&after[i].ID),
			})
		}
	}
	return steps
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
	err := tx.Run(ctx, engine.Step{Statement: s.steps.lockEvent, Args: args},
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
	err = v.s.writeWithin(ctx, v.s.Limit, v.lockDraftsWith(id), func(ctx context.Context, tx *listedTransaction) error {
		changed, err = v.change(ctx, tx, id, fn, charges)
		return err
	})
	if err != nil {
		return event.Entry{}, err
	}
	return changed, nil
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
		tx.Add(v.draftsBelow(stored.Author, v.limits.Drafts+1, v.limits.ErrDrafts())) // with this one
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
		Into(&r.Comments, &r.Likes, new(int64))
	tx.Add(s.chargeSteps(charges)...)
	completed, err := s.eventCompletion(&r.State)
	if err != nil {
		return nil, err
	}
	tx.Add(s.plateSteps(next.ID, before.Plates, r.Plates)...)
	tx.Add(s.pictureSteps(v.limits, next.Author, newPlates(r.Plates)...)...)
	if err := tx.Send(); err != nil {
		return nil, err
	}
	var b listingChanges
	b.replace(eventItem(next.ID), listed(old), listed(changed))
	tx.Add(s.steps.stepsFor(b)...)
	tx.Add(completed...)
	return r, nil
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
			tx.Add(v.roomForDraft(read.Author(), errStale)...)
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
	if err := tx.Run(ctx, engine.Step{Statement: s.steps.deleteEvent, Args: []any{int64(id)}}); err != nil {
		return nil, err
	}
	e, err := stored.event()
	if err != nil {
		return nil, err
	}
	tx.changes.replace(eventItem(id), listed(e), nil)
	return e, nil
}
