package bunstore

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
)

// filledSQLite returns a store on a database file of its own that has executed the statements, and a
// connection of its reader.
func filledSQLite(t *testing.T, statements ...string) (*Store, *sql.Conn) {
	t.Helper()
	url := MigratedSQLite(t)
	withRawConn(t, strings.TrimPrefix(url, "sqlite:"), func(ctx context.Context, db *sql.Conn) {
		for _, statement := range statements {
			_, err := db.ExecContext(ctx, statement)
			require.NoError(t, err, statement)
		}
	})
	return openReader(t, url)
}

// openReader returns a store and a connection of its reader.
func openReader(t *testing.T, url string) (*Store, *sql.Conn) {
	t.Helper()
	s, err := Open(t.Context(), engine.Options{URL: url})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	conn, err := s.Dialect.(engine.SQLite).Reader.Conn(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return s, conn
}

// withRawConn opens the database without the store, on one connection.
func withRawConn(t *testing.T, path string, fn func(context.Context, *sql.Conn)) {
	t.Helper()
	db, err := sql.Open("sqlite", engine.SQLiteURL(path, "synchronous(off)", "temp_store(memory)", "cache_size(-200000)"))
	require.NoError(t, err)
	defer db.Close()
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	fn(t.Context(), conn)
}
