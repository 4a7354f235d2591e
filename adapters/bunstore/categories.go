package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"plaza/domain/feed"
)

// Categories is the store as feed.Categories.
type Categories struct{ s *Store }

// Categories returns the store's tree of categories.
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

func (r categoryRow) category() feed.Category {
	return feed.Category{ID: r.ID, Parent: r.ParentID, Name: r.Name, Slug: r.Slug}
}

func (v Categories) Put(ctx context.Context, c feed.Category) error {
	return v.s.write(ctx, func(ctx context.Context, tx bun.Tx) error {
		row := categoryRow{ID: c.ID, ParentID: c.Parent, Name: c.Name, Slug: c.Slug, Version: 1}
		_, err := tx.NewInsert().Model(&row).On("CONFLICT (id) DO UPDATE").
			Set("parent_id = EXCLUDED.parent_id, name = EXCLUDED.name, slug = EXCLUDED.slug, version = c.version + 1").
			Exec(ctx)
		return err
	})
}

func (v Categories) ByIDs(ctx context.Context, ids []feed.CategoryID) (map[feed.CategoryID]feed.Category, error) {
	found := map[feed.CategoryID]feed.Category{}
	err := v.s.read(ctx, func(ctx context.Context) error {
		var rows []categoryRow
		if err := v.s.reader.NewSelect().Model(&rows).Where("id IN (?)", bun.List(numbers(ids))).Scan(ctx); err != nil {
			return err
		}
		for _, row := range rows {
			found[row.ID] = row.category()
		}
		return nil
	})
	return found, err
}
