package ports

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/feed"
	"plaza/domain/page"
	"plaza/domain/publication"
)

// Publications is the suite of publication.Repository.
func Publications(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"List has a page of the visible ones of the category, and past it is NotFound, the latest update first, ties by ascending id; origin only: originals, and translations whose original is not visible", originOnlyRandom},
		{"what comes out is private", publicationPrivate},
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

func publicationPrivate(w *fixtures) {
	p := article(w.newUser(), 1, func(p *publication.Publication) { p.Cover = cover() })
	n := publication.Node{ID: 1, Content: content(p.Author)}
	n.Cover = cover()
	w.imports(p, n)
	sel := feed.Selection{Kinds: feed.ItemKinds()}
	for range 2 {
		got := w.publications(publication.Query{}).Items
		assert.Equal(w, cover(), got[0].Cover)
		got[0].Cover.Sizes[0].Name = "spoilt"
		for _, thing := range w.pages(0, sel, 10) {
			sizes := contentOf(thing).Cover.Sizes
			assert.Equal(w, cover().Sizes, sizes)
			sizes[0].Name = "spoilt"
		}
	}
}

// contentOf is the content of a publication or a node.
func contentOf(thing feed.Listable) publication.Content {
	if n, isNode := thing.(publication.Node); isNode {
		return n.Content
	}
	return thing.(publication.Publication).Content
}
