package bunstore

import (
	"context"
	"slices"

	"plaza/domain/feed"
	"plaza/domain/geo"
)

func (v Feed) Metas(ctx context.Context, sel feed.Selection) (
	categories []feed.Category, metas map[feed.CategoryID]feed.Meta, err error,
) {
	statement, args := v.s.hot.tree, v.kinds(sel.Kinds)
	if sel.Near != nil {
		statement, args = v.s.hot.treeNear, treeNearParameters(sel)
	}
	add := func(scan func(...any) error) error {
		var c feed.Category
		var m feed.Meta
		var created, updated dbTime
		if err := scan(&c.ID, orZeroNumber[feed.CategoryID]{&c.Parent}, &c.Name, &c.Slug,
			orZeroNumber[int]{&m.Count}, &created, &updated); err != nil {
			return err
		}
		if c.ID != 0 {
			categories = append(categories, c)
		}
		if m.Count > 0 {
			m.Created, m.Updated = created.Time, updated.Time
			metas[c.ID] = m
		}
		return nil
	}
	err = v.s.readRows(ctx, step{statement: statement, args: args, row: add}, func() {
		categories, metas = nil, map[feed.CategoryID]feed.Meta{}
	})
	return categories, metas, err
}

// Version returns the sum of the versions of the totals, which only grow.
func (v Feed) Version(ctx context.Context, kinds []feed.Kind) (version feed.Version, err error) {
	err = v.s.read(ctx, func(ctx context.Context) error {
		return v.s.each(ctx, v.s.hot.feedVersion, v.kinds(kinds), func(scan func(...any) error) error { return scan(&version) })
	})
	return version, err
}

func (v Feed) kinds(kinds []feed.Kind) []any { return []any{v.s.dialect.listOf(kindNames(kinds))} }

// treeNearParameters covers the area with cells and tiles if the selection has demands; no
// other kind has a location.
func treeNearParameters(sel feed.Selection) []any {
	var cells []geo.Cell
	var tiles []geo.Tiles
	if slices.Contains(sel.Kinds, feed.Demand) {
		cells, tiles = grid.Cover(sel.Near.Centre, sel.Near.Within)
	}
	return append(append([]any{asJSON{filled(cells)}}, circleParameters(*sel.Near)...), asJSON{filled(tiles)})
}
