package imported_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/importing"
	"plaza/application/telemetry"
	"plaza/domain/imported"
	"plaza/test/usecases"
)

// completion returns the recorded import.
func (w *importFixture) completion() imported.Completion {
	w.Helper()
	sample, err := w.store.Telemetry().Sample(w.Context(), telemetry.Query{})
	require.NoError(w, err)
	return sample.Import
}

func TestADM04_an_import_that_has_read_all_files_is_recorded(t *testing.T) {
	w := newImportFixture(t)
	at := usecases.Noon
	w.ports.Now = func() time.Time { at = at.Add(time.Minute); return at }
	_, rejected := w.bring("a", categoryLine(1, 0), "no record")
	assert.Len(t, rejected, 1, "rejected lines do not matter")
	assert.Equal(t, imported.Completion{Began: usecases.Noon.Add(time.Minute), Ended: usecases.Noon.Add(2 * time.Minute)}, w.completion())
	_, _ = w.bring("b", categoryLine(2, 0))
	assert.Equal(t, imported.Completion{Began: usecases.Noon.Add(3 * time.Minute), Ended: usecases.Noon.Add(4 * time.Minute)}, w.completion())
}

func TestADM04_an_import_that_ends_early_is_not_recorded(t *testing.T) {
	w := newImportFixture(t)
	ended, end := context.WithCancel(t.Context())
	end()
	for name, attempt := range map[string]func() error{
		"interrupted": func() error {
			_, err := w.importer().Import(ended, []importing.Source{importSource(&importedFile{name: "a", lines: []string{categoryLine(1, 0)}},
				&keptRejects{})}, &importWatcher{})
			return err
		},
		"damaged": func() error {
			damaged := &importedFile{name: "b", lines: []string{categoryLine(1, 0)}, damage: imported.ErrDamaged}
			_, err := w.importer().Import(t.Context(), []importing.Source{importSource(damaged, &keptRejects{})}, &importWatcher{})
			return err
		},
	} {
		require.Error(t, attempt(), name)
		assert.Zero(t, w.completion(), name)
	}
	_, err := w.importer().DryRun(t.Context(), []importing.Source{importSource(&importedFile{name: "c", lines: []string{categoryLine(1, 0)}},
		&keptRejects{})}, &importWatcher{})
	require.NoError(t, err)
	assert.Zero(t, w.completion(), "a dry run")
}
