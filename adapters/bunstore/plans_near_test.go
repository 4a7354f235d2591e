//go:build !race

package bunstore

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/feed"
	"plaza/domain/geo"
	testserver "plaza/test/postgres"
)

// demandsAround are statements that list {many} demands in 200 categories: each 25th of
// them within 5 km of the lake, as many in its latitudes but elsewhere, the others within a
// thousand kilometres. What differs between the
// databases stands in braces.
const demandsAround = `
INSERT INTO categories (id, name, slug) SELECT n, 'Nº ' || n, '' FROM {series of 200};
INSERT INTO feed_listings (kind, id, category_id, created, updated, lat, lng)
	SELECT 'demand', n, 1 + n / 25 % 200, {at}, {at},
		CASE n % 25 WHEN 0 THEN 30.5 + 0.0440 * sqrt(n / {many}.0) * sin(n) WHEN 1 THEN 30.5 + 0.04 * sin(n) ELSE 25 + n * 4001 % 99991 / 9999.1 END,
		CASE n % 25 WHEN 0 THEN 120.5 + 0.0511 * sqrt(n / {many}.0) * cos(n) ELSE 115 + n * 3989 % 99989 / 9998.9 END
	FROM {series of {many}}`

var lake = geo.Point{Lat: 30.5, Lng: 120.5}

func demandStatements(many int, differing ...string) []string {
	texts := strings.ReplaceAll(demandsAround, "{many}", strconv.Itoa(many))
	return strings.Split(strings.NewReplacer(differing...).Replace(texts), ";\n")
}

// treeParameters are the parameters of the tree within the area as EXECUTE takes them.
func treeParameters(s *Store, a feed.Area) []string {
	args := slices.Concat([]any{"'{demand}'"}, areaParameters(a), s.strips(a))
	texts := parameters(args)
	strips := len(args) - 3
	texts[strips] = "'" + strings.NewReplacer("[", "{", "]", "}", " ", ",").Replace(fmt.Sprint(args[strips])) + "'"
	return texts
}

func TestFED05_TreeReadsWhatLiesWithinOnPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	const many = 500_000
	url := testserver.Empty(t)
	s, err := Open(t.Context(), Options{URL: url})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	_, err = s.Migrate(t.Context())
	require.NoError(t, err)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close(t.Context()) })
	statements := demandStatements(many, "{at}", "now() - n * interval '1 minute'", "{series of ", "generate_series(1, ", "}", ") n")
	// VACUUM skips rows that are not yet durable.
	statements = append(statements, "VACUUM ANALYZE feed_listings", "ANALYZE categories")
	for _, statement := range slices.Insert(statements, 0, "SET synchronous_commit = on") {
		_, err := conn.Exec(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	tree := func(within geo.Kilometres) (whole, listings plan) {
		whole = explain(t, conn, s.hot.treeNear, treeParameters(s, feed.Area{Centre: lake, Within: within})...)
		for _, scan := range whole.scans() {
			if scan.Relation == "feed_listings" {
				require.Zero(t, listings, "it is read once")
				listings = scan
			}
		}
		return whole, listings
	}
	whole, listings := tree(5)
	assert.Equal(t, "Index Only Scan", listings.Node)
	assert.Equal(t, "feed_listings_by_strip", listings.Index)
	assert.InDelta(t, many/25, listings.Rows, 200, "what is within")
	assert.LessOrEqual(t, listings.read(), 1.3*many/25, "and what lies in the corners of the box around it")
	assert.LessOrEqual(t, whole.Hit+whole.Missed, 280., "buffers")

	whole, listings = tree(500)
	assert.Equal(t, "feed_listings_by_strip", listings.Index)
	assert.Greater(t, listings.Rows, many/2.)
	assert.LessOrEqual(t, whole.Hit+whole.Missed, 0.02*many, "buffers: linear in what is within")
}

func TestFED05_TreeReadsWhatLiesWithinOnSQLite(t *testing.T) {
	const many = 100_000
	path := filepath.Join(t.TempDir(), "plaza.db")
	s, err := Open(t.Context(), Options{URL: "sqlite:" + path})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	_, err = s.Migrate(t.Context())
	require.NoError(t, err)
	withRawConn(t, path, func(ctx context.Context, db *sql.Conn) {
		for _, statement := range demandStatements(many, "{at}", "-n",
			"{series of ", "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT ", "}", ") SELECT n FROM s)") {
			_, err := db.ExecContext(ctx, statement)
			require.NoError(t, err, statement)
		}
	})
	conn, err := s.dialect.(sqlite).reader.Conn(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	area := feed.Area{Centre: lake, Within: 5}
	args := slices.Concat([]any{s.dialect.listOf([]string{"demand"})}, areaParameters(area), s.strips(area))
	r := sqliteRead{statement: s.hot.treeNear, args: args}
	assert.Contains(t, explainSQLite(t, conn, r), "SEARCH l USING COVERING INDEX feed_listings_by_strip (kind=? AND <expr>=? AND lng>? AND lng<?)")
	rows, steps := run(t, conn, r)
	assert.Equal(t, 200, rows)
	assert.LessOrEqual(t, steps, 6000+65*many/25*13/10, "some 65 for each that is within, or in the corners of the box around it")
}
