// Package diary stores events with their plates, comments and likes, the images of people, and the files that are to be deleted.
package diary

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"

	feedstore "plaza/adapters/bunstore/feed"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/idempotency"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/quota"
	"plaza/domain/ratelimit"
	"plaza/domain/search"
	"plaza/domain/user"
)

// Events implements event.Repository, event.Reader, event.Discussion and
// event.RelatedReader.
//
// Every writer locks an event's counts before the event itself, then what its author's profile counts, and all of them before the
// bytes of the author's pictures and the counters of the feed. The locks of quotas come first of all. The fixed order prevents
// deadlocks.
type Events struct {
	DB     *engine.DB
	Limits quota.Limits
}

// Add learns the number of the event before it stores what refers to it.
func (v Events) Add(ctx context.Context, e *event.Event, charges ...ratelimit.Charge) (*event.Event, error) {
	var stored event.State
	err := v.DB.Write(ctx, func(tx *engine.Tx) error {
		stored = e.State()
		makes, err := stored.Makes()
		if err != nil {
			return err
		}
		if v.countsDrafts(nil, e) {
			v.lockDrafts(tx, stored.Author)
			tx.Queue(hasFewerDrafts, stored.Author, v.Limits.Drafts).Must(v.Limits.ErrDrafts())
		}
		people.ChargeAll(tx, charges)
		queueInsert(tx, &stored)
		if err := tx.Send(); err != nil {
			return err
		}
		tx.Queue("INSERT INTO event_counts (event_id, author_id) VALUES ($1, $2)", stored.ID, stored.Author)
		plates := newPlates(stored.Plates)
		changePlates(tx, stored.ID, nil, stored.Plates)
		people.CountPictures(tx, v.Limits, stored.Author, plates...)
		if entry := search.EntryOf(e, ""); entry != nil {
			entry.ID = int64(stored.ID)
			feedstore.Reindex(v.DB, tx, nil, entry)
		}
		if l := feedstore.Listed(e); l != nil {
			l.ID = int64(stored.ID)
			var b feedstore.ListingChanges
			b.Replace(nil, l)
			feedstore.WriteListings(v.DB, tx, b)
		}
		return v.complete(tx, &stored, makes)
	})
	if err != nil {
		return nil, err
	}
	return event.Restore(stored)
}

// complete queues the statement that completes the key of the state with what storing the state has made, and removes the
// key from it: the key is not stored with the event. It sends what is queued to know a plate's number.
func (Events) complete(tx *engine.Tx, state *event.State, makes idempotency.Kind) error {
	k, made := state.Completes, int64(state.ID)
	state.Completes = nil
	if k != nil && makes == idempotency.Plate {
		if err := tx.Send(); err != nil {
			return err
		}
		made = int64(state.Plates[len(state.Plates)-1].ID)
	}
	people.CompleteKey(tx, k, makes, made)
	return nil
}

const (
	// lockRevision locks the event $1, if it has the revision $2.
	lockRevision = `
		SELECT id FROM events WHERE id = $1 AND revision = $2
		FOR UPDATE`

	// LockEvent locks the event $1.
	LockEvent = `
		SELECT id FROM events WHERE id = $1
		FOR UPDATE`
)

// changePlates queues the statements that delete removed plates, change those that staff have hidden or restored, and insert new
// plates and set their IDs.
func changePlates(tx *engine.Tx, on event.ID, before, after []event.Plate) {
	for _, p := range before {
		if !slices.ContainsFunc(after, func(kept event.Plate) bool { return kept.ID == p.ID }) {
			tx.Queue("DELETE FROM plates WHERE id = $1", p.ID)
		}
	}
	for i, p := range after {
		switch {
		case p.ID == 0:
			tx.Queue("INSERT INTO plates (event_id, photo, width, height, created) VALUES ($1, $2, $3, $4, $5) RETURNING id",
				on, p.Photo, p.Width, p.Height, p.Created).Into((*int64)(&after[i].ID))
		case !slices.Contains(before, p):
			tx.Queue("UPDATE plates SET photo = $2, hidden = $3 WHERE id = $1", p.ID, p.Photo, p.Hidden)
		}
	}
}

// loadEvent locks the event and returns it. It locks it by a statement of its own: that one may wait,
// and sees other tables as they were before.
func loadEvent(tx *engine.Tx, id event.ID) (found event.Entry, err error) {
	tx.Queue(LockEvent, id)
	engine.Found(tx, tx.Queue(eventFor, id, 0).Must(event.ErrNotFound), func(row *EventRow) (err error) {
		found, err = row.Entry()
		return err
	})
	err = tx.Send()
	return found, err
}

// Change locks the event. It does not write an event that fn leaves unchanged: it was consistent
// when it was loaded, and that is the moment of this Change.
func (v Events) Change(
	ctx context.Context, id event.ID, fn func(*event.Event) error, charges ...ratelimit.Charge,
) (changed event.Entry, err error) {
	err = v.DB.Write(ctx, func(tx *engine.Tx) error {
		if err := v.lockDraftsWith(tx, id); err != nil {
			return err
		}
		changed, err = v.changeWithin(tx, id, fn, charges)
		return err
	})
	return changed, err
}

// lockDraftsWith locks the room for drafts of the author of an event that was not read yet.
func (v Events) lockDraftsWith(tx *engine.Tx, id event.ID) error {
	if v.Limits.Drafts == 0 {
		return nil
	}
	var author user.ID
	err := tx.NewSelect().Model((*EventRow)(nil)).Column("author_id").Where("id = ?", id).Scan(tx.Context(), &author)
	v.lockDrafts(tx, author)
	return engine.OrNotFound(err, event.ErrNotFound)
}

// changeWithin is Change within the transaction.
func (v Events) changeWithin(
	tx *engine.Tx, id event.ID, fn func(*event.Event) error, charges []ratelimit.Charge,
) (event.Entry, error) {
	read, err := loadEvent(tx, id)
	if err != nil {
		return read, err
	}
	next, err := event.Restore(read.State())
	if err == nil {
		err = cmp.Or(fn(next), tx.Context().Err())
	}
	if err != nil || reflect.DeepEqual(read.State(), next.State()) {
		return read, err
	}
	return v.rewrite(tx, read, next.State(), charges)
}

// TurnEvent hides or restores the event, and returns its author.
func TurnEvent(db *engine.DB, tx *engine.Tx, t moderation.Thing, isHidden bool, moves media.Moves) (user.ID, error) {
	return turn(db, tx, event.ID(t.ID), moves, func(e *event.Event) error { return e.Turn(isHidden, moves) })
}

// turn changes what of the event is hidden, and returns its author. The plates that it moves are known once it has locked the event.
func turn(db *engine.DB, tx *engine.Tx, id event.ID, moves media.Moves, fn func(*event.Event) error) (user.ID, error) {
	var moved []media.Key
	changed, err := Events{DB: db}.changeWithin(tx, id, func(e *event.Event) error {
		before := e.State().Plates
		err := fn(e)
		for i, p := range e.State().Plates {
			if p.Photo != before[i].Photo {
				moved = append(moved, before[i].Photo)
			}
		}
		return err
	}, nil)
	if err != nil {
		return 0, err
	}
	people.MovePictures(tx, moves, moved...)
	return changed.Author(), nil
}

// TurnPlate hides or restores the plate, and returns the author of its event.
func TurnPlate(db *engine.DB, tx *engine.Tx, t moderation.Thing, isHidden bool, moves media.Moves) (user.ID, error) {
	var on event.ID
	tx.Queue("SELECT event_id FROM plates WHERE id = $1", t.ID).Must(event.ErrNoPlate).Into((*int64)(&on))
	if err := tx.Send(); err != nil {
		return 0, err
	}
	author, err := turn(db, tx, on, moves, func(e *event.Event) error { return e.TurnPlate(event.PlateID(t.ID), isHidden, moves) })
	if errors.Is(err, event.ErrNotFound) { // removed meanwhile
		err = event.ErrNoPlate
	}
	return author, err
}

// errStale reports that an event has changed since it was read.
var errStale = errors.New("the event has changed")

// rewrite stores the next state of the event if that still has the revision, applies the charges, and returns the event as it
// stores it. Else it returns errStale. The first statement locks the row, the last ones the counters of the feed.
func (v Events) rewrite(tx *engine.Tx, old event.Entry, next event.State, charges []ratelimit.Charge) (event.Entry, error) {
	changed, err := event.Restore(next)
	if err != nil {
		return event.Entry{}, err
	}
	makes, err := next.Makes()
	if err != nil {
		return event.Entry{}, err
	}
	before, stored, counts := old.State(), changed.State(), event.Counts{}
	isWhole := !isIndexedAlike(before, next)
	if isWhole { // the update locks the counts of the author's profile, which are behind the charge
		tx.Queue(lockRevision, next.ID, old.Revision).Must(errStale)
		people.ChargeAll(tx, charges)
		charges = nil
	}
	queueUpdate(tx, next, old.Revision, isWhole).Must(errStale).Into(&counts.Comments, &counts.Likes)
	people.ChargeAll(tx, charges)
	plates := newPlates(stored.Plates)
	changePlates(tx, next.ID, before.Plates, stored.Plates)
	people.CountPictures(tx, v.Limits, next.Author, plates...)
	if !isFoundAlike(before, next) {
		feedstore.Reindex(v.DB, tx, search.EntryOf(old.Event, ""), search.EntryOf(changed, ""))
	}
	if v.countsDrafts(old.Event, changed) {
		tx.Queue(hasFewerDrafts, next.Author, v.Limits.Drafts+1).Must(v.Limits.ErrDrafts()) // with this one
	}
	if err := tx.Send(); err != nil { // it sets the counts and the numbers of new plates
		return event.Entry{}, err
	}
	var b feedstore.ListingChanges
	b.Replace(feedstore.Listed(old.Event), feedstore.Listed(changed))
	feedstore.WriteListings(v.DB, tx, b)
	err = v.complete(tx, &stored, makes)
	e, broken := event.Restore(stored)
	return event.Entry{Event: e, Counts: counts, Revision: old.Revision + 1}, cmp.Or(err, broken)
}

// ChangeRead applies fn to the event as it was read and writes the result at once. If
// fn fails or changes nothing, or if the event has changed since, it falls back to
// Change: fn may decide differently on the current event.
func (v Events) ChangeRead(
	ctx context.Context, read event.Entry, fn func(*event.Event) error, charges ...ratelimit.Charge,
) (event.Entry, error) {
	before := read.State()
	changed, err := event.Restore(before)
	if err := cmp.Or(ctx.Err(), err); err != nil {
		return event.Entry{}, err
	}
	if err := cmp.Or(fn(changed), ctx.Err()); err != nil || reflect.DeepEqual(before, changed.State()) {
		return v.Change(ctx, read.ID(), fn, charges...)
	}
	var stored event.Entry
	err = v.DB.Write(ctx, func(tx *engine.Tx) error {
		if v.countsDrafts(read.Event, changed) {
			v.lockDrafts(tx, read.Author())
		}
		stored, err = v.rewrite(tx, read, changed.State(), charges)
		return err
	})
	if errors.Is(err, errStale) {
		return v.Change(ctx, read.ID(), fn, charges...)
	}
	return stored, err
}

func (v Events) Remove(ctx context.Context, id event.ID) (removed *event.Event, err error) {
	err = v.DB.Write(ctx, func(tx *engine.Tx) (err error) {
		var b feedstore.ListingChanges
		removed, err = RemoveEvent(tx, id, &b)
		feedstore.WriteListings(v.DB, tx, b)
		return err
	})
	return removed, err
}

// RemoveEvent deletes the counts first, so that exactly one of several concurrent
// callers succeeds. The caller writes the changes of the feed at its end. The row's dependents are deleted with it.
func RemoveEvent(tx *engine.Tx, id event.ID, b *feedstore.ListingChanges) (*event.Event, error) {
	tx.Queue("DELETE FROM event_counts WHERE event_id = $1", id).Must(event.ErrNotFound)
	stored, err := loadEvent(tx, id)
	if err != nil {
		return nil, err
	}
	tx.Queue("DELETE FROM events WHERE id = $1", id)
	feedstore.Unindex(tx, feed.Event, int64(id))
	b.Replace(feedstore.Listed(stored.Event), nil)
	return stored.Event, nil
}
