package ports

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/page"
	"plaza/domain/publication"
)

// Publications is the suite of publication.Repository.
func Publications(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"List returns a page of the visible publications of the category, the latest update first, ties by ascending id; origin only: " +
			"originals, and translations whose original is not visible; past the last page is NotFound", originOnlyRandom},
	})
}

func (w *fixtures) publications(q publication.Query) page.Page[publication.Publication] {
	w.Helper()
	p, err := w.Publications.List(w.Context(), q)
	require.NoError(w, err)
	return p
}

// idsOf returns the ids of the publications.
func idsOf(all []publication.Publication) []publication.ID {
	ids := []publication.ID{}
	for _, p := range all {
		ids = append(ids, p.ID)
	}
	return ids
}

// originals are the numbers of what there is when only originals are asked for.
func (w *fixtures) originals() []publication.ID {
	w.Helper()
	p := w.publications(publication.Query{OriginOnly: true})
	assert.Len(w, p.Items, p.Total)
	return idsOf(p.Items)
}

func originOnlyRandom(w *fixtures) {
	w.eachSeed(func(w *fixtures, c random) {
		author := w.newUser()
		w.category(1)
		bundles := make([]publication.Bundle, 12)
		for id := 1; id < len(bundles); id++ {
			bundles[id].ID = publication.BundleID(id)
			w.imports(bundles[id])
			bundles[id].FirstOriginal = publication.BundleID(c.IntN(len(bundles)))
			bundles[id].Original = publication.BundleID(c.IntN(len(bundles))) // FirstOriginal decides
		}
		stored := map[publication.ID]publication.Publication{}
		for range 80 {
			p := article(author, publication.ID(1+c.IntN(30)), func(p *publication.Publication) {
				p.Bundle = pick(c, bundles...)
				p.Published, p.Deleted = c.IntN(3) > 0, c.IntN(4) == 0
				p.Category = feed.CategoryID(c.IntN(2))
				p.Updated = noon.Add(time.Duration(c.IntN(3)) * time.Microsecond)
			})
			w.imports(p)
			stored[p.ID] = p
		}
		for _, only := range []bool{true, false} {
			for _, in := range []*feed.CategoryID{nil, new(feed.CategoryID(0)), new(feed.CategoryID(1))} {
				q := publication.Query{Category: in, OriginOnly: only}
				require.Equal(w, wantedOf(stored, q), w.pagedPublications(q, 1+c.IntN(7)))
				q.Page = pageNo(1<<40, 100)
				_, err := w.Publications.List(w.Context(), q)
				require.True(w, fault.Is(err, fault.NotFound), "%v", err)
			}
		}
	})
}

// wantedOf are the numbers of the publications that the query wants, in order.
func wantedOf(stored map[publication.ID]publication.Publication, q publication.Query) []publication.ID {
	hasOriginal := func(p publication.Publication) bool {
		for _, o := range stored {
			if o.IsVisible() && o.Bundle.ID == p.Bundle.FirstOriginal {
				return true
			}
		}
		return false
	}
	var wanted []publication.Publication
	for _, p := range stored {
		in := q.Category == nil || *q.Category == p.Category
		if p.IsVisible() && in && (!q.OriginOnly || p.Bundle.IsOriginal() || !hasOriginal(p)) {
			wanted = append(wanted, p)
		}
	}
	slices.SortFunc(wanted, func(a, b publication.Publication) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.ID, b.ID))
	})
	return idsOf(wanted)
}

// pagedPublications is the whole list, asked for page by page.
func (w *fixtures) pagedPublications(q publication.Query, size int) []publication.ID {
	w.Helper()
	all := []publication.ID{}
	for n := 1; ; n++ {
		q.Page = pageNo(n, size)
		p := w.publications(q)
		all = append(all, idsOf(p.Items)...)
		if _, more := p.Request.Next(p.Total); !more {
			assert.Len(w, all, p.Total)
			return all
		}
		assert.Len(w, p.Items, size)
	}
}
