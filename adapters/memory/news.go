package memory

import (
	"context"
	"slices"

	"plaza/domain/event"
)

// News is the store as event.NewsArchive.
type News struct{ s *Store }

// News returns the store's archive of news.
func (s *Store) News() News { return News{s} }

var _ event.NewsArchive = News{}

func (v News) Add(ctx context.Context, items []event.News) error {
	done, err := v.s.write(ctx)
	if err != nil {
		return err
	}
	defer done()
	for _, item := range items {
		item.ID = v.s.numbers.news.next()
		v.s.news = append(v.s.news, item)
	}
	return nil
}

// newsAt returns the news of the day, those of the city first. Without a city no news come
// first.
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
