package memory

import (
	"slices"

	"plaza/domain/event"
	"plaza/domain/news"
)

// newsOf returns the news of the day, those of the city first. An empty city matches no
// news.
func (s *Store) newsOf(day event.DayInCity) []news.Item {
	var own, others []news.Item
	for _, item := range s.news {
		switch {
		case item.Released != day.Date:
		case item.City == day.City && day.City != "":
			own = append(own, item)
		default:
			others = append(others, item)
		}
	}
	return slices.Concat(own, others)
}
