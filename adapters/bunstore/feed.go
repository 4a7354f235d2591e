package bunstore

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/page"
)

// Feed implements feed.Reader.
type Feed struct{ s *Store }

// Feed returns the reader of the feed.
func (s *Store) Feed() Feed { return Feed{s} }

func (v Feed) Page(
	ctx context.Context, in feed.CategoryID, sel feed.Selection, r page.Request,
) (page.Page[feed.Item], error) {
	var shape pageShape
	var statement string
	args := []any{int64(r.Size()), int64(r.Offset()), int64(in)}
	switch {
	case slices.Contains(sel.Kinds, feed.Event):
		return page.Page[feed.Item]{}, errors.New("feed pages do not list events")
	case sel.Near != nil && slices.Contains(sel.Kinds, feed.Demand):
		shape, statement = pageShapes[feed.Demand], v.s.hotReads.pageNear
		args = slices.Concat(args, circleParameters(*sel.Near), boxParameters(*sel.Near))
	case sel.Near == nil && len(sel.Kinds) == 1:
		shape, statement = pageShapes[sel.Kinds[0]], v.s.hotReads.pageOf[sel.Kinds[0]]
	default: // no other kind has a location, so nothing is within the area
		shape, statement = merged, v.s.hotReads.pageMerged
		wanted := sel.Kinds
		if sel.Near != nil {
			wanted = nil
		}
		args = append(args, v.s.Dialect.ListOf(engine.Texts(wanted)))
	}
	p, err := v.s.feedPage(ctx, statement, args, shape, r)
	if len(p.Items) == 0 {
		err = cmp.Or(v.known(ctx, in), err)
	}
	if err != nil {
		return page.Page[feed.Item]{}, err
	}
	if sel.Near != nil {
		for i := range p.Items {
			addDistance(&p.Items[i], *sel.Near)
		}
	}
	return p, nil
}

// known returns nil if the category exists or is 0, for the uncategorised items.
func (v Feed) known(ctx context.Context, in feed.CategoryID) error {
	if in == 0 {
		return nil
	}
	found, err := v.s.Categories().ByIDs(ctx, []feed.CategoryID{in})
	if err == nil && len(found) == 0 {
		return feed.ErrNoCategory
	}
	return err
}

// addDistance adds the item's distance from the centre of the area.
func addDistance(i *feed.Item, near feed.Area) {
	if l, listed := i.Listing(); listed && l.Point != nil {
		i.Distance = new(near.Centre.To(*l.Point).Rounded())
	}
}

// feedPage runs a statement of pageStatement.
func (s *Store) feedPage(
	ctx context.Context, statement string, args []any, shape pageShape, r page.Request,
) (page.Page[feed.Item], error) {
	return engine.ReadPage(ctx, s.DB, r, statement, args, func(total *int) func(engine.Scanner) (feed.Item, error) {
		return shape.reader(s.Dialect, total)
	})
}

// circleParameters are the parameters of inCircle.
func circleParameters(a feed.Area) []any {
	sine := math.Sin(float64(a.Within/geo.Radius) / 2)
	return []any{a.Centre.Lat, math.Cos(a.Centre.Lat * math.Pi / 180), a.Centre.Lng, sine * sine}
}

// boxParameters are the parameters of inBox.
func boxParameters(a feed.Area) []any {
	box := geo.Around(a.Centre, a.Within)
	west, east := box.Lng[0], box.Lng[len(box.Lng)-1]
	return []any{box.Lat.Min, box.Lat.Max, west.Min, west.Max, east.Min, east.Max}
}

// Categories implements feed.Categories.
type Categories struct{ s *Store }

// Categories returns the repository of categories.
func (s *Store) Categories() Categories { return Categories{s} }

var categoryTable = engine.Table[feed.Category]{Name: "categories", Keys: 1, Columns: engine.Columns[feed.Category]{
	engine.Plain("id", func(c *feed.Category) *int64 { return (*int64)(&c.ID) }),
	engine.Optional("parent_id", func(c *feed.Category) *int64 { return (*int64)(&c.Parent) }),
	engine.Plain("name", func(c *feed.Category) *string { return &c.Name }),
	engine.Plain("slug", func(c *feed.Category) *string { return &c.Slug }),
}}

func (v Categories) ByIDs(ctx context.Context, ids []feed.CategoryID) (found map[feed.CategoryID]feed.Category, err error) {
	err = v.s.Read(ctx, func(ctx context.Context) error {
		found = make(map[feed.CategoryID]feed.Category, len(ids))
		read := v.s.categoriesOf(ids, func(c feed.Category) { found[c.ID] = c })
		return v.s.Dialect.Query(ctx, read)
	})
	return found, err
}

func (s *Store) categoriesOf(ids []feed.CategoryID, found func(feed.Category)) engine.Step {
	return engine.Step{
		Statement: s.hotReads.categories, Args: []any{s.Dialect.ListOf(engine.Numbers(ids))},
		Row: func(scan func(...any) error) error {
			c, err := categoryTable.Reader(s.Dialect)(scan)
			found(c)
			return err
		},
	}
}

func (v Feed) Metas(ctx context.Context, sel feed.Selection) (
	categories []feed.Category, metas map[feed.CategoryID]feed.Meta, err error,
) {
	statement, args := v.s.hotReads.tree, v.kinds(sel.Kinds)
	if sel.Near != nil {
		statement, args = v.s.hotReads.treeNear, treeNearParameters(sel)
	}
	counted := map[feed.CategoryID]*feed.Meta{} // each is changed thousands of times
	add := func(scan func(...any) error) error {
		var c feed.Category
		var within bool
		var counts packedCounts
		err := scan(&c.ID, engine.OrZeroNumber[feed.CategoryID]{Into: &c.Parent}, &c.Name, &c.Slug, &within, &counts)
		if c.ID != 0 {
			categories = append(categories, c)
		}
		counts.addTo(counted, func(p geo.Point) bool { return within || sel.Near.Contains(p) })
		return err
	}
	err = v.s.ReadRows(ctx, engine.Step{Statement: statement, Args: args, Row: add}, func() {
		categories = nil
		clear(counted)
	})
	metas = make(map[feed.CategoryID]feed.Meta, len(counted))
	for category, meta := range counted {
		metas[category] = *meta
	}
	return categories, metas, err
}

// unitsInDegree are the units in which packed has degrees. They are exact to less than a
// nanometre.
const unitsInDegree = 1 << 55

// packed returns the aggregate of the counts of categories at points, for packedCounts to scan.
func packed(d engine.Dialect) string {
	units := func(column string) string { return fmt.Sprintf("CAST(%s * %d AS bigint)", column, unitsInDegree) }
	return d.Packed([]string{"category_id", "count", units("lat"), units("lng")}, []string{"created", "updated"})
}

// packedCounts are the driver's own bytes, until it reads the next row.
type packedCounts []byte

func (p *packedCounts) Scan(src any) error { return engine.ScanText(src, p.ScanBytes) }

// ScanBytes scans the bytes directly.
func (p *packedCounts) ScanBytes(bytes []byte) error {
	*p = bytes
	return nil
}

// addTo adds the counts at those points that are wanted.
func (p packedCounts) addTo(counted map[feed.CategoryID]*feed.Meta, wants func(geo.Point) bool) {
	const size = 6 * 8
	for ; len(p) >= size; p = p[size:] {
		number := func(i int) int64 { return int64(binary.BigEndian.Uint64(p[8*i:])) }
		if !wants(geo.Point{Lat: float64(number(2)) / unitsInDegree, Lng: float64(number(3)) / unitsInDegree}) {
			continue
		}
		meta := counted[feed.CategoryID(number(0))]
		if meta == nil {
			meta = &feed.Meta{}
			counted[feed.CategoryID(number(0))] = meta
		}
		meta.Count += int(number(1))
		meta.Created = later(meta.Created, time.UnixMicro(number(4)).UTC())
		meta.Updated = later(meta.Updated, time.UnixMicro(number(5)).UTC())
	}
}

// Version returns the sum of the versions of the totals, which only grow.
func (v Feed) Version(ctx context.Context, kinds []feed.Kind) (version feed.Version, err error) {
	err = v.s.ReadRow(ctx, v.s.hotReads.feedVersion, v.kinds(kinds), &version)
	return version, err
}

func (v Feed) kinds(kinds []feed.Kind) []any { return []any{v.s.Dialect.ListOf(engine.Texts(kinds))} }

// treeNearParameters covers the area with cells if the selection has demands; no other kind
// has a location.
func treeNearParameters(sel feed.Selection) []any {
	var cells []geo.Cell
	if slices.Contains(sel.Kinds, feed.Demand) {
		cells = grid.Cover(sel.Near.Centre, sel.Near.Within)
	}
	return append([]any{engine.AsJSON{List: engine.Filled(cells)}}, circleParameters(*sel.Near)...)
}

// feedStatements are the hot reads of the feed.
type feedStatements struct {
	tree        string // $1 kinds
	treeNear    string // $1 cells, $2 to $5 inCircle
	feedVersion string // $1 kinds
	pageOf      map[feed.Kind]string
	pageMerged  string // $4 kinds
	pageNear    string // $4 to $7 inCircle, $8 to $13 inBox

	card             map[feed.Kind]string // $1 id
	cardTranslations map[feed.Kind]string // $1 id

	// Publications by update time: all, of a category, and origins alone.
	latest, latestOf               string
	latestOrigins, latestOriginsOf string
}

func newFeedStatements(d engine.Dialect) feedStatements {
	s := feedStatements{
		// The sum of bigints would be a numeric, which is slower.
		tree: tree(d, `counted AS (SELECT category_id, SUM(CAST(count AS integer)) AS count, 0 AS lat, 0 AS lng,
				MAX(created) AS created, MAX(updated) AS updated
			FROM feed_counters WHERE `+d.Among("kind", "$1")+` GROUP BY category_id HAVING SUM(count) > 0)`),
		treeNear:    treeNear(d),
		feedVersion: feedVersion(d),
		pageOf:      map[feed.Kind]string{},
		pageMerged: pageStatement{
			where: "l.category_id = $3 AND l.kind IN ('demand', 'node', 'publication') AND " + d.Among("l.kind", "$4"),
			order: []string{"created DESC", "kind", "id"},
			total: "SELECT SUM(count) FROM feed_counters WHERE category_id = $3 AND " + d.Among("kind", "$4"),
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
	s.addCards(d)
	return s
}

// feedVersion returns the query for the version of the kinds in $1. Versions only grow, so no
// sum of them occurs twice.
func feedVersion(d engine.Dialect) string {
	return "SELECT CAST(COALESCE(SUM(version), 0) AS bigint) FROM feed_totals WHERE " + d.Among("kind", "$1") + " OR kind = 'category'"
}

// tree returns the categories, and apart from them what is counted, packed.
func tree(d engine.Dialect, with string) string {
	return "WITH " + with + `
		SELECT id, parent_id, name, slug, FALSE AS within, CAST(NULL AS bytea) AS counts FROM categories
		UNION ALL
		SELECT 0, NULL, '', '', TRUE, ` + packed(d) + ` FROM counted`
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
			page AS (SELECT ` + columns + ` FROM there ORDER BY ` + by("") + ` LIMIT CAST($1 AS bigint) OFFSET CAST($2 AS bigint))`
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

// treeNear returns the query for the tree of the demands within a circle. The cells are JSON of
// geo.Cell. While the tiles hold, they are read in the place of the listings, and distances are
// left to the caller. Without "+" SQLite would not use the index, which has no type for strips.
func treeNear(d engine.Dialect) string {
	value := func(name, as string) string {
		return "CAST(value ->> '" + name + "' AS " + as + ") AS " + strings.ToLower(name)
	}
	return tree(d, `held AS MATERIALIZED (SELECT `+tilesHold+` AS hold),
		cells AS MATERIALIZED (
			SELECT `+value("Strip", "double precision")+", "+value("West", "double precision")+", "+
		value("East", "double precision")+", "+value("Interior", "boolean")+`
			FROM `+d.Elements("$1")+`),
		counted AS (
			SELECT category_id, COUNT(*) AS count, 0 AS lat, 0 AS lng, MAX(created) AS created, MAX(updated) AS updated
			FROM cells c CROSS JOIN feed_listings l
			WHERE NOT (SELECT hold FROM held) AND l.kind = 'demand' AND l.lat IS NOT NULL
				AND `+strip+` = +c.strip AND l.lng >= c.west AND l.lng < c.east AND (c.interior OR `+inCircle(2)+`)
			GROUP BY category_id)`) + `
		UNION ALL
		SELECT 0, NULL, '', '', c.interior, (SELECT ` + d.Joined("t.counts") + ` FROM feed_map t
			WHERE t.tile >= ` + tileOf("c.strip", "c.west") + " AND t.tile < " + tileOf("c.strip", "c.east") + `)
		FROM cells c WHERE (SELECT hold FROM held)`
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
