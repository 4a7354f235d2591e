package bunstore_test

import (
	"context"
	"database/sql"
	"strings"
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
	return content.Import(ctx, content.Stores{Accounts: s.Accounts, Directory: s.Directory, Imports: s.Imports}, things...)
}

func checked(t *testing.T, s *bunstore.Store, repair bool) (found []bunstore.Finding) {
	t.Helper()
	require.NoError(t, s.Check(t.Context(), repair, func(f bunstore.Finding) { found = append(found, f) }))
	return found
}

// rawSQL opens the database without the store, as an administrator does.
func rawSQL(t *testing.T, url string) *sql.DB {
	t.Helper()
	driver, source := "pgx", url
	if path, is := strings.CutPrefix(url, "sqlite:"); is {
		driver, source = "sqlite", "file:"+path+"?_pragma=busy_timeout(5000)&_pragma=foreign_keys(on)"
	}
	db, err := sql.Open(driver, source)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func execute(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), statement)
	require.NoError(t, err, statement)
}

func column[T any](t *testing.T, db *sql.DB, query string, args ...any) []T {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query, args...)
	require.NoError(t, err, query)
	defer rows.Close()
	all := []T{}
	for rows.Next() {
		var one T
		require.NoError(t, rows.Scan(&one))
		all = append(all, one)
	}
	require.NoError(t, rows.Err())
	return all
}
