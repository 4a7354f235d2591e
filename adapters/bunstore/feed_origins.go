package bunstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

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

// originRow is read with the publication itself.
type originRow struct {
	publicationRow  `bun:",extend"`
	OriginalVisible bool `bun:",scanonly"`
}

func (r originRow) origin() origin { return origin{r.publication(), r.OriginalVisible} }

// selectOrigins begins a query for publications as originRows.
func selectOrigins(db bun.IDB, rows any) *bun.SelectQuery {
	return db.NewSelect().Model(rows).ColumnExpr("?TableColumns").
		ColumnExpr("EXISTS (SELECT 1 FROM publications f WHERE f.bundle_id = p.first_original_id" +
			" AND f.published AND NOT f.deleted) AS original_visible")
}

// lockBundles locks the publication and its old and new bundles, and returns the stored
// publication, or nil if it is new. All callers lock in the same order: imports, the
// publication, then the bundles by ID.
func (s *Store) lockBundles(ctx context.Context, tx *transaction, p publication.Publication) (*publication.Publication, error) {
	if err := s.dialect.lock(ctx, tx, importLock); err != nil {
		return nil, err
	}
	if err := s.dialect.lock(ctx, tx, fmt.Sprint("publication ", p.ID)); err != nil {
		return nil, err
	}
	bundles := []publication.BundleID{p.Bundle.ID, p.Bundle.FirstOriginal}
	var old *publication.Publication
	var row publicationRow
	switch err := tx.NewSelect().Model(&row).Where("id = ?", p.ID).Scan(ctx); {
	case err == nil:
		old = new(row.publication())
		bundles = append(bundles, old.Bundle.ID, old.Bundle.FirstOriginal)
	case !errors.Is(err, sql.ErrNoRows):
		return nil, err
	}
	slices.Sort(bundles)
	for _, bundle := range slices.Compact(bundles) {
		if bundle == 0 {
			continue
		}
		if err := s.dialect.lock(ctx, tx, fmt.Sprint("bundle ", bundle)); err != nil {
			return nil, err
		}
	}
	return old, nil
}

// listOrigins updates the origin listings after the publication was stored: its own,
// and those of the translations of a bundle whose visibility has changed.
func (s *Store) listOrigins(ctx context.Context, tx *transaction, old *publication.Publication, p publication.Publication) error {
	was, is := seen(old), seen(&p)
	translated := []publication.BundleID{was, is}
	if was == is {
		translated = nil
	}
	var rows []originRow
	err := selectOrigins(tx, &rows).Where("p.id = ?", p.ID).
		WhereOr("p.first_original_id IN (?) AND p.published AND NOT p.deleted", bun.List(numbers(translated))).Scan(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := s.updateListing(ctx, tx, item{origins, int64(row.ID)}, row.origin()); err != nil {
			return err
		}
	}
	return nil
}

// seen returns the bundle that the publication makes visible; zero if none.
func seen(p *publication.Publication) publication.BundleID {
	if p == nil || !p.IsVisible() {
		return 0
	}
	return p.Bundle.ID
}
