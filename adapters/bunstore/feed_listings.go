package bunstore

import (
	"time"

	"plaza/domain/feed"
	"plaza/domain/geo"
)

// item identifies a record that can be listed. The ID is zero for an event that the
// same steps insert.
type item struct {
	kind feed.Kind
	id   int64
}

// listingTable is the table of listings. There, uncategorised items have category 0, not
// NULL.
var listingTable = table[feed.Listing]{"feed_listings", 2, append(columns[feed.Listing]{
	plain("kind", func(l *feed.Listing) *string { return (*string)(&l.Kind) }),
	optional("id", func(l *feed.Listing) *int64 { return &l.ID }),
	plain("category_id", func(l *feed.Listing) *int64 { return (*int64)(&l.Category) }),
	moment("created", func(l *feed.Listing) *time.Time { return &l.Created }),
	moment("updated", func(l *feed.Listing) *time.Time { return &l.Updated }),
}, point(func(l *feed.Listing) **geo.Point { return &l.Point })...)}

// listed returns the listing of the record, or nil if it is not listed.
func listed(record feed.Listable) *feed.Listing {
	l, is := record.Listing()
	if !is {
		return nil
	}
	return &l
}

// isSame reports whether both are the same listing, or nil.
func isSame(a, b *feed.Listing) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Kind == b.Kind && a.ID == b.ID && a.Category == b.Category && a.Created.Equal(b.Created) && a.Updated.Equal(b.Updated) &&
		(a.Point == nil && b.Point == nil || a.Point != nil && b.Point != nil && *a.Point == *b.Point)
}
