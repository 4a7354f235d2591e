package bunstore

import (
	"plaza/domain/feed"
	"plaza/domain/publication"
)

// origins is the kind under which origin publications are listed a second time, so that
// their pages and their total cost the same as any others. No feed shows it.
const origins feed.Kind = "origin"

// origin is a publication that may be an origin, with the visibility of its original.
type origin struct {
	publication.Publication
	originalVisible bool
}

func (o origin) Listing() (feed.Listing, bool) {
	l, listed := o.Publication.Listing()
	l.Kind = origins
	return l, listed && o.IsOrigin(o.originalVisible)
}
