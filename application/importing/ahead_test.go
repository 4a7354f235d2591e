package importing_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/importing"
	"plaza/domain/imported"
)

// watched calls a function at the beginning of each call of Apply.
type watched struct {
	imported.Store
	applying func() error
}

func (w watched) Apply(ctx context.Context, b imported.Batch) (imported.BatchResult, error) {
	if err := w.applying(); err != nil {
		return imported.BatchResult{}, err
	}
	return w.Store.Apply(ctx, b)
}

// many is more lines than two batches have.
const many = 20_000

func TestADM04_lines_are_prepared_while_a_batch_is_stored_but_not_without_end(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t)
		f, r := &file{name: "a"}, &rejects{}
		for i := range many {
			f.lines = append(f.lines, person(fmt.Sprint("u", i), i))
		}
		var read []int
		w.ports.Store = watched{w.store.Imports(), func() error {
			synctest.Wait()
			read = append(read, f.at)
			return nil
		}}
		_, err := w.importer().Import(t.Context(), []importing.Source{source(f, r)}, &watcher{})
		require.NoError(t, err)
		assert.Greater(t, read[0], 12_000, "lines are read ahead")
		assert.Less(t, read[0], 15_000, "but not a whole batch")
	})
}

func TestADM04_an_import_that_fails_leaves_nothing_running(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t)
		f := &file{name: "a", lines: slices.Repeat([]string{category(1, 0)}, many)}
		w.ports.Store = watched{w.store.Imports(), func() error {
			synctest.Wait()
			return errGone
		}}
		_, err := w.importer().Import(t.Context(), []importing.Source{source(f, &rejects{})}, &watcher{})
		require.ErrorIs(t, err, errGone)
		before := f.at
		synctest.Wait()
		assert.Equal(t, before, f.at)
	})
}
