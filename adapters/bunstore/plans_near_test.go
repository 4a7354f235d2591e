package bunstore

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

func TestFED05_TreeReadsWhatLiesAroundOnPostgres(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	const many = 100_000
	statements := demandStatements(many, "{at}", "now() - n * interval '1 minute'", "{series of ", "generate_series(1, ", "}", ") n")
	// Reading a table that was vacuumed while empty costs nothing in the eyes of the planner. The
	// statement is prepared once, as on a connection that lasts.
	_, conn := filledPostgres(t, statements...)
	listings := func(within geo.Kilometres, after ...string) (found plan) {
		for _, scan := range explainPrepared(t, conn, append(parameters(circleOf(lake, within)), after...)...).scans() {
			if scan.Relation == "feed_listings" {
				require.Zero(t, found, "it is read once")
				found = scan
			}
		}
		assert.Equal(t, "Index Only Scan", found.Node)
		assert.Equal(t, "feed_listings_near", found.Index)
		return found
	}
	prepare(t, conn, constants["treeNear"].Postgres)
	around := listings(5)
	assert.InDelta(t, many/25, around.Rows*around.Loops, 200, "what is within")
	assert.LessOrEqual(t, around.read(), 2.5*many/25, "and what lies in the same latitudes")
	wide := listings(500)
	assert.Greater(t, wide.Rows*wide.Loops, many/2.)

	prepare(t, conn, constants["demandsNear"].Postgres)
	around = listings(5, "1", "20", "0")
	assert.LessOrEqual(t, around.read(), 2.5*many/25, "in whichever category")
}

func TestFED05_TreeReadsWhatLiesAroundOnSQLite(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	const many = 100_000
	_, conn := filledSQLite(t, demandStatements(many, "{at}", "-n",
		"{series of ", "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT ", "}", ") SELECT n FROM s)")...)
	const byPlace = "SEARCH feed_listings USING COVERING INDEX feed_listings_near (lat>? AND lat<?)"
	near := sqliteRead{statement: constants["treeNear"].Postgres, args: circleOf(lake, 5)}
	assert.Contains(t, explainSQLite(t, conn, near), byPlace)
	const categories = many / 2500
	rows, steps := run(t, conn, near)
	assert.Equal(t, 2*categories, rows, "each category and its count")
	assert.LessOrEqual(t, steps, 6000+(65+30)*many/25, "some 65 for each that is within, and fewer for others in the same latitudes")
	items := sqliteRead{statement: constants["demandsNear"].Postgres, args: append(near.args, 1, 20, 0)}
	assert.Contains(t, explainSQLite(t, conn, items), byPlace)
}

// circleOf returns the parameters $1 to $10 of treeNear.
func circleOf(centre geo.Point, within geo.Kilometres) []any {
	box, sine := geo.Around(centre, within), math.Sin(float64(within/geo.Radius)/2)
	lng := box.Lng[len(box.Lng)-1]
	return []any{
		box.Lat.Min, box.Lat.Max, box.Lng[0].Min, box.Lng[0].Max, lng.Min, lng.Max,
		centre.Lat, math.Cos(centre.Lat * math.Pi / 180), centre.Lng, sine * sine,
	}
}
