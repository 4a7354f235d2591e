package bunstore

import (
	"context"
	"slices"

	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/news"
	"plaza/domain/user"
)

// Load reads everything in one round trip.
func (v Events) Load(ctx context.Context, q event.RelatedQuery) (related event.Related, err error) {
	err = v.s.read(ctx, func(ctx context.Context) error {
		related = event.Related{
			Events: map[calendar.Date][]*event.Event{}, News: map[event.DayInCity][]news.Item{},
			Comments: map[event.ID][]event.Comment{}, CategoryNames: map[feed.CategoryID]string{},
			Members: map[user.ID]*user.Member{},
		}
		var reads []step
		atOnce := v.s.dialect.keysAtOnce()
		readEvent, readComment := v.s.relatedEvents(&related), v.s.relatedComments(&related)
		for dates := range slices.Chunk(distinct(q.Dates), atOnce) {
			reads = append(reads, step{
				statement: v.s.hot.onDates, args: []any{v.s.dialect.key(dates), int64(q.Viewer), int64(q.Events)}, row: readEvent,
			})
		}
		for days := range slices.Chunk(distinct(q.DaysInCities), atOnce) {
			reads = append(reads, v.s.newsAt(days, q, &related))
		}
		for ids := range slices.Chunk(distinct(q.CommentsFor), atOnce) {
			reads = append(reads, step{
				statement: v.s.hot.newest, args: []any{v.s.dialect.key(numbers(ids)), int64(q.Comments)}, row: readComment,
			})
		}
		if len(q.Categories) > 0 {
			reads = append(reads, v.s.categoriesOf(q.Categories, func(c feed.Category) { related.CategoryNames[c.ID] = c.Name }))
		}
		if len(q.People) > 0 {
			reads = append(reads, v.s.membersOf(q.People, func(m user.Member) { addMember(related.Members, m) }))
		}
		return v.s.dialect.query(ctx, reads...)
	})
	return related, err
}

// relatedEvents returns the function that scans a row of onDates.
func (s *Store) relatedEvents(into *event.Related) func(scanner) error {
	var stored storedEvent
	var category string
	var author user.Member
	targets := append(stored.targets(s.dialect, orZeroText[string]{&category}), memberTargets(&author, s.dialect)...)
	return func(scan scanner) error {
		stored = storedEvent{} // no memory is shared with the next row
		if err := scan(targets...); err != nil {
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
		addMember(into.Members, author)
		return nil
	}
}

// relatedComments returns the function that scans a row of newest.
func (s *Store) relatedComments(into *event.Related) func(scanner) error {
	var on event.ID
	read := commentReader(s.dialect, into.Members, (*int64)(&on))
	return func(scan scanner) error {
		row, err := read(scan)
		row.EventID = on
		into.Comments[on] = append(into.Comments[on], row.comment())
		return err
	}
}

func (s *Store) newsAt(daysInCities []event.DayInCity, q event.RelatedQuery, into *event.Related) step {
	days, cities := make([]calendar.Date, len(daysInCities)), make([]string, len(daysInCities))
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
			into.News[key] = append(into.News[key], n.Item)
			return nil
		},
	}
}
