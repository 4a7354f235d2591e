package bunstore

import (
	"context"
	"slices"

	"plaza/domain/event"
	"plaza/domain/feed"
)

// Load reads everything in one round trip.
func (v Events) Load(ctx context.Context, scene event.RelatedQuery) (around event.Related, err error) {
	err = v.s.read(ctx, func(ctx context.Context) error {
		around = event.Related{
			Events: map[event.Date][]*event.Event{}, News: map[event.DayInCity][]event.News{},
			Comments: map[event.ID][]event.Comment{}, CategoryNames: map[feed.CategoryID]string{},
		}
		var reads []step
		atOnce := v.s.dialect.keysAtOnce()
		for dates := range slices.Chunk(distinct(scene.Dates), atOnce) {
			reads = append(reads, v.s.eventsOn(dates, scene, &around))
		}
		for spots := range slices.Chunk(distinct(scene.DaysInCities), atOnce) {
			reads = append(reads, v.s.newsAt(spots, scene, &around))
		}
		for talks := range slices.Chunk(distinct(scene.CommentsFor), atOnce) {
			reads = append(reads, v.s.newestOf(talks, scene, &around))
		}
		if len(scene.Categories) > 0 {
			reads = append(reads, v.s.categoriesOf(scene.Categories, func(c feed.Category) { around.CategoryNames[c.ID] = c.Name }))
		}
		return v.s.dialect.queryAll(ctx, reads)
	})
	return around, err
}

func (s *Store) eventsOn(dates []event.Date, scene event.RelatedQuery, into *event.Related) step {
	var category string
	return step{
		statement: s.hot.onDates,
		args:      []any{s.dialect.key(dates), int64(scene.Viewer), int64(scene.Events)},
		row: func(scan func(...any) error) error {
			var stored storedEvent
			if err := scan(append([]any{orZeroText[string]{&category}}, stored.targets()...)...); err != nil {
				return err
			}
			e, err := stored.event()
			if err != nil {
				return err
			}
			date := stored.row.Day.Date
			into.Events[date] = append(into.Events[date], e)
			if id := stored.row.CategoryID; id != 0 {
				into.CategoryNames[id] = category
			}
			return nil
		},
	}
}

func (s *Store) newsAt(spots []event.DayInCity, scene event.RelatedQuery, into *event.Related) step {
	days, cities := make([]event.Date, len(spots)), make([]string, len(spots))
	for i, spot := range spots {
		days[i], cities[i] = spot.Date, spot.City
	}
	return step{
		statement: s.hot.around,
		args:      []any{s.dialect.key(days), s.dialect.key(cities), int64(scene.News)},
		row: func(scan func(...any) error) error {
			var place int
			var n newsRow
			err := scan(&place, &n.ID, &n.SiteName, &n.SiteLogo, &n.URL, &n.Title, &n.Released, &n.HTML,
				&n.Category, &n.City, &n.District, &n.Province, &n.Country)
			if err != nil {
				return err
			}
			spot := spots[place-1]
			into.News[spot] = append(into.News[spot], n.news())
			return nil
		},
	}
}

func (s *Store) newestOf(talks []event.ID, scene event.RelatedQuery, into *event.Related) step {
	return step{
		statement: s.hot.newest,
		args:      []any{s.dialect.key(numbers(talks)), int64(scene.Comments)},
		row: func(scan func(...any) error) error {
			var row commentRow
			err := scan((*int64)(&row.ID), (*int64)(&row.EventID), (*int64)(&row.AuthorID), &row.Content, &row.Created)
			into.Comments[row.EventID] = append(into.Comments[row.EventID], row.comment())
			return err
		},
	}
}
