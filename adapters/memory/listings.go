package memory

import (
	"cmp"
	"maps"

	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/publication"
)

// item identifies a listable item.
type item struct {
	kind feed.Kind
	id   int64
}

func itemOf(id event.ID) item                  { return item{feed.Event, int64(id)} }
func itemOfPublication(id publication.ID) item { return item{feed.Publication, int64(id)} }
func itemOfNode(id publication.NodeID) item    { return item{feed.Node, int64(id)} }
func itemOfDemand(id demand.ID) item           { return item{feed.Demand, int64(id)} }

// Listings returns all listings of the feed, ordered by kind and id.
func (s *Store) Listings() []feed.Listing {
	s.lock.RLock()
	defer s.lock.RUnlock()
	all := sorted(maps.Values(s.listings), func(a, b feed.Listing) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
	})
	return copyOf(all)
}

// list updates the listing of the thing. The caller must change both in the same step.
func (s *Store) list(at item, thing feed.Listable) {
	if l, listed := thing.Listing(); listed {
		s.listings[at] = copyOf(l)
	} else {
		delete(s.listings, at)
	}
}
