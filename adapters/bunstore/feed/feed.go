// Package feed stores categories, publications, nodes and demands, and the listings and counts of the feed that derive from them
// and from events.
package feed

import (
	"context"
	"math"
	"slices"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
	"plaza/domain/geo"
)

// Feed implements feed.Reader.
type Feed struct{ DB *engine.DB }

const (
	// tree finds all categories, and how many listings of the kinds $1 to $4 are in each, with the latest instants.
	// Category 0 has those without one. The sum of bigints would be a numeric, which is slower.
	tree = `
	SELECT id, parent_id, name, slug, 0 AS count, CAST(NULL AS timestamptz) AS created, CAST(NULL AS timestamptz) AS updated
	FROM categories
	UNION ALL
	SELECT category_id, NULL, '', '', SUM(CAST(count AS integer)), MAX(created), MAX(updated)
	FROM feed_counters
	WHERE kind IN ($1, $2, $3, $4)
	GROUP BY category_id
	HAVING SUM(count) > 0`

	// treeNear finds all categories, and how many demands within a circle are in each, with the latest instants. The
	// parameters are those of nearArgs: the circle is in the box of the latitudes $1 to $2, and of the longitudes $3 to $4 or
	// $5 to $6. The haversine formula compares with $10 how far a point is from the latitude $7, whose cosine is $8, and the
	// longitude $9. CASE keeps Postgres from reading the index once for each range.
	treeNear = `
	SELECT id, parent_id, name, slug, 0 AS count, CAST(NULL AS timestamptz) AS created, CAST(NULL AS timestamptz) AS updated
	FROM categories
	UNION ALL
	SELECT category_id, NULL, '', '', COUNT(*), MAX(created), MAX(updated)
	FROM feed_listings
	WHERE lat BETWEEN $1 AND $2
		AND CASE WHEN lng BETWEEN $3 AND $4 OR lng BETWEEN $5 AND $6
			THEN power(sin(radians(lat - $7) / 2), 2) + cos(radians(lat)) * $8 * power(sin(radians(lng - $9) / 2), 2) <= $10
			ELSE FALSE END
	GROUP BY category_id`

	// feedVersion finds the version of the kinds $1 to $4 and of the categories. Versions only grow, so no sum of them
	// occurs twice.
	feedVersion = `
	SELECT CAST(COALESCE(SUM(version), 0) AS bigint)
	FROM feed_totals
	WHERE kind IN ($1, $2, $3, $4, 'category')`
)

// treeRow is a category without a count, or the count of a category.
type treeRow struct {
	CategoryRow
	Count   int64
	Created engine.Time
	Updated engine.Time
}

func (v Feed) Metas(ctx context.Context, sel feed.Selection) (
	categories []feed.Category, metas map[feed.CategoryID]feed.Meta, err error,
) {
	statement, args := tree, kindArgs(sel.Kinds)
	if sel.Near != nil {
		statement, args = tree, kindArgs(nil) // no other kind has a place
		if slices.Contains(sel.Kinds, feed.Demand) {
			statement, args = treeNear, nearArgs(*sel.Near)
		}
	}
	rows, err := engine.All[treeRow](ctx, v.DB, statement, args...)
	metas = map[feed.CategoryID]feed.Meta{}
	for _, row := range rows {
		if row.Count == 0 {
			categories = append(categories, row.category())
			continue
		}
		metas[row.ID] = feed.Meta{Count: int(row.Count), Created: row.Created.Time, Updated: row.Updated.Time}
	}
	return categories, metas, err
}

func (v Feed) Version(ctx context.Context, kinds []feed.Kind) (version feed.Version, err error) {
	err = v.DB.ReadRow(ctx, feedVersion, kindArgs(kinds), (*int64)(&version))
	return version, err
}

// kindArgs returns the four kinds of the interface as parameters: each that is wanted, or an empty text.
func kindArgs(wanted []feed.Kind) []any {
	args := make([]any, 4)
	for i, kind := range append(feed.ItemKinds(), feed.Event) {
		args[i] = ""
		if slices.Contains(wanted, kind) {
			args[i] = string(kind)
		}
	}
	return args
}

// nearArgs returns the parameters $1 to $10 of treeNear and demandsNear.
func nearArgs(a feed.Area) []any {
	box, sine := geo.Around(a.Centre, a.Within), math.Sin(float64(a.Within/geo.Radius)/2)
	west, east := box.Lng[0], box.Lng[len(box.Lng)-1]
	return []any{
		box.Lat.Min, box.Lat.Max, west.Min, west.Max, east.Min, east.Max,
		a.Centre.Lat, math.Cos(a.Centre.Lat * math.Pi / 180), a.Centre.Lng, sine * sine,
	}
}
