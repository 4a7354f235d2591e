package ports

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/feed"
)

// Categories is the suite of feed.Categories.
func Categories(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"ByIDs returns those of the ids that exist, under their ids", categoriesByIDs},
	})
}

func (w *fixtures) categoriesAt(ids ...feed.CategoryID) map[feed.CategoryID]feed.Category {
	w.Helper()
	found, err := w.Categories.ByIDs(w.Context(), ids)
	require.NoError(w, err)
	return found
}

func categoriesByIDs(w *fixtures) {
	w.category(1)
	w.category(2)
	w.category(3)
	found := w.categoriesAt(3, 0, 1, 99, -1, 3)
	require.Len(w, found, 2)
	assert.Equal(w, feed.CategoryID(1), found[1].ID)
	assert.Equal(w, feed.CategoryID(3), found[3].ID)
	assert.Empty(w, w.categoriesAt())
	assert.Empty(w, w.categoriesAt(0))

	found[1] = feed.Category{}
	assert.Equal(w, feed.CategoryID(1), w.categoriesAt(1)[1].ID, "what came out is private")
}
