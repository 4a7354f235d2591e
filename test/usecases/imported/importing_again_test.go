package imported_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/application/importing"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/user"
	"plaza/test/usecases"
)

// failingImports is a store that fails at one call of Apply, before or after storing the batch.
type failingImports struct {
	imported.Store
	left  int
	after bool
}

func (f *failingImports) Apply(ctx context.Context, d imported.Batch) ([]imported.Outcome, error) {
	f.left--
	if f.left != 0 {
		return f.Store.Apply(ctx, d)
	}
	if f.after {
		if _, err := f.Store.Apply(ctx, d); err != nil {
			return nil, err
		}
	}
	return nil, usecases.ErrInjected
}

// drawLine draws a line from a small set of records, many of which are repeated, early or
// missing.
func drawLine(t *rapid.T) string {
	id := func(what string, most int) int { return rapid.IntRange(1, most).Draw(t, what) }
	author := func() string { return fmt.Sprint("u", id("author", 4)) }
	switch rapid.IntRange(0, 7).Draw(t, "kind") {
	case 0:
		return personLine(author(), id("phone", 5))
	case 1, 2:
		return categoryLine(id("category", 6), rapid.IntRange(0, 6).Draw(t, "parent"))
	case 3:
		return bundleLine(id("bundle", 4), rapid.IntRange(0, 4).Draw(t, "original"))
	case 4:
		return "nonsense"
	default:
		return publicationLine(id("publication", 8), id("bundle", 4), author(), id("category", 6), fmt.Sprint("T", id("title", 3)))
	}
}

// dump returns all stored data that is visible through the ports.
func (w *importFixture) dump() string {
	w.Helper()
	categories, metas, err := w.store.Feed().Metas(w.Context(), feed.Selection{Kinds: []feed.Kind{feed.Publication}})
	require.NoError(w, err)
	slices.SortFunc(categories, func(a, b feed.Category) int { return int(a.ID - b.ID) })
	var ids []user.ID
	for id := range user.ID(10) {
		ids = append(ids, id+1)
	}
	members, err := w.store.Accounts().Members(w.Context(), ids)
	require.NoError(w, err)
	slices.SortFunc(members, func(a, b user.Member) int { return int(a.ID - b.ID) })
	dump := fmt.Sprint(categories, metas, members)
	for _, c := range categories {
		dump += fmt.Sprint(w.feedPage(c.ID, feed.Publication))
	}
	return dump
}

func TestADM04_an_import_that_fails_anywhere_and_begins_again_ends_like_one_that_does_not(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var files [][]string
		for range rapid.IntRange(1, 3).Draw(r, "files") {
			files = append(files, rapid.SliceOfN(rapid.Custom(drawLine), 0, 40).Draw(r, "lines"))
		}
		damaged := rapid.IntRange(-3, len(files)-1).Draw(r, "damaged") // negative: no file
		ends := func(err error) {
			if damaged < 0 {
				require.NoError(r, err)
			} else {
				require.ErrorIs(r, err, imported.ErrDamaged)
			}
		}
		whole, wholeRejects := newImportFixture(t), make([]keptRejects, len(files))
		ends(whole.bringAll(files, damaged, wholeRejects))

		broken, brokenRejects := newImportFixture(t), make([]keptRejects, len(files))
		intake := broken.ports.Store
		for tries := 0; ; tries++ {
			broken.ports.Store = &failingImports{
				Store: intake, left: rapid.IntRange(1, 12).Draw(r, "deliveries"), after: rapid.Bool().Draw(r, "after"),
			}
			err := broken.bringAll(files, damaged, brokenRejects)
			if !errors.Is(err, usecases.ErrInjected) {
				ends(err)
				break
			}
			if tries == 10 {
				broken.ports.Store = intake
				ends(broken.bringAll(files, damaged, brokenRejects))
				break
			}
		}
		require.Equal(r, whole.dump(), broken.dump())
		for n := range files {
			require.Equal(r, wholeRejects[n].kept, brokenRejects[n].kept)
		}
	})
}

// bringAll imports the files, of which the one with the index is damaged at its end.
func (w *importFixture) bringAll(files [][]string, damaged int, r []keptRejects) error {
	var sources []importing.Source
	for n, lines := range files {
		f := &importedFile{name: fmt.Sprint("file ", n), lines: lines}
		if n == damaged {
			f.damage = fmt.Errorf("%w: cut off", imported.ErrDamaged)
		}
		sources = append(sources, importSource(f, &r[n]))
	}
	_, err := w.importer().Import(w.Context(), sources, &importWatcher{})
	return err
}
