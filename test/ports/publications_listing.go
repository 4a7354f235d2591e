package ports

import (
	"cmp"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/publication"
)

func publicationOrder(w *fixtures) {
	author := w.newUser()
	updated := func(micros int) func(*publication.Publication) {
		return func(p *publication.Publication) {
			p.Updated = noon.Add(time.Duration(micros) * time.Microsecond)
			p.Created = noon.Add(-time.Duration(micros) * time.Microsecond)
		}
	}
	w.imports(
		article(author, 5, updated(1)), article(author, 4, updated(0)), article(author, 3, updated(2)), article(author, 2, updated(1)),
		article(author, 6, updated(3), func(p *publication.Publication) { p.Published = false }),
		article(author, 7, updated(3), func(p *publication.Publication) { p.Deleted = true }),
		article(author, 8, updated(3), func(p *publication.Publication) { p.Published, p.Deleted = false, true }),
	)
	p := w.publications(publication.Query{})
	assert.Equal(w, []publication.ID{3, 2, 5, 4}, idsOf(p.Items))
	assert.Equal(w, 4, p.Total)
}

func publicationsOfCategory(w *fixtures) {
	author := w.newUser()
	for i, category := range []feed.CategoryID{0, w.category(1), w.category(2), 1} {
		w.imports(article(author, publication.ID(i+1), func(p *publication.Publication) { p.Category = category }))
	}
	for category, want := range map[feed.CategoryID][]publication.ID{0: {1}, 1: {2, 4}, 2: {3}, 9: {}, -1: {}} {
		p := w.publications(publication.Query{Category: new(category)})
		assert.Equal(w, want, idsOf(p.Items), "%d", category)
		assert.Equal(w, []int{len(want), 1}, []int{p.Total, p.Request.Pages(p.Total)})
	}
}

// originals are the numbers of what there is when only originals are asked for.
func (w *fixtures) originals() []publication.ID {
	w.Helper()
	p := w.publications(publication.Query{OriginOnly: true})
	assert.Len(w, p.Items, p.Total)
	return idsOf(p.Items)
}

func originOnly(w *fixtures) {
	author := w.newUser()
	w.imports(
		article(author, 1),
		article(author, 2, translationOf(1)),
		article(author, 3, translationOf(2), func(p *publication.Publication) { p.Bundle.FirstOriginal = 3 }), // itself
		article(author, 4, translationOf(99)), // its original is unknown
		article(author, 5, translationOf(4)),  // a translation of a translation
		article(author, 6, func(p *publication.Publication) { p.Published = false }),
		article(author, 7, translationOf(6)),
		article(author, 8, func(p *publication.Publication) { p.Deleted = true }),
		article(author, 9, translationOf(8)),
		article(author, 10, translationOf(1), func(p *publication.Publication) { p.Published = false }),
		article(author, 11, func(p *publication.Publication) { p.Bundle.Original = 1 }), // FirstOriginal decides
		article(author, 12, func(p *publication.Publication) { p.Bundle = publication.Bundle{} }),
	)
	assert.Equal(w, []publication.ID{1, 3, 4, 7, 9, 11, 12}, w.originals())
	assert.Len(w, w.publications(publication.Query{}).Items, 9)

	w.imports(article(author, 13, func(p *publication.Publication) { p.Bundle.ID = 8 })) // the same bundle, again
	assert.Equal(w, []publication.ID{1, 3, 4, 7, 11, 12, 13}, w.originals())
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

func publicationPages(w *fixtures) {
	author := w.newUser()
	for id := range publication.ID(5) {
		w.imports(article(author, id+1))
		w.imports(article(author, id+11, translationOf(publication.BundleID(id+1))))
	}
	for _, q := range []publication.Query{{}, {OriginOnly: true}} {
		q.Page = pageNo(1<<40, 100)
		_, err := w.Publications.List(w.Context(), q)
		assert.True(w, fault.Is(err, fault.NotFound), "%v", err)
		assert.Len(w, w.pagedPublications(q, 2), w.publications(publication.Query{OriginOnly: q.OriginOnly}).Total)
	}
	assert.Equal(w, 5, w.publications(publication.Query{OriginOnly: true}).Total)
}
