package imported_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/importing"
	"plaza/domain/imported"
	"plaza/test/usecases"
)

// watchedImports calls a function at the beginning of each call of Apply.
type watchedImports struct {
	imported.Store
	applying func() error
}

func (w watchedImports) Apply(ctx context.Context, b imported.Batch) ([]imported.Outcome, error) {
	if err := w.applying(); err != nil {
		return nil, err
	}
	return w.Store.Apply(ctx, b)
}

// overTwoBatches is more lines than two batches have, and more than a batch and what is read ahead meanwhile.
const overTwoBatches = 16_100

func TestADM04_lines_are_prepared_while_a_batch_is_stored_but_not_without_end(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, read := newImportFixture(t), int64(0)
		f := &importedFile{name: "a", lines: slices.Repeat([]string{personLine("u1", 1)}, overTwoBatches)}
		w.ports.Store = watchedImports{w.store.Imports(), func() error {
			synctest.Wait()
			read = f.at.Load()
			return usecases.ErrInjected
		}}
		_, err := w.importer().Import(t.Context(), []importing.Source{importSource(f, &keptRejects{})}, &importWatcher{})
		require.ErrorIs(t, err, usecases.ErrInjected)
		assert.Greater(t, read, int64(12_000), "lines are read ahead of the first batch's end")
		assert.Less(t, read, int64(15_000), "but not a whole batch")
	})
}

func TestADM04_an_import_that_fails_leaves_nothing_running(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newImportFixture(t)
		f := &importedFile{name: "a", lines: slices.Repeat([]string{categoryLine(1, 0)}, overTwoBatches)}
		w.ports.Store = watchedImports{w.store.Imports(), func() error {
			synctest.Wait()
			return usecases.ErrInjected
		}}
		_, err := w.importer().Import(t.Context(), []importing.Source{importSource(f, &keptRejects{})}, &importWatcher{})
		require.ErrorIs(t, err, usecases.ErrInjected)
		before := f.at.Load()
		synctest.Wait()
		assert.Equal(t, before, f.at.Load())
	})
}
