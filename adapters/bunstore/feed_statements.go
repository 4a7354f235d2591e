package bunstore

import (
	"strconv"
	"strings"

	"plaza/domain/feed"
)

// feedStatements are the hot reads of the feed.
type feedStatements struct {
	tree        string // $1 kinds
	treeNear    string // $1 kinds, $2 to $10 within, $11 to $13 strips
	treeVersion string // $1 kinds
	pageOf      map[feed.Kind]string
	pageMerged  string // $4 kinds
	pageNear    string // then within

	// Publications by update time: all, of a category, and origins alone.
	latest, latestOf               string
	latestOrigins, latestOriginsOf string
}

func newFeedStatements(d dialect) feedStatements {
	s := feedStatements{
		// The sum of bigints would be a numeric, which is slower.
		tree: tree(treeVersion(d), `SELECT category_id, SUM(CAST(count AS integer)) AS count, MAX(created) AS created, MAX(updated) AS updated
			FROM feed_counters WHERE `+d.among("kind", "$1")+` GROUP BY category_id HAVING SUM(count) > 0`),
		treeNear: tree("0", `SELECT category_id, COUNT(*) AS count, MAX(created) AS created, MAX(updated) AS updated
			FROM feed_listings l WHERE `+d.among("'demand'", "$1")+` AND `+d.among(strip, "$11")+` AND l.lng BETWEEN $12 AND $13
				AND l.lat IS NOT NULL AND `+within("+l.lat", 2)+` GROUP BY category_id`),
		treeVersion: "SELECT " + treeVersion(d),
		pageOf:      map[feed.Kind]string{},
		pageMerged: pageStatement{
			where: "l.category_id = $3 AND l.kind IN ('demand', 'node', 'publication') AND " + d.among("l.kind", "$4"),
			order: []string{"created DESC", "kind", "id"},
			total: "SELECT SUM(count) FROM feed_counters WHERE category_id = $3 AND " + d.among("kind", "$4"),
			shape: merged,
		}.text(),
		pageNear: pageStatement{
			where: "l.category_id = $3 AND " + within("l.lat", 4), order: newest, shape: pageShapes[feed.Demand],
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

// tree returns the version, the categories and the uncategorised part, with the counts
// of each.
func tree(version, counted string) string {
	return `WITH counted AS (` + counted + `)
		SELECT ` + version + `, c.id, c.parent_id, c.name, c.slug, k.count, k.created, k.updated
		FROM categories c LEFT JOIN counted k ON k.category_id = c.id
		UNION ALL
		SELECT ` + version + `, 0, NULL, '', '', k.count, k.created, k.updated FROM counted k WHERE k.category_id = 0`
}

// treeVersion changes with every change of the tree and of listings of the kinds $1. It
// is a sum of growing versions, so no value occurs twice.
func treeVersion(d dialect) string {
	return "(SELECT CAST(COALESCE(SUM(version), 0) AS bigint) FROM feed_totals WHERE " + d.among("kind", "$1") + " OR kind = 'category')"
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

// strip is the strip of latitudes, a hundredth of a degree wide, that a listing lies in. An
// index of strips and longitudes finds what lies within an area without reading what lies
// east or west of it.
const strip = "floor((l.lat + 90) * 100)"

// within is the condition of a demand within a circle, whose nine parameters begin
// with the given one: latitudes that an index finds, then a box, then the haversine.
// CASE keeps Postgres from scanning the index once for either range of longitudes, and
// from expecting so few rows that it would rather sort than hash them.
// "+l.lat" for lat keeps both databases from an index of latitudes.
func within(lat string, first int) string {
	parameters := append(make([]string, 0, 20), "{lat}", lat)
	for i := range 9 {
		parameters = append(parameters, "{"+string(rune('0'+i))+"}", "$"+strconv.Itoa(first+i))
	}
	return strings.NewReplacer(parameters...).Replace(`l.kind = 'demand' AND {lat} BETWEEN {0} AND {1}
		AND CASE WHEN l.lng BETWEEN {2} AND {3} OR l.lng BETWEEN {4} AND {5}
			THEN power(sin(radians(l.lat - {6}) / 2), 2)
				+ cos(radians(l.lat)) * cos(radians({6})) * power(sin(radians(l.lng - {7}) / 2), 2) <= {8}
			ELSE FALSE END`)
}
