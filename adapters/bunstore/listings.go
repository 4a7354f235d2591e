package bunstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/uptrace/bun"

	"plaza/domain/feed"
	"plaza/domain/geo"
)

// shards is how many counters a category has of each kind, so that writers of
// different things rarely wait for each other. The schema knows the number, too.
const shards = 8

// item names something that can be listed.
type item struct {
	kind feed.Kind
	id   int64
}

func (i item) shard() int64 { return i.id % shards }

// listingRow is a thing's place in the feed.
type listingRow struct {
	bun.BaseModel `bun:"table:feed_listings,alias:l"`
	Kind          feed.Kind       `bun:",pk"`
	ID            int64           `bun:",pk"`
	CategoryID    feed.CategoryID // zero: the bucket
	Created       moment
	Updated       moment
	Lat           *float64
	Lng           *float64
}

func listingRowOf(l feed.Listing) listingRow {
	row := listingRow{
		Kind: l.Kind, ID: l.ID, CategoryID: l.Category, Created: moment{l.Created}, Updated: moment{l.Updated},
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

// counterRow counts one shard of what is listed in a category.
type counterRow struct {
	bun.BaseModel `bun:"table:feed_counters,alias:k"`
	CategoryID    feed.CategoryID `bun:",pk"`
	Kind          feed.Kind       `bun:",pk"`
	Shard         int64           `bun:",pk"`
	Count         int64
	Created       moment
	Updated       moment
	Version       int64
}

// list makes the feed agree with the thing, in the transaction that stores it.
// The thing's own row must be locked by then, so that its listing can't change
// meanwhile.
func (s *Store) list(ctx context.Context, tx bun.Tx, at item, thing feed.Thing) error {
	if l, listed := thing.Listing(); listed {
		return s.relist(ctx, tx, at, new(listingRowOf(l)))
	}
	return s.relist(ctx, tx, at, nil)
}

// unlist takes the thing off the feed.
func (s *Store) unlist(ctx context.Context, tx bun.Tx, at item) error {
	return s.relist(ctx, tx, at, nil)
}

// relist puts the new listing in the old one's place; nil is none. The counters
// are locked first, in their order, so writers never wait for each other in a
// circle, and whoever looks for the latest listing sees what others have stored.
func (s *Store) relist(ctx context.Context, tx bun.Tx, at item, next *listingRow) error {
	old, err := oldListing(ctx, tx, at)
	if err != nil || old == nil && next == nil {
		return err
	}
	counters, err := lockCounters(ctx, tx, at, old, next)
	if err != nil {
		return err
	}
	if err := putListing(ctx, tx, old, next); err != nil {
		return err
	}
	for _, counter := range counters {
		if err := counter.follow(ctx, tx, old, next); err != nil {
			return err
		}
	}
	return nil
}

func oldListing(ctx context.Context, tx bun.Tx, at item) (*listingRow, error) {
	var row listingRow
	err := tx.NewSelect().Model(&row).Where("kind = ? AND id = ?", at.kind, at.id).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &row, err
}

func putListing(ctx context.Context, tx bun.Tx, old, next *listingRow) (err error) {
	switch {
	case next == nil:
		_, err = tx.NewDelete().Model(old).WherePK().Exec(ctx)
	case old == nil:
		_, err = tx.NewInsert().Model(next).Exec(ctx)
	default:
		_, err = tx.NewUpdate().Model(next).WherePK().Exec(ctx)
	}
	return err
}

// lockCounters moves the versions of the counters that the change touches, which
// locks them, and returns them as they were otherwise.
func lockCounters(ctx context.Context, tx bun.Tx, at item, old, next *listingRow) ([]counterRow, error) {
	var rows []counterRow
	for _, row := range []*listingRow{old, next} {
		if row != nil && !slices.ContainsFunc(rows, func(k counterRow) bool { return k.CategoryID == row.CategoryID }) {
			rows = append(rows, counterRow{CategoryID: row.CategoryID, Kind: at.kind, Shard: at.shard(), Version: 1})
		}
	}
	slices.SortFunc(rows, func(a, b counterRow) int { return cmp.Compare(a.CategoryID, b.CategoryID) })
	for i := range rows {
		if _, err := tx.NewInsert().Model(&rows[i]).
			On("CONFLICT (category_id, kind, shard) DO UPDATE").Set("version = k.version + 1").
			Returning("*").Exec(ctx); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// follow makes the locked counter agree with the listings again.
func (k counterRow) follow(ctx context.Context, tx bun.Tx, old, next *listingRow) error {
	before := k
	if old != nil && old.CategoryID == k.CategoryID {
		k.Count--
	}
	if next != nil && next.CategoryID == k.CategoryID {
		k.Count++
	}
	if err := k.lead(ctx, tx, old, next); err != nil {
		return err
	}
	if k == before {
		return nil
	}
	_, err := tx.NewUpdate().Model(&k).Column("count", "created", "updated").WherePK().Exec(ctx)
	return err
}

// lead sets the latest instants. Only when the listing that held one has left it
// must the others be looked at.
func (k *counterRow) lead(ctx context.Context, tx bun.Tx, old, next *listingRow) error {
	if k.Count == 0 {
		k.Created, k.Updated = moment{}, moment{}
		return nil
	}
	here := func(row *listingRow) bool { return row != nil && row.CategoryID == k.CategoryID }
	for _, latest := range []struct {
		column string
		of     func(*listingRow) moment
		held   *moment
	}{
		{"created", func(row *listingRow) moment { return row.Created }, &k.Created},
		{"updated", func(row *listingRow) moment { return row.Updated }, &k.Updated},
	} {
		switch {
		case here(next) && !latest.of(next).Before(latest.held.Time):
			*latest.held = latest.of(next)
		case here(old) && latest.of(old).Equal(latest.held.Time):
			err := tx.NewSelect().Model((*listingRow)(nil)).Column(latest.column).
				Where("category_id = ? AND kind = ? AND id % ? = ?", k.CategoryID, k.Kind, shards, k.Shard).
				OrderExpr(latest.column+" DESC").Limit(1).Scan(ctx, latest.held)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Listings returns everything that is listed in the feed, by kind and id.
func (s *Store) Listings(ctx context.Context) ([]feed.Listing, error) {
	var all []feed.Listing
	err := s.read(ctx, func(ctx context.Context) error {
		var rows []listingRow
		if err := s.reader.NewSelect().Model(&rows).Order("kind", "id").Scan(ctx); err != nil {
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
