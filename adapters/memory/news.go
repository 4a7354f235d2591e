package memory

import (
	"slices"

	"plaza/domain/event"
)

// newsAt returns the news of the spot's day, those of its own city first. A spot
// without a city has none of its own.
func (s *Store) newsAt(spot event.DayInCity) []event.News {
	var own, others []event.News
	for _, item := range s.news {
		switch {
		case item.Released != spot.Date:
		case item.City == spot.City && spot.City != "":
			own = append(own, item)
		default:
			others = append(others, item)
		}
	}
	return slices.Concat(own, others)
}
