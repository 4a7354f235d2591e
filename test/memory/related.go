package memory

import (
	"context"
	"maps"
	"slices"

	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/news"
	"plaza/domain/user"
)

func (v Events) Load(ctx context.Context, q event.RelatedQuery) (event.Related, error) {
	return read(ctx, v.s, func() (event.Related, error) {
		related := event.Related{
			Events: map[calendar.Date][]*event.Event{}, News: map[event.DayInCity][]news.Item{},
			Comments: map[event.ID][]event.Comment{}, CategoryNames: map[feed.CategoryID]string{},
			Members: v.s.membersOf(q.People...),
		}
		wanted := slices.Clone(q.Categories)
		for _, date := range unique(q.Dates) {
			for _, state := range first(v.s.published(date, q.Viewer), q.Events) {
				related.Events[date], wanted = append(related.Events[date], restored(state)), append(wanted, state.Category)
				maps.Copy(related.Members, v.s.membersOf(state.Author))
			}
		}
		for _, c := range v.s.categories.among(wanted) {
			related.CategoryNames[c.ID] = c.Name
		}
		for _, day := range q.DaysInCities {
			ofDay := filter(slices.Values(v.s.news), func(item news.Item) bool { return item.Released == day.Date })
			if found := news.ForCity(slices.Collect(ofDay), day.City, q.News); len(found) > 0 {
				related.News[day] = found
			}
		}
		for _, id := range q.CommentsFor {
			if comments := first(v.s.commentsOn(id, q.Viewer), q.Comments); len(comments) > 0 {
				related.Comments[id] = comments
				maps.Copy(related.Members, v.s.membersOf(authorsOf(comments)...))
			}
		}
		return related, nil
	})
}

// published returns the events of the date that the viewer may see, the newest first.
func (s *Store) published(on calendar.Date, viewer user.ID) []event.State {
	states := s.events.where(func(e event.State) bool {
		return e.Date == on && e.Status == event.Normal && !e.IsHidden && e.Exposure().VisibleTo(s.relation(viewer, e.Author))
	})
	return sorted(states, latest(atCreation))
}
