package memory

import (
	"plaza/domain/calendar"
	"plaza/domain/news"
)

// newsOf returns the news of the day.
func (s *Store) newsOf(day calendar.Date) (items []news.Item) {
	for _, item := range s.news {
		if item.Released == day {
			items = append(items, item)
		}
	}
	return items
}
