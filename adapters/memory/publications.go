package memory

import (
	"context"

	"plaza/domain/page"
	"plaza/domain/publication"
)

// Publications is the store as publication.Repository.
type Publications struct{ s *Store }

// Publications returns the store's publications and their nodes.
func (s *Store) Publications() Publications { return Publications{s} }

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

// visibleBundles returns the bundles that have a visible publication.
func (s *Store) visibleBundles() map[publication.BundleID]bool {
	visible := map[publication.BundleID]bool{}
	for p := range s.publications.where(publication.Publication.IsVisible) {
		visible[p.Bundle.ID] = true
	}
	return visible
}
