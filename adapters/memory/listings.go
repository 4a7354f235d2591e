package memory

import (
	"cmp"
	"slices"

	"plaza/domain/event"
	"plaza/domain/feed"
)

// item names something that can be listed.
type item struct {
	kind feed.Kind
	id   int64
}

func itemOf(id event.ID) item { return item{feed.Xfile, int64(id)} }

// Listings returns everything that is listed in the feed, by kind and id.
func (s *Store) Listings() []feed.Listing {
	s.lock.RLock()
	defer s.lock.RUnlock()
	var all []feed.Listing
	for _, l := range s.listings {
		all = append(all, copyListing(l))
	}
	slices.SortFunc(all, func(a, b feed.Listing) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// list makes the feed agree with the event. It belongs to the same step as
// whatever the event becomes.
func (s *Store) list(e *event.Event) {
	at := itemOf(e.ID())
	if l, listed := e.Listing(); listed {
		s.listings[at] = copyListing(l)
	} else {
		delete(s.listings, at)
	}
}

func copyListing(l feed.Listing) feed.Listing {
	if l.Point != nil {
		point := *l.Point
		l.Point = &point
	}
	return l
}
