package bunstore

import (
	"context"

	"plaza/domain/feed"
)

// Categories implements feed.Categories.
type Categories struct{ s *Store }

// Categories returns the repository of categories.
func (s *Store) Categories() Categories { return Categories{s} }

var _ feed.Categories = Categories{}

var categoryTable = table[feed.Category]{"categories", 1, columns[feed.Category]{
	plain("id", func(c *feed.Category) *int64 { return (*int64)(&c.ID) }),
	optional("parent_id", func(c *feed.Category) *int64 { return (*int64)(&c.Parent) }),
	plain("name", func(c *feed.Category) *string { return &c.Name }),
	plain("slug", func(c *feed.Category) *string { return &c.Slug }),
}}

func (v Categories) ByIDs(ctx context.Context, ids []feed.CategoryID) (found map[feed.CategoryID]feed.Category, err error) {
	err = v.s.read(ctx, func(ctx context.Context) error {
		found = make(map[feed.CategoryID]feed.Category, len(ids))
		read := v.s.categoriesOf(ids, func(c feed.Category) { found[c.ID] = c })
		return v.s.dialect.query(ctx, read)
	})
	return found, err
}

func (s *Store) categoriesOf(ids []feed.CategoryID, found func(feed.Category)) step {
	return step{
		statement: s.hot.categories, args: []any{s.dialect.listOf(numbers(ids))},
		row: func(scan func(...any) error) error {
			c, err := categoryTable.reader(s.dialect)(scan)
			found(c)
			return err
		},
	}
}
