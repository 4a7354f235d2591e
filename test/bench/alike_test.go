//go:build soak

package bench

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/test/postgres"
)

// Functions by which the templates of test databases are known.
func tinyPostgres(ctx context.Context, url string) error  { return fill(ctx, url, newDataset(tiny)) }
func otherPostgres(ctx context.Context, url string) error { return fill(ctx, url, thousand()) }

func TestRivals_answer_just_as_Plaza_does(t *testing.T) {
	url, binary := postgres.New(t, tinyPostgres), program(t.Context(), t)
	assert.Empty(t, findings(t, url), "the dataset is not what the program would have written")
	plaza := launchPlaza(t, binary, url).at
	other := launchPlaza(t, binary, postgres.New(t, otherPostgres)).at
	d := newDataset(tiny)
	for _, r := range startRivals(t.Context(), t, url) {
		for _, sc := range scenarios {
			if r.isAsked(sc) {
				assert.NoError(t, compare(plaza, r.at, sc.some(d, 20)), "%s, %s", r.name, sc.name)
			}
		}
		assert.ErrorIs(t, compare(other, r.at, called("A1").some(d, 1)), errUnlike, "%s: other rows are found out", r.name)
	}
	for _, found := range findings(t, url) { // Django keeps no index of search
		assert.Contains(t, found, "words that find", "the edits have left what the program would not have")
	}
}

func TestDatasets_on_SQLite_are_what_the_program_would_have_written(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "tiny.db")
	require.NoError(t, fill(t.Context(), url, newDataset(tiny)))
	assert.Empty(t, findings(t, url))
}

// findings are what a check of the database finds; a few tell enough.
func findings(t *testing.T, url string) (found []string) {
	t.Helper()
	store, err := bunstore.Open(t.Context(), bunstore.Options{URL: url})
	require.NoError(t, err)
	defer func() { assert.NoError(t, store.Close()) }()
	require.NoError(t, store.Check(t.Context(), false, func(f bunstore.Finding) { found = append(found, f.What) }))
	return found[:min(len(found), 10)]
}
