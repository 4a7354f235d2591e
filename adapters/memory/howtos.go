package memory

import (
	"context"
	"slices"

	"plaza/domain/page"
	"plaza/domain/publication"
)

// HowTos is the store as publication.HowTos.
type HowTos struct{ s *Store }

// HowTos returns the store's imported how-tos.
func (s *Store) HowTos() HowTos { return HowTos{s} }

func (v HowTos) List(ctx context.Context, q publication.HowToQuery, r page.Request) (page.Page[publication.HowTo], error) {
	return read(ctx, v.s, func() (page.Page[publication.HowTo], error) {
		wanted := v.s.howTos.where(func(h publication.HowTo) bool {
			return (len(q.Categories) == 0 || slices.Contains(q.Categories, h.Category)) && q.Has(h.Created)
		})
		key := page.Keys(q.Span, publication.HowTo.AtCursor)
		p, err := page.Slice(r, sorted(wanted, latest(key)), key)
		return page.Map(p, copyOf), err
	})
}
