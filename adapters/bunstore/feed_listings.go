package bunstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"plaza/domain/feed"
	"plaza/domain/geo"
)

// item identifies a record that can be listed.
type item struct {
	kind feed.Kind
	id   int64
}

// listingRow is a listing in the feed.
type listingRow struct {
	bun.BaseModel `bun:"table:feed_listings,alias:l"`
	Kind          feed.Kind       `bun:",pk"`
	ID            int64           `bun:",pk"`
	CategoryID    feed.CategoryID // zero: uncategorised
	Created       dbTime
	Updated       dbTime
	Lat           *float64
	Lng           *float64
}

func listingRowOf(l feed.Listing) listingRow {
	row := listingRow{
		Kind: l.Kind, ID: l.ID, CategoryID: l.Category, Created: dbTime{l.Created}, Updated: dbTime{l.Updated},
	}
	if l.Point != nil {
		row.Lat, row.Lng = new(l.Point.Lat), new(l.Point.Lng)
	}
	return row
}

func (r listingRow) listing() feed.Listing {
	l := feed.Listing{
		Kind: r.Kind, ID: r.ID, Category: r.CategoryID, Created: r.Created.Time, Updated: r.Updated.Time,
	}
	if r.Lat != nil && r.Lng != nil {
		l.Point = &geo.Point{Lat: *r.Lat, Lng: *r.Lng}
	}
	return l
}

// listed returns the listing of the record, or nil if it is not listed.
func listed(record feed.Listable) *listingRow {
	l, is := record.Listing()
	if !is {
		return nil
	}
	return new(listingRowOf(l))
}

func oldListing(ctx context.Context, tx *transaction, at item) (*listingRow, error) {
	var row listingRow
	err := tx.NewSelect().Model(&row).Where("kind = ? AND id = ?", at.kind, at.id).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &row, err
}

// Listings returns all listings of the feed, by kind and ID.
func (s *Store) Listings(ctx context.Context) ([]feed.Listing, error) {
	var all []feed.Listing
	err := s.read(ctx, func(ctx context.Context) error {
		var rows []listingRow
		if err := s.reader.NewSelect().Model(&rows).Where("kind <> ?", origins).Order("kind", "id").Scan(ctx); err != nil {
			return err
		}
		all = nil
		for _, row := range rows {
			all = append(all, row.listing())
		}
		return nil
	})
	return all, err
}
