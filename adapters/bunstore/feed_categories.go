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

// categoriesStatement is the hot read of the categories $1.
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
