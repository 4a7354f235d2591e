package bunstore

import (
	"context"
	"slices"

	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/imported"
)

// Load reads everything in one round trip.
func (v Events) Load(ctx context.Context, q event.RelatedQuery) (related event.Related, err error) {
	err = v.s.read(ctx, func(ctx context.Context) error {
		related = event.Related{
			Events: map[event.Date][]*event.Event{}, News: map[event.DayInCity][]event.News{},
			Comments: map[event.ID][]event.Comment{}, CategoryNames: map[feed.CategoryID]string{},
		}
		var reads []step
		atOnce := v.s.dialect.keysAtOnce()
		for dates := range slices.Chunk(distinct(q.Dates), atOnce) {
			reads = append(reads, v.s.eventsOn(dates, q, &related))
		}
		for days := range slices.Chunk(distinct(q.DaysInCities), atOnce) {
			reads = append(reads, v.s.newsAt(days, q, &related))
		}
		for ids := range slices.Chunk(distinct(q.CommentsFor), atOnce) {
			reads = append(reads, v.s.newestOf(ids, q, &related))
		}
		if len(q.Categories) > 0 {
			reads = append(reads, v.s.categoriesOf(q.Categories, func(c feed.Category) { related.CategoryNames[c.ID] = c.Name }))
		}
		return v.s.dialect.query(ctx, reads...)
	})
	return related, err
}

func (s *Store) eventsOn(dates []event.Date, q event.RelatedQuery, into *event.Related) step {
	var category string
	return step{
		statement: s.hot.onDates,
		args:      []any{s.dialect.key(dates), int64(q.Viewer), int64(q.Events)},
		row: func(scan func(...any) error) error {
			var stored storedEvent
			if err := scan(stored.targets(s.dialect, orZeroText[string]{&category})...); err != nil {
				return err
			}
			e, err := stored.event()
			if err != nil {
				return err
			}
			into.Events[stored.Date] = append(into.Events[stored.Date], e)
			if id := stored.Category; id != 0 {
				into.CategoryNames[id] = category
			}
			return nil
		},
	}
}

func (s *Store) newsAt(daysInCities []event.DayInCity, q event.RelatedQuery, into *event.Related) step {
	days, cities := make([]event.Date, len(daysInCities)), make([]string, len(daysInCities))
	for i, key := range daysInCities {
		days[i], cities[i] = key.Date, key.City
	}
	return step{
		statement: s.hot.newsOfDays,
		args:      []any{s.dialect.key(days), s.dialect.key(cities), int64(q.News)},
		row: func(scan func(...any) error) error {
			var position int
			var n imported.NewsRecord
			err := scan(newsColumns.targets(&n, s.dialect, &position, &n.ID)...)
			if err != nil {
				return err
			}
			key := daysInCities[position-1]
			into.News[key] = append(into.News[key], n.News)
			return nil
		},
	}
}

func (s *Store) newestOf(ids []event.ID, q event.RelatedQuery, into *event.Related) step {
	return step{
		statement: s.hot.newest,
		args:      []any{s.dialect.key(numbers(ids)), int64(q.Comments)},
		row: func(scan func(...any) error) error {
			var row commentRow
			err := scan((*int64)(&row.ID), (*int64)(&row.EventID), (*int64)(&row.AuthorID), &row.Content, &row.Created)
			into.Comments[row.EventID] = append(into.Comments[row.EventID], row.comment())
			return err
		},
	}
}
