package bunstore

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const locatedPage = 100

func TestEVT16_places_are_gone_through_by_the_primary_key_on_Postgres(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	s, conn := filledPostgres(t)
	storeMany(t, s, 1)
	for _, statement := range []string{
		`INSERT INTO events (author_id, day, title, content, html, permission, status, province, city, district, created, modified)
			SELECT 1, '2026-01-01', 'A title', '', '', 0, 0, '', '', '', now(), now() FROM generate_series(1, 20000)`,
		"ANALYZE",
	} {
		_, err := conn.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	for _, after := range []string{"0", "10000", "19990"} {
		scans := explain(t, conn, s.sql.located, after, "100").scans()
		require.Len(t, scans, 1)
		assert.Equal(t, "events_pkey", scans[0].Index, after)
		assert.LessOrEqual(t, scans[0].read(), float64(locatedPage), after)
	}
}

func TestEVT16_places_are_gone_through_by_the_primary_key_on_SQLite(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	path := filepath.Join(t.TempDir(), "plaza.db")
	s, err := Open(t.Context(), Options{URL: "sqlite:" + path})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	_, err = s.Migrate(t.Context())
	require.NoError(t, err)
	storeMany(t, s, 1)
	withRawConn(t, path, func(ctx context.Context, db *sql.Conn) {
		_, err := db.ExecContext(ctx, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
			INSERT INTO events (author_id, day, title, content, html, permission, status, province, city, district, created, modified)
			SELECT e.author_id, e.day, e.title, '', '', 0, 0, '', '', '', e.created, e.modified FROM n, events e WHERE e.id = 1`)
		require.NoError(t, err)
	})
	conn, err := s.dialect.(sqlite).reader.Conn(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	for _, after := range []int64{0, 2500, 4850} {
		r := sqliteRead{statement: s.sql.located, args: []any{after, int64(locatedPage)}}
		assert.Equal(t, []string{"SEARCH events USING INTEGER PRIMARY KEY (rowid>?)"}, explainSQLite(t, conn, r))
		rows, steps := run(t, conn, r)
		assert.Equal(t, locatedPage, rows)
		assert.LessOrEqual(t, steps, 15*locatedPage)
	}
}
