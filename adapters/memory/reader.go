package memory

import (
	"cmp"
	"context"
	"slices"

	"plaza/domain/event"
	"plaza/domain/page"
	"plaza/domain/user"
)

func (v Events) List(ctx context.Context, q event.Query) (page.Page[event.Entry], error) {
	return read(ctx, v.s, func() (page.Page[event.Entry], error) {
		within := v.s.eventsWhere(func(e event.State) bool {
			return e.Author == q.Author && slices.Contains(q.States, stateAndPermission(e))
		})
		sortFunc(within, q.Order.Compare)
		p, err := pageOf(q.Page, within)
		if err != nil {
			return page.Page[event.Entry]{}, err
		}
		entries, err := v.s.entries(p.Items)
		return page.With(p, entries), err
	})
}

func (v Events) Commented(ctx context.Context, author user.ID, limit int) ([]event.Entry, error) {
	return read(ctx, v.s, func() ([]event.Entry, error) {
		commented := v.s.eventsWhere(func(e event.State) bool {
			return e.Author == author && len(v.s.comments[e.ID]) > 0
		})
		sortFunc(commented, func(a, b event.State) int {
			latestA, latestB := v.s.comments[a.ID][0], v.s.comments[b.ID][0]
			return cmp.Or(latestB.Created.Compare(latestA.Created), cmp.Compare(b.ID, a.ID))
		})
		return v.s.entries(first(commented, limit))
	})
}

func (v Events) OfPlate(ctx context.Context, id event.PlateID) (event.ID, error) {
	return read(ctx, v.s, func() (event.ID, error) {
		holders := v.s.eventsWhere(func(e event.State) bool {
			return slices.ContainsFunc(e.Plates, func(p event.Plate) bool { return p.ID == id })
		})
		if len(holders) == 0 {
			return 0, event.ErrNoPlate
		}
		return holders[0].ID, nil
	})
}

func (v Events) Located(ctx context.Context, after event.ID, limit int) ([]event.Located, error) {
	return read(ctx, v.s, func() ([]event.Located, error) {
		later := v.s.eventsWhere(func(e event.State) bool { return e.ID > after })
		sortFunc(later, func(a, b event.State) int { return cmp.Compare(a.ID, b.ID) })
		var some []event.Located
		for _, e := range first(later, max(limit, 0)) {
			some = append(some, event.Located{ID: e.ID, Text: event.Text{Title: e.Title, Content: e.Content}, Place: e.Place})
		}
		return some, nil
	})
}

func restore(states []event.State) ([]*event.Event, error) {
	events := make([]*event.Event, len(states))
	for i, state := range states {
		var err error
		if events[i], err = event.Restore(state); err != nil {
			return nil, err
		}
	}
	return events, nil
}

func stateAndPermission(e event.State) event.StatusPermission {
	return event.StatusPermission{Status: e.Status, Permission: e.Permission}
}

func (s *Store) eventsWhere(wanted func(event.State) bool) []event.State {
	var found []event.State
	for _, e := range s.events {
		if wanted(e) {
			found = append(found, e)
		}
	}
	return found
}

func (s *Store) entries(states []event.State) ([]event.Entry, error) {
	entries := make([]event.Entry, len(states))
	for i, state := range states {
		var err error
		if entries[i], err = s.entry(state.ID); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

// first returns the first n elements, or all if there are fewer.
func first[T any](all []T, n int) []T { return all[:min(n, len(all))] }
