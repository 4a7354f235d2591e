package feed

import (
	"context"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
)

// Categories implements feed.Categories.
type Categories struct{ DB *engine.DB }

type CategoryRow struct {
	bun.BaseModel `bun:"table:categories,alias:c"`
	ID            feed.CategoryID `bun:",pk"`
	ParentID      feed.CategoryID `bun:",nullzero"`
	Name          string
	Slug          string
}

func (r CategoryRow) category() feed.Category {
	return feed.Category{ID: r.ID, Parent: r.ParentID, Name: r.Name, Slug: r.Slug}
}

// categoriesOf finds the categories of $1.
var categoriesOf = engine.Both(`
	SELECT id, parent_id, name, slug FROM categories WHERE id = ANY($1)`)

func (v Categories) ByIDs(ctx context.Context, ids []feed.CategoryID) (map[feed.CategoryID]feed.Category, error) {
	rows, err := engine.All[CategoryRow](ctx, v.DB, v.DB.Pick(categoriesOf), ids)
	found := make(map[feed.CategoryID]feed.Category, len(rows))
	for _, row := range rows {
		found[row.ID] = row.category()
	}
	return found, err
}
