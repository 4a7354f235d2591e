package ports

import (
	"testing"

	"github.com/stretchr/testify/require"

	"plaza/domain/feed"
	"plaza/domain/page"
	"plaza/domain/publication"
)

// Publications is the suite of publication.Repository.
func Publications(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"List has a page of the visible ones of the category, and past it is NotFound, the latest update first, ties by ascending id; origin only: originals, and translations whose original is not visible", originOnlyRandom},
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

// contentOf is the content of a publication or a node.
func contentOf(thing feed.Listable) publication.Content {
	if n, isNode := thing.(publication.Node); isNode {
		return n.Content
	}
	return thing.(publication.Publication).Content
}
