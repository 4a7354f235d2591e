package bunstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/feed"
	"plaza/domain/user"
	"plaza/test/content"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// openWithCategories opens an account and adds two categories.
func openWithCategories(t *testing.T, s *bunstore.Store) user.ID {
	t.Helper()
	id := member(t, s)
	require.NoError(t, imports(t.Context(), s, feed.Category{ID: 1, Name: "A shelf"}, feed.Category{ID: 2, Name: "A shelf"}))
	return id
}

// imports stores the things through the import store.
func imports(ctx context.Context, s *bunstore.Store, things ...any) error {
	return content.Import(ctx, content.Stores{Accounts: s.Accounts(), Directory: s.Accounts(), Imports: s.Imports()}, things...)
}

func checked(t *testing.T, s *bunstore.Store, repair bool) (found []bunstore.Finding) {
	t.Helper()
	require.NoError(t, s.Check(t.Context(), repair, func(f bunstore.Finding) { found = append(found, f) }))
	return found
}
