package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
)

// Listings returns all listings of the feed, by kind and ID.
func (s *Store) Listings(ctx context.Context) ([]feed.Listing, error) {
	rows, err := engine.SelectAll[listingRow](ctx, s.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.Where("kind <> ?", origins).Order("kind", "id")
	})
	return engine.Mapped(rows, listingRow.listing), err
}
