package bunstore

import (
	"context"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
)

// Listings returns all listings of the feed, by kind and ID.
func (s *Store) Listings(ctx context.Context) ([]feed.Listing, error) {
	statement := "SELECT " + listingTable.List() + " FROM feed_listings WHERE kind <> '" + string(origins) + "' ORDER BY kind, id"
	return engine.ReadAll(ctx, s.DB, statement, nil, listingTable.Reader(s.Dialect))
}
