package importing_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/importing"
	"plaza/domain/imported"
	"plaza/domain/telemetry"
)

// completion returns the recorded import.
func (w *fixture) completion() imported.Completion {
	w.Helper()
	sample, err := w.store.Telemetry().Sample(w.Context(), telemetry.Query{})
	require.NoError(w, err)
	return sample.Import
}

func TestADM04_an_import_that_has_read_all_files_is_recorded(t *testing.T) {
	w := newFixture(t)
	at := now
	w.ports.Now = func() time.Time { at = at.Add(time.Minute); return at }
	_, rejected := w.bring("a", category(1, 0), "no record")
	assert.Len(t, rejected, 1, "rejected lines do not matter")
	assert.Equal(t, imported.Completion{Began: now.Add(time.Minute), Ended: now.Add(2 * time.Minute)}, w.completion())
	_, _ = w.bring("b", category(2, 0))
	assert.Equal(t, imported.Completion{Began: now.Add(3 * time.Minute), Ended: now.Add(4 * time.Minute)}, w.completion())
}

func TestADM04_an_import_that_ends_early_is_not_recorded(t *testing.T) {
	w := newFixture(t)
	ended, end := context.WithCancel(t.Context())
	end()
	for name, attempt := range map[string]func() error{
		"interrupted": func() error {
			_, err := w.importer().Import(ended, []importing.Source{source(&file{name: "a", lines: []string{category(1, 0)}}, &rejects{})}, &watcher{})
			return err
		},
		"damaged": func() error {
			damaged := &file{name: "b", lines: []string{category(1, 0)}, damage: imported.ErrDamaged}
			_, err := w.importer().Import(t.Context(), []importing.Source{source(damaged, &rejects{})}, &watcher{})
			return err
		},
	} {
		require.Error(t, attempt(), name)
		assert.Zero(t, w.completion(), name)
	}
	_, err := w.importer().DryRun(t.Context(), []importing.Source{source(&file{name: "c", lines: []string{category(1, 0)}}, &rejects{})}, &watcher{})
	require.NoError(t, err)
	assert.Zero(t, w.completion(), "a dry run")
}
