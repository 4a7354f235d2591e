package bunstore

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"plaza/domain/feed"
	"plaza/domain/geo"
)

// metaTree is a result of Metas with its version, both read by one statement.
type metaTree struct {
	version    int64
	categories []feed.Category
	metas      map[feed.CategoryID]feed.Meta
}

// trees caches the last trees by their kinds. A tree is reused only while its version
// is current, so it is never older than the database.
type trees struct{ byKinds sync.Map }

func (v Feed) Metas(ctx context.Context, sel feed.Selection) (
	categories []feed.Category, metas map[feed.CategoryID]feed.Meta, err error,
) {
	var t metaTree
	err = v.s.read(ctx, func(ctx context.Context) (err error) {
		switch {
		case sel.Near != nil:
			t, err = v.readTree(ctx, v.s.hot.treeNear, treeNearParameters(sel))
		case slices.Contains(sel.Kinds, feed.Xfile): // which has no totals, and so no version
			t, err = v.readTree(ctx, v.s.hot.tree, v.kinds(sel))
		default:
			t, err = v.tree(ctx, sel)
		}
		return err
	})
	return slices.Clone(t.categories), maps.Clone(t.metas), err
}

func (v Feed) kinds(sel feed.Selection) []any { return []any{v.s.dialect.listOf(kindNames(sel.Kinds))} }

// treeNearParameters covers the area with cells if the selection has demands; no other
// kind has a location.
func treeNearParameters(sel feed.Selection) []any {
	cells := []geo.Cell{}
	if slices.Contains(sel.Kinds, feed.Demand) {
		cells = geo.Cover(sel.Near.Centre, sel.Near.Within, stripsPerDegree)
	}
	return append([]any{asJSON{cells}}, circleParameters(*sel.Near)...)
}

// tree returns the cached tree if it is current, or reads it again.
func (v Feed) tree(ctx context.Context, sel feed.Selection) (t metaTree, err error) {
	var version int64
	err = v.s.each(ctx, v.s.hot.treeVersion, v.kinds(sel), func(scan func(...any) error) error { return scan(&version) })
	if err != nil {
		return metaTree{}, err
	}
	names := kindNames(sel.Kinds)
	slices.Sort(names)
	key := strings.Join(slices.Compact(names), ",")
	if kept, is := v.s.trees.byKinds.Load(key); is && kept.(metaTree).version == version {
		return kept.(metaTree), nil
	}
	if t, err = v.readTree(ctx, v.s.hot.tree, v.kinds(sel)); err == nil {
		v.s.trees.byKinds.Store(key, t)
	}
	return t, err
}

func (v Feed) readTree(ctx context.Context, statement string, args []any) (metaTree, error) {
	t := metaTree{metas: map[feed.CategoryID]feed.Meta{}}
	err := v.s.each(ctx, statement, args, func(scan func(...any) error) error {
		var c feed.Category
		var m feed.Meta
		var created, updated dbTime
		if err := scan(&t.version, &c.ID, orZeroNumber[feed.CategoryID]{&c.Parent}, &c.Name, &c.Slug,
			orZeroNumber[int]{&m.Count}, &created, &updated); err != nil {
			return err
		}
		if c.ID != 0 {
			t.categories = append(t.categories, c)
		}
		if m.Count > 0 {
			m.Created, m.Updated = created.Time, updated.Time
			t.metas[c.ID] = m
		}
		return nil
	})
	return t, err
}
