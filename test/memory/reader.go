package memory

import (
	"context"
	"time"

	"plaza/domain/event"
	"plaza/domain/page"
	"plaza/domain/user"
)

func (v Events) List(ctx context.Context, q event.Query) (page.Page[event.Entry], error) {
	return read(ctx, v.s, func() (page.Page[event.Entry], error) {
		within := v.s.events.where(func(e event.State) bool {
			return q.Admits(e) && e.Exposure().VisibleTo(v.s.relation(q.Viewer, q.Author))
		})
		p, err := page.Slice(q.Page, sorted(within, q.Order.Compare), event.State.AtDay)
		if err != nil {
			return page.Page[event.Entry]{}, err
		}
		return page.With(p, v.s.entries(p.Items)), nil
	})
}

func (Events) Written(ctx context.Context, _ user.ID, _ page.Span, _ page.Request) (page.Page[event.State], error) {
	return unasked[page.Page[event.State]](ctx)
}

func (v Events) Commented(ctx context.Context, author user.ID, limit int) ([]event.Entry, error) {
	return read(ctx, v.s, func() ([]event.Entry, error) {
		last := map[event.ID]time.Time{}
		for c := range v.s.comments.where(func(c event.Comment) bool { return !c.Hidden && c.Created.After(last[c.Event]) }) {
			last[c.Event] = c.Created
		}
		commented := v.s.events.where(func(e event.State) bool { return e.Author == author && !last[e.ID].IsZero() })
		latestFirst := latest(func(e event.State) page.Cursor { return page.At(last[e.ID], e.ID) })
		return v.s.entries(first(sorted(commented, latestFirst), limit)), nil
	})
}

func (v Events) OfPlate(ctx context.Context, id event.PlateID) (event.ID, error) {
	return read(ctx, v.s, func() (event.ID, error) {
		on, _ := v.s.plate(id)
		if on == 0 {
			return 0, event.ErrNoPlate
		}
		return on, nil
	})
}

func (v Events) Located(ctx context.Context, after event.ID, limit int) ([]event.Located, error) {
	return read(ctx, v.s, func() ([]event.Located, error) {
		later := v.s.events.where(func(e event.State) bool { return e.ID > after })
		var some []event.Located
		for _, e := range first(sorted(later, by(func(e event.State) event.ID { return e.ID })), limit) {
			some = append(some, event.Located{ID: e.ID, Text: event.Text{Title: e.Title, Content: e.Content}, Place: e.Place})
		}
		return some, nil
	})
}

func atCreation(e event.State) page.Cursor { return page.At(e.Created, e.ID) }

// entry returns a copy of the event with its counts.
func (s *Store) entry(id event.ID) (event.Entry, error) {
	state, err := s.events.get(id, event.ErrNotFound)
	if err != nil {
		return event.Entry{}, err
	}
	return s.entryOf(state), nil
}

func (s *Store) entryOf(state event.State) event.Entry {
	comments := s.comments.count(func(c event.Comment) bool { return c.Event == state.ID && !c.Hidden })
	return event.Entry{Event: restored(state), Counts: event.Counts{Comments: comments, Likes: len(s.likes[state.ID])}}
}

func (s *Store) entries(states []event.State) []event.Entry {
	entries := make([]event.Entry, len(states))
	for i, state := range states {
		entries[i] = s.entryOf(state)
	}
	return entries
}

// event returns a copy of the event.
func (s *Store) event(id event.ID) (*event.Event, error) {
	state, err := s.events.get(id, event.ErrNotFound)
	if err != nil {
		return nil, err
	}
	return restored(state), nil
}

// restored returns the event of a state that it had.
func restored(s event.State) *event.Event {
	e, err := event.Restore(s)
	if err != nil {
		panic(err)
	}
	return e
}
