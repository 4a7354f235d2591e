package bunstore

import (
	"context"

	"plaza/domain/feed"
)

// Listings returns all listings of the feed, by kind and ID.
func (s *Store) Listings(ctx context.Context) ([]feed.Listing, error) {
	statement := "SELECT " + listingTable.list() + " FROM feed_listings WHERE kind <> '" + string(origins) + "' ORDER BY kind, id"
	return readAll(ctx, s, statement, nil, listingTable.reader(s.dialect))
}
