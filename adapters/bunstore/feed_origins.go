package bunstore

import (
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
