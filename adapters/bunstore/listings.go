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

// listed is the row of what is listed of the thing; nil when nothing is.
func listed(thing feed.Thing) *listingRow {
	l, is := thing.Listing()
	if !is {
		return nil
	}
	return new(listingRowOf(l))
}

// list makes the feed agree with the thing, in the transaction that stores it.
// The thing's own row must be locked by then, so that its listing can't change
// meanwhile.
func (s *Store) list(ctx context.Context, tx bun.Tx, at item, thing feed.Thing) error {
	old, err := oldListing(ctx, tx, at)
	if err != nil {
		return err
	}
	return relist(ctx, tx, at, old, listed(thing))
}

func oldListing(ctx context.Context, tx bun.Tx, at item) (*listingRow, error) {
	var row listingRow
	err := tx.NewSelect().Model(&row).Where("kind = ? AND id = ?", at.kind, at.id).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &row, err
}

// relist puts the new listing in the place of the one that stands; nil is none. The
// counters are moved first, which locks them, in their order: writers never wait
// for each other in a circle, and whoever then looks for the latest listing sees
// what others have stored.
func relist(ctx context.Context, tx bun.Tx, at item, old, next *listingRow) error {
	counters := movesOf(at, old, next)
	for i := range counters {
		if err := counters[i].move(ctx, tx); err != nil {
			return err
		}
	}
	if err := putListing(ctx, tx, old, next); err != nil {
		return err
	}
	for _, k := range counters {
		if err := k.lookAgain(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

func putListing(ctx context.Context, tx bun.Tx, old, next *listingRow) (err error) {
	switch {
	case next != nil && old != nil:
		_, err = tx.NewUpdate().Model(next).WherePK().Exec(ctx)
	case next != nil:
		_, err = tx.NewInsert().Model(next).Exec(ctx)
	case old != nil:
		_, err = tx.NewDelete().Model(old).WherePK().Exec(ctx)
	}
	return err
}

// move is what a change of one listing does to one counter.
type move struct {
	counterRow             // as it is once moved
	left       *listingRow // what is counted here no more; nil: nothing
	came       *listingRow // what is counted here from now on; nil: nothing
}

// movesOf are the moves of one category, or of two in their order.
func movesOf(at item, old, next *listingRow) []move {
	var moves []move
	of := func(in feed.CategoryID) *move {
		for i := range moves {
			if moves[i].CategoryID == in {
				return &moves[i]
			}
		}
		moves = append(moves, move{counterRow: counterRow{CategoryID: in, Kind: at.kind, Shard: at.shard()}})
		return &moves[len(moves)-1]
	}
	if old != nil {
		of(old.CategoryID).left = old
	}
	if next != nil {
		of(next.CategoryID).came = next
	}
	slices.SortFunc(moves, func(a, b move) int { return cmp.Compare(a.CategoryID, b.CategoryID) })
	return moves
}

// move counts, moves the version, and makes what came the latest if it is later.
// What left is still the latest, if it was.
func (m *move) move(ctx context.Context, tx bun.Tx) error {
	by := 0
	var created, updated moment
	if m.left != nil {
		by--
	}
	if m.came != nil {
		by++
		created, updated = m.came.Created, m.came.Updated
	}
	m.Count, m.Version = int64(max(by, 0)), 1
	if by > 0 {
		m.Created, m.Updated = created, updated
	}
	later := func(column string) string {
		return column + " = CASE WHEN k.count + ? = 0 THEN NULL WHEN ? IS NULL OR k." + column + " >= ? THEN k." + column + " ELSE ? END"
	}
	_, err := tx.NewInsert().Model(&m.counterRow).On("CONFLICT (category_id, kind, shard) DO UPDATE").
		Set("count = k.count + ?, version = k.version + 1", by).
		Set(later("created"), by, created, created, created).
		Set(later("updated"), by, updated, updated, updated).
		Returning("count, created, updated").Exec(ctx)
	return err
}

// lookAgain finds the latest instants anew when what left had been one of them.
func (m *move) lookAgain(ctx context.Context, tx bun.Tx) error {
	if m.left == nil || m.Count == 0 {
		return nil
	}
	gone := func(held, was moment, is func(*listingRow) moment) bool {
		return held.Equal(was.Time) && (m.came == nil || !is(m.came).Equal(held.Time))
	}
	columns := map[string]*moment{}
	if gone(m.Created, m.left.Created, func(r *listingRow) moment { return r.Created }) {
		columns["created"] = &m.Created
	}
	if gone(m.Updated, m.left.Updated, func(r *listingRow) moment { return r.Updated }) {
		columns["updated"] = &m.Updated
	}
	for column, latest := range columns {
		err := tx.NewSelect().Model((*listingRow)(nil)).Column(column).
			Where("category_id = ? AND kind = ? AND id % ? = ?", m.CategoryID, m.Kind, shards, m.Shard).
			OrderExpr(column+" DESC").Limit(1).Scan(ctx, latest)
		if err != nil {
			return err
		}
	}
	if len(columns) == 0 {
		return nil
	}
	_, err := tx.NewUpdate().Model(&m.counterRow).Column("created", "updated").WherePK().Exec(ctx)
	return err
}

// Listings returns everything that is listed in the feed, by kind and id.
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
