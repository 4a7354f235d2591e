package bunstore

import (
	"context"
	feedstore "plaza/adapters/bunstore/feed"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
)

// Listings returns all listings of the feed, by kind and ID.
func (s *Store) Listings(ctx context.Context) ([]feed.Listing, error) {
	rows, err := engine.SelectAll[feedstore.ListingRow](ctx, s.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.Where("kind <> ?", feedstore.Origins).Order("kind", "id")
	})
	return engine.Mapped(rows, feedstore.ListingRow.Listing), err
}
