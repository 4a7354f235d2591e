package memory

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"slices"

	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/idempotency"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// Events is the store as event.Repository, event.Reader, event.Discussion and event.RelatedReader.
type Events view

func (v Events) Add(ctx context.Context, e *event.Event, charges ...ratelimit.Charge) (*event.Event, error) {
	return charged(ctx, v.s, charges, func() (*event.Event, error) {
		state := e.State()
		state.ID = 0
		return v.putEvent(nil, state)
	})
}

func (v Events) Get(ctx context.Context, id event.ID) (event.Entry, error) {
	return read(ctx, v.s, func() (event.Entry, error) { return v.s.entry(id) })
}

func (v Events) GetFor(ctx context.Context, id event.ID, viewer user.ID) (event.Entry, subscription.Relation, error) {
	var relation subscription.Relation
	found, err := read(ctx, v.s, func() (event.Entry, error) {
		entry, err := v.s.entry(id)
		if err == nil {
			relation = v.s.relation(viewer, entry.Author())
		}
		return entry, err
	})
	return found, relation, err
}

func (v Events) ChangeRead(
	ctx context.Context, read event.Entry, fn func(*event.Event) error, charges ...ratelimit.Charge,
) (event.Entry, error) {
	return v.Change(ctx, read.ID(), fn, charges...)
}

// Change stores nothing if fn fails, or if the context has ended meanwhile.
func (v Events) Change(ctx context.Context, id event.ID, fn func(*event.Event) error, charges ...ratelimit.Charge) (event.Entry, error) {
	return write(ctx, v.s, func() (event.Entry, error) {
		e, err := v.s.event(id)
		if err != nil {
			return event.Entry{}, err
		}
		replaced, before := *e, e.State()
		if err := cmp.Or(fn(e), ctx.Err()); err != nil {
			return event.Entry{}, err
		}
		if reflect.DeepEqual(before, e.State()) {
			return v.s.entry(id)
		}
		paid, err := v.s.pay(charges)
		if err != nil {
			return event.Entry{}, err
		}
		if _, err := v.putEvent(&replaced, e.State()); err != nil {
			return event.Entry{}, err
		}
		maps.Copy(v.s.spentUntil, paid)
		return v.s.entry(id)
	})
}

func (v Events) Remove(ctx context.Context, id event.ID) (*event.Event, error) {
	return write(ctx, v.s, func() (*event.Event, error) {
		e, err := v.s.event(id)
		if err != nil {
			return nil, err
		}
		v.s.removeEvent(e.State())
		return e, nil
	})
}

// removeEvent removes the event with its comments, likes, listing and plates.
func (s *Store) removeEvent(e event.State) {
	for c := range s.comments.where(func(c event.Comment) bool { return c.Event == e.ID }) {
		s.removeComment(c)
	}
	for who := range s.likes[e.ID] {
		s.removeLike(e.ID, who)
	}
	delete(s.likes, e.ID)
	delete(s.listings, itemOf(feed.Event, e.ID))
	delete(s.index, itemOf(feed.Event, e.ID))
	delete(s.events, e.ID)
	s.unhide(moderation.Event, int64(e.ID))
	s.queuePlateDeletions(e.Plates, nil)
}

// putEvent numbers a new event and new plates, stores the state with its listing in place of
// replaced, completes its key, and returns a copy of the event. If it fails, nothing is stored.
func (v Events) putEvent(replaced *event.Event, state event.State) (*event.Event, error) {
	s := v.s
	if err := s.checkUser(state.Author); err != nil {
		return nil, err
	}
	if err := s.checkCategory(state.Category); err != nil {
		return nil, err
	}
	k := state.Completes
	makes, err := state.Makes()
	if err == nil {
		err = s.requests.checkHeld(k)
	}
	if err != nil {
		return nil, err
	}
	if state.Completes = nil; state.ID == 0 {
		state.ID = event.ID(s.numbers.event.next())
	}
	made := int64(state.ID)
	bytes := map[media.Key]int64{}
	for i := range state.Plates {
		if p := &state.Plates[i]; p.ID == 0 {
			p.ID = event.PlateID(s.numbers.plate.next())
			if makes == idempotency.Plate {
				made = int64(p.ID) // in the end that of the newest
			}
			bytes[p.Photo], p.Bytes = p.Bytes, 0
		}
	}
	e, err := event.Restore(state)
	if err != nil {
		return nil, err
	}
	if err := s.checkDrafts(v.limits, replaced, e); err != nil {
		return nil, err
	}
	if err := s.countPictures(v.limits, state.Author, bytes); err != nil {
		return nil, err
	}
	s.queuePlateDeletions(s.events[state.ID].Plates, state.Plates)
	s.events[state.ID] = state
	s.list(itemOf(feed.Event, state.ID), e)
	s.requests.complete(k, makes, made)
	return e, nil
}

func (v Events) Timeline(ctx context.Context, viewer user.ID, r page.CursorRequest) (page.CursorPage[event.Entry], error) {
	return read(ctx, v.s, func() (page.CursorPage[event.Entry], error) {
		states := v.s.events.where(func(e event.State) bool {
			_, follows := v.s.follow(viewer, e.Author, 0)
			return follows && e.Exposure().VisibleTo(v.s.relation(viewer, e.Author))
		})
		p := upTo(r, states, event.State.AtCursor)
		return page.CursorPage[event.Entry]{Items: v.s.entries(p.Items), Next: p.Next}, nil
	})
}

// queuePlateDeletions queues the pictures of removed plates for deletion.
func (s *Store) queuePlateDeletions(before, after []event.Plate) {
	for _, p := range before {
		if !slices.ContainsFunc(after, func(kept event.Plate) bool { return kept.ID == p.ID }) {
			s.queueDeletion(p.Photo)
			s.unhide(moderation.Plate, int64(p.ID))
		}
	}
}
