package memory

// The ports that read imported records of one kind.

import (
	"context"
	"fmt"
	"slices"

	"plaza/domain/feed"
	"plaza/domain/page"
	"plaza/domain/publication"
)

// Categories is the store as feed.Categories.
type Categories view

func (v Categories) ByIDs(ctx context.Context, ids []feed.CategoryID) (map[feed.CategoryID]feed.Category, error) {
	return read(ctx, v.s, func() (map[feed.CategoryID]feed.Category, error) {
		found := map[feed.CategoryID]feed.Category{}
		for _, c := range v.s.categories.among(ids) {
			found[c.ID] = c
		}
		return found, nil
	})
}

// checkCategory returns an error if the id is not zero and the category does not exist.
func (s *Store) checkCategory(id feed.CategoryID) error {
	if _, exists := s.categories[id]; !exists && id != 0 {
		return fmt.Errorf("reference to unknown category %d", id)
	}
	return nil
}

// Publications is the store as publication.Repository.
type Publications view

func (v Publications) List(ctx context.Context, q publication.Query) (page.Page[publication.Publication], error) {
	return read(ctx, v.s, func() (page.Page[publication.Publication], error) {
		visible := v.s.visibleBundles()
		wanted := v.s.publications.where(func(p publication.Publication) bool {
			return p.IsVisible() && (q.Category == nil || p.Category == *q.Category) &&
				(!q.OriginOnly || p.IsOrigin(visible[p.Bundle.FirstOriginal]))
		})
		p, err := page.Slice(q.Page, sorted(wanted, latest(publication.Publication.AtUpdate)), publication.Publication.AtUpdate)
		return page.Map(p, copyOf), err
	})
}

func (s *Store) visibleBundles() map[publication.BundleID]bool {
	visible := map[publication.BundleID]bool{}
	for p := range s.publications.where(publication.Publication.IsVisible) {
		visible[p.Bundle.ID] = true
	}
	return visible
}

type HowTos view

func (v HowTos) List(ctx context.Context, q publication.HowToQuery, r page.Request) (page.Page[publication.HowTo], error) {
	return pageOf(ctx, v.s, r, v.s.howTos.where(func(h publication.HowTo) bool {
		return (len(q.Categories) == 0 || slices.Contains(q.Categories, h.Category)) && q.Has(h.Created)
	}), page.Keys(q.Span, publication.HowTo.AtCursor))
}
