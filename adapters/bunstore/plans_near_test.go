package bunstore

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
	"plaza/domain/geo"
)

// demandsAround are statements that list {many} demands in categories of 2,500: each 25th of
// them within 5 km of the lake, as many in its latitudes but elsewhere, the others within a
// thousand kilometres. What differs between the
// databases stands in braces.
const demandsAround = `
INSERT INTO categories (id, name, slug) SELECT n, 'Nº ' || n, '' FROM {series of {categories}};
INSERT INTO feed_listings (kind, id, category_id, created, updated, lat, lng)
	SELECT 'demand', n, 1 + n / 25 % {categories}, {at}, {at},
		CASE n % 25 WHEN 0 THEN 30.5 + 0.0440 * sqrt(n / {many}.0) * sin(n) WHEN 1 THEN 30.5 + 0.04 * sin(n) ELSE 25 + n * 4001 % 99991 / 9999.1 END,
		CASE n % 25 WHEN 0 THEN 120.5 + 0.0511 * sqrt(n / {many}.0) * cos(n) ELSE 115 + n * 3989 % 99989 / 9998.9 END
	FROM {series of {many}};
INSERT INTO feed_totals (kind, shard, count, version) VALUES ('demand', 0, {many}, 1)`

var lake = geo.Point{Lat: 30.5, Lng: 120.5}

func demandStatements(many int, differing ...string) []string {
	texts := strings.NewReplacer("{many}", strconv.Itoa(many), "{categories}", strconv.Itoa(many/2500)).Replace(demandsAround)
	return strings.Split(strings.NewReplacer(differing...).Replace(texts), ";\n")
}

// treeParameters are the parameters of the tree within the area as EXECUTE takes them.
func treeParameters(t *testing.T, a feed.Area) []string {
	args := nearArgs(a)
	cells, err := args[0].(engine.AsJSON).Value()
	require.NoError(t, err)
	args[0] = fmt.Sprintf("'%s'", cells)
	return parameters(args)
}

func nearArgs(a feed.Area) []any {
	return treeNearParameters(feed.Selection{Kinds: []feed.Kind{feed.Demand}, Near: &a})
}

func TestFED05_TreeReadsWhatLiesWithinOnPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	const many = 100_000
	statements := demandStatements(many, "{at}", "now() - n * interval '1 minute'", "{series of ", "generate_series(1, ", "}", ") n")
	// Reading a table that was vacuumed while empty costs nothing in the eyes of the planner. The
	// statement is prepared once, as on a connection that lasts.
	s, conn := filledPostgres(t, statements...)
	prepare(t, conn, s.hotReads.treeNear)
	tree := func(within geo.Kilometres) (listings, tiles plan) {
		whole := explainPrepared(t, conn, treeParameters(t, feed.Area{Centre: lake, Within: within})...)
		for _, scan := range whole.scans() {
			switch scan.Relation {
			case "feed_listings":
				require.Zero(t, listings, "it is read once")
				listings = scan
			case "feed_map":
				require.Zero(t, tiles, "they are read once")
				tiles = scan
			}
		}
		return listings, tiles
	}
	listings, tiles := tree(5)
	assert.Equal(t, "Index Only Scan", listings.Node)
	assert.Equal(t, "feed_listings_by_strip", listings.Index)
	assert.InDelta(t, many/25, listings.Rows*listings.Loops, 200, "what is within")
	assert.LessOrEqual(t, listings.read(), 1.1*many/25, "and what lies beside it in strips of a hundredth of a degree")
	assert.Zero(t, tiles.Rows*tiles.Loops, "the tiles do not hold")

	listings, _ = tree(500)
	assert.Equal(t, "feed_listings_by_strip", listings.Index)
	assert.Greater(t, listings.Rows*listings.Loops, many/2.)

	require.NoError(t, s.RefreshTiles(t.Context()))
	listings, tiles = tree(5)
	assert.Zero(t, listings.read(), "the tiles have all")
	assert.Equal(t, "feed_map_pkey", tiles.Index, "although the statement was planned when there were no tiles")
	assert.InDelta(t, 400, tiles.read(), 100, "tiles within and at the rim")
}

func TestFED05_TreeReadsWhatLiesWithinOnSQLite(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	const many = 100_000
	s, conn := filledSQLite(t, demandStatements(many, "{at}", "-n",
		"{series of ", "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT ", "}", ") SELECT n FROM s)")...)
	r := sqliteRead{statement: s.hotReads.treeNear, args: nearArgs(feed.Area{Centre: lake, Within: 5})}
	assert.Contains(t, explainSQLite(t, conn, r), "SEARCH l USING COVERING INDEX feed_listings_by_strip (kind=? AND <expr>=? AND lng>? AND lng<?)")
	const categories = many / 2500
	rows, steps := run(t, conn, r)
	assert.Equal(t, categories+1, rows, "what is counted is one row")
	assert.LessOrEqual(t, steps, 6000+65*many/25, "some 65 for each that is within")

	require.NoError(t, s.RefreshTiles(t.Context()))
	assert.Contains(t, explainSQLite(t, conn, r), "SEARCH t USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)")
	rows, steps = run(t, conn, r)
	assert.LessOrEqual(t, rows, categories+50, "and one for each cell")
	assert.LessOrEqual(t, steps, 6000, "some for each tile, none for a demand")
}
