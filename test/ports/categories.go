package ports

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/feed"
)

// Categories is the suite of feed.Categories.
func Categories(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"Put stores the category under its ID", putNew},
		{"Put replaces what was there", putAgain},
		{"a parent must exist before its children", putOrphan},
		{"Puts of one category at once all succeed", putAtOnce},
		{"ByIDs returns those of the ids that exist, under their ids", categoriesByIDs},
		{"whoever has gone away is not served, and nothing is stored", categoryGone},
	})
}

func (w *fixtures) categoriesAt(ids ...feed.CategoryID) map[feed.CategoryID]feed.Category {
	w.Helper()
	found, err := w.Categories.ByIDs(w.Context(), ids)
	require.NoError(w, err)
	return found
}

func putNew(w *fixtures) {
	want := map[feed.CategoryID]feed.Category{
		7:       {ID: 7, Name: broad(64), Slug: "roots"},
		3:       {ID: 3, Parent: 7, Name: "O'Brien \\ \"%_\"", Slug: ""},
		1 << 40: {ID: 1 << 40, Parent: 3},
	}
	for _, id := range []feed.CategoryID{7, 3, 1 << 40} {
		require.NoError(w, w.Categories.Put(w.Context(), want[id]))
	}
	assert.Equal(w, want, w.categoriesAt(7, 3, 1<<40))
}

func putAgain(w *fixtures) {
	w.category(1)
	w.category(2)
	for _, c := range []feed.Category{
		{ID: 2, Parent: 1, Name: "Child", Slug: "child"},
		{ID: 2, Name: "Root again"},
	} {
		require.NoError(w, w.Categories.Put(w.Context(), c))
		assert.Equal(w, c, w.categoriesAt(1, 2)[2])
	}
	assert.Len(w, w.categoriesAt(1, 2, 3), 2)
}

func putOrphan(w *fixtures) {
	w.category(1)
	before := w.categoriesAt(1)
	require.Error(w, w.Categories.Put(w.Context(), feed.Category{ID: 2, Parent: 9, Name: "Orphan"}))
	require.Error(w, w.Categories.Put(w.Context(), feed.Category{ID: 1, Parent: 9, Name: "Orphan"}))
	assert.Equal(w, before, w.categoriesAt(1, 2, 9))
}

func putAtOnce(w *fixtures) {
	for _, err := range atOnce(many, func(i int) error {
		return w.Categories.Put(w.Context(), feed.Category{ID: 1, Name: broad(i + 1)})
	}) {
		require.NoError(w, err)
	}
	assert.NotEmpty(w, w.categoriesAt(1)[1].Name)
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

func categoryGone(w *fixtures) {
	w.category(1)
	w.refusedGone(categoryCalls)
	assert.Len(w, w.categoriesAt(1, newcomer), 1)
}

var categoryCalls = []call{
	{"Categories.Put", func(ctx context.Context, s Stores) error {
		return s.Categories.Put(ctx, feed.Category{ID: newcomer, Name: "New"})
	}},
	{"Categories.ByIDs", func(ctx context.Context, s Stores) error {
		_, err := s.Categories.ByIDs(ctx, []feed.CategoryID{1})
		return err
	}},
}
