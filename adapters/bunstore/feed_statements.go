package bunstore

import (
	"fmt"
	"strings"

	"plaza/domain/feed"
)

// feedStatements are the hot reads of the feed.
type feedStatements struct {
	tree        string // $1 kinds
	treeNear    string // $1 cells, $2 to $5 inCircle, $6 tiles
	feedVersion string // $1 kinds
	pageOf      map[feed.Kind]string
	pageMerged  string // $4 kinds
	pageNear    string // $4 to $7 inCircle, $8 to $13 inBox

	// Publications by update time: all, of a category, and origins alone.
	latest, latestOf               string
	latestOrigins, latestOriginsOf string
}

func newFeedStatements(d dialect) feedStatements {
	s := feedStatements{
		// The sum of bigints would be a numeric, which is slower.
		tree: tree(`SELECT category_id, SUM(CAST(count AS integer)) AS count, MAX(created) AS created, MAX(updated) AS updated
			FROM feed_counters WHERE ` + d.among("kind", "$1") + ` GROUP BY category_id HAVING SUM(count) > 0`),
		treeNear:    tree(countedNear(d)),
		feedVersion: feedVersion(d),
		pageOf:      map[feed.Kind]string{},
		pageMerged: pageStatement{
			where: "l.category_id = $3 AND l.kind IN ('demand', 'node', 'publication') AND " + d.among("l.kind", "$4"),
			order: []string{"created DESC", "kind", "id"},
			total: "SELECT SUM(count) FROM feed_counters WHERE category_id = $3 AND " + d.among("kind", "$4"),
			shape: merged,
		}.text(),
		pageNear: pageStatement{
			where: "l.category_id = $3 AND " + inBox(inCircle(4)), order: newest, shape: pageShapes[feed.Demand],
		}.text(),
	}
	for _, kind := range feed.ItemKinds() {
		of := "kind = '" + string(kind) + "'"
		s.pageOf[kind] = pageStatement{
			where: "l.category_id = $3 AND l." + of, order: newest,
			total: "SELECT SUM(count) FROM feed_counters WHERE category_id = $3 AND " + of,
			shape: pageShapes[kind],
		}.text()
	}
	s.addPublications()
	return s
}

// feedVersion returns the query for the version of the kinds in $1. Versions only grow, so no
// sum of them occurs twice.
func feedVersion(d dialect) string {
	return "SELECT CAST(COALESCE(SUM(version), 0) AS bigint) FROM feed_totals WHERE " + d.among("kind", "$1") + " OR kind = 'category'"
}

// tree returns the categories and the uncategorised items, with the counts of each.
func tree(counted string) string {
	return `WITH counted AS (` + counted + `)
		SELECT c.id, c.parent_id, c.name, c.slug, k.count, k.created, k.updated
		FROM categories c LEFT JOIN counted k ON k.category_id = c.id
		UNION ALL
		SELECT 0, NULL, '', '', k.count, k.created, k.updated FROM counted k WHERE k.category_id = 0`
}

// pageShapes are the shapes of pages of one kind.
var (
	pageShapes = map[feed.Kind]pageShape{
		feed.Publication: pageShapeOf(feed.Publication), feed.Node: pageShapeOf(feed.Node), feed.Demand: pageShapeOf(feed.Demand),
	}
	merged = pageShapeOf(feed.ItemKinds()...)
)

// newest is the order of listings of one kind.
var newest = []string{"created DESC", "id"}

// pageStatement builds the statement of a page of listings, with the total in every
// row. The parameters are the size as $1, the offset as $2, the category as $3 if any,
// and others. The page is selected from an index alone; only its records are looked up.
type pageStatement struct {
	where string // condition on the listings l
	order []string
	total string // empty: the matching rows are counted
	shape pageShape
}

func (p pageStatement) text() string {
	by := func(of string) string { return of + strings.Join(p.order, ", "+of) }
	columns := "id"
	for _, column := range p.order {
		if name, _, _ := strings.Cut(column, " "); name != "id" {
			columns += ", " + name
		}
	}
	page := `WITH page AS (SELECT ` + columns + ` FROM feed_listings l WHERE ` + p.where +
		` ORDER BY ` + by("l.") + ` LIMIT CAST($1 AS bigint) OFFSET CAST($2 AS bigint))`
	if p.total == "" {
		p.total = "SELECT COUNT(*) FROM there"
		page = `WITH there AS MATERIALIZED (SELECT ` + columns + ` FROM feed_listings l WHERE ` + p.where + `),
			page AS (SELECT ` + columns + ` FROM there ORDER BY ` + strings.Join(p.order, ", ") + ` LIMIT CAST($1 AS bigint) OFFSET CAST($2 AS bigint))`
	}
	return page + ` SELECT CAST((` + p.total + `) AS bigint), ` + p.shape.columns +
		` FROM page` + p.shape.joins + ` ORDER BY ` + by("page.")
}

// addPublications builds the reads of publications by update time.
func (s *feedStatements) addPublications() {
	of := func(kind feed.Kind, counts, where string) string {
		kinds := "kind = '" + string(kind) + "'"
		return pageStatement{
			where: "l." + kinds + where, order: []string{"updated DESC", "id"},
			total: "SELECT COALESCE(SUM(count), 0) FROM " + counts + " l WHERE l." + kinds + where,
			shape: pageShapes[feed.Publication],
		}.text()
	}
	const here = " AND l.category_id = $3"
	// SQLite uses a partial index only if the query repeats its condition word for
	// word.
	const anywhere = " AND l.kind IN ('origin', 'publication')"
	const everywhere, byCategory = "feed_totals", "feed_counters"
	s.latest, s.latestOf = of(feed.Publication, everywhere, anywhere), of(feed.Publication, byCategory, here)
	s.latestOrigins, s.latestOriginsOf = of(origins, everywhere, anywhere), of(origins, byCategory, here)
}

// countedNear returns the query for the counts of the demands within a circle, by their
// categories. The cells are JSON of geo.Cell, the tiles of geo.Tiles. While the tiles hold,
// they are read in the place of the listings in tiled cells. Distances are computed only in
// cells that are not interior. Without "+" SQLite would not use the index, which has no type
// for strips.
func countedNear(d dialect) string {
	value := func(name, as string) string {
		return "CAST(value ->> '" + name + "' AS " + as + ") AS " + strings.ToLower(name)
	}
	const latest = "MAX(created) AS created, MAX(updated) AS updated"
	return `WITH held AS MATERIALIZED (SELECT ` + tilesHold + ` AS hold),
		cells AS MATERIALIZED (
			SELECT ` + value("Strip", "double precision") + ", " + value("West", "double precision") + ", " + value("East", "double precision") + ", " +
		value("Interior", "boolean") + `
			FROM ` + d.elements("$1") + ` WHERE NOT (CAST(value ->> 'Tiled' AS boolean) AND (SELECT hold FROM held))),
		tiles AS MATERIALIZED (
			SELECT ` + value("Row", "integer") + ", " + value("West", "integer") + ", " + value("East", "integer") + `
			FROM ` + d.elements("$6") + ` WHERE (SELECT hold FROM held)),
		parts AS (
			SELECT category_id, COUNT(*) AS count, ` + latest + `
			FROM cells c CROSS JOIN feed_listings l
			WHERE l.kind = 'demand' AND l.lat IS NOT NULL AND ` + strip + ` = +c.strip AND l.lng >= c.west AND l.lng < c.east
				AND CASE WHEN c.interior THEN TRUE ELSE ` + inCircle(2) + ` END
			GROUP BY category_id
			UNION ALL
			SELECT category_id, SUM(count), ` + latest + `
			FROM tiles t ` + d.lookUp("feed_tiles f", "f.tile_row = t.row AND f.tile_column >= t.west AND f.tile_column < t.east") + `
			GROUP BY category_id)
		SELECT category_id, CAST(SUM(count) AS bigint) AS count, ` + latest + ` FROM parts GROUP BY category_id`
}

// inBox narrows the condition to demands in a box around the circle: $8 and $9 are
// latitudes, which an index finds, and $10 to $13 one or two ranges of longitudes. CASE
// keeps Postgres from scanning the index once for either range.
func inBox(inCircle string) string {
	return `l.kind = 'demand' AND l.lat BETWEEN $8 AND $9
		AND CASE WHEN l.lng BETWEEN $10 AND $11 OR l.lng BETWEEN $12 AND $13 THEN ` + inCircle + ` ELSE FALSE END`
}

// inCircle is the condition of a point within a circle by the haversine formula. Its four
// parameters begin with the given one.
func inCircle(first int) string {
	return fmt.Sprintf(`power(sin(radians(l.lat - $%d) / 2), 2)
		+ cos(radians(l.lat)) * $%d * power(sin(radians(l.lng - $%d) / 2), 2) <= $%d`, first, first+1, first+2, first+3)
}
