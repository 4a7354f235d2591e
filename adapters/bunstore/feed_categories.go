package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"plaza/domain/feed"
)

// Categories implements feed.Categories.
type Categories struct{ s *Store }

// Categories returns the repository of categories.
func (s *Store) Categories() Categories { return Categories{s} }

var _ feed.Categories = Categories{}

type categoryRow struct {
	bun.BaseModel `bun:"table:categories,alias:c"`
	ID            feed.CategoryID `bun:",pk"`
	ParentID      feed.CategoryID `bun:",nullzero"`
	Name          string
	Slug          string
	Version       int64
}

func (v Categories) Put(ctx context.Context, c feed.Category) error {
	return v.s.write(ctx, func(ctx context.Context, tx *transaction) error {
		row := categoryRow{ID: c.ID, ParentID: c.Parent, Name: c.Name, Slug: c.Slug, Version: 1}
		_, err := tx.NewInsert().Model(&row).On("CONFLICT (id) DO UPDATE").
			Set("parent_id = EXCLUDED.parent_id, name = EXCLUDED.name, slug = EXCLUDED.slug, version = c.version + 1").
			Exec(ctx)
		tx.changes.total(categories, 0)
		return err
	})
}

// categoriesStatement returns the hot read of the categories $1.
func categoriesStatement(d dialect) string {
	return "SELECT id, parent_id, name, slug FROM categories WHERE " + d.among("id", "$1")
}

func (v Categories) ByIDs(ctx context.Context, ids []feed.CategoryID) (found map[feed.CategoryID]feed.Category, err error) {
	err = v.s.read(ctx, func(ctx context.Context) error {
		found = make(map[feed.CategoryID]feed.Category, len(ids))
		read := v.s.categoriesOf(ids, func(c feed.Category) { found[c.ID] = c })
		return v.s.each(ctx, read.statement, read.args, read.row)
	})
	return found, err
}

func (s *Store) categoriesOf(ids []feed.CategoryID, found func(feed.Category)) step {
	return step{
		statement: s.hot.categories, args: []any{s.dialect.listOf(numbers(ids))},
		row: func(scan func(...any) error) error {
			var c feed.Category
			err := scan(&c.ID, orZeroNumber[feed.CategoryID]{&c.Parent}, &c.Name, &c.Slug)
			found(c)
			return err
		},
	}
}
