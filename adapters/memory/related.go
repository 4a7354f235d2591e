package memory

import (
	"cmp"
	"context"
	"slices"

	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/user"
)

func (v Events) Load(ctx context.Context, scene event.RelatedQuery) (event.Related, error) {
	done, err := v.s.read(ctx)
	if err != nil {
		return event.Related{}, err
	}
	defer done()
	around := event.Related{
		Events: map[event.Date][]*event.Event{}, News: map[event.DayInCity][]event.News{},
		Comments: map[event.ID][]event.Comment{}, CategoryNames: map[feed.CategoryID]string{},
	}
	wanted := slices.Clone(scene.Categories)
	for _, date := range scene.Dates {
		states := first(v.s.published(date, scene.Viewer), scene.Events)
		if len(states) == 0 {
			continue
		}
		if around.Events[date], err = restore(states); err != nil {
			return event.Related{}, err
		}
		for _, s := range states {
			wanted = append(wanted, s.Category)
		}
	}
	for _, id := range wanted {
		if c, exists := v.s.categories[id]; exists {
			around.CategoryNames[id] = c.Name
		}
	}
	for _, spot := range scene.DaysInCities {
		if found := first(v.s.newsAt(spot), scene.News); len(found) > 0 {
			around.News[spot] = found
		}
	}
	for _, id := range scene.CommentsFor {
		if said := first(v.s.comments[id], scene.Comments); len(said) > 0 {
			around.Comments[id] = slices.Clone(said)
		}
	}
	return around, nil
}

// published returns the events of the date that the viewer may see, the newest first.
func (s *Store) published(on event.Date, viewer user.ID) []event.State {
	states := s.eventsWhere(func(e event.State) bool {
		return e.Date == on && e.Status == event.Normal &&
			slices.Contains(event.VisibleStates(s.relation(viewer, e.Author)), showing(e))
	})
	slices.SortFunc(states, func(a, b event.State) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID))
	})
	return states
}
