package feed_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/feed"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func hours(n int) time.Time { return noon.Add(time.Duration(n) * time.Hour) }

func TestFED02_the_meta_of_a_place(t *testing.T) {
	var m feed.Meta
	assert.Zero(t, m)
	for _, l := range []feed.Listing{
		{Created: hours(1), Updated: hours(5)}, {Created: hours(3), Updated: hours(3)}, {Created: hours(2), Updated: hours(4)},
	} {
		m.Add(l)
	}
	assert.Equal(t, feed.Meta{Created: hours(3), Updated: hours(5), Count: 3}, m)
}

func TestFED01_the_tree_has_a_node_for_uncategorised_items_if_there_are_any(t *testing.T) {
	categories := []feed.Category{{ID: 1, Name: "One"}, {ID: 2, Name: "Two"}}
	meta := func(hour int) feed.Meta { return feed.Meta{Created: hours(hour), Updated: hours(hour), Count: 1} }
	ids := func(tree []feed.CategoryNode) (ids []feed.CategoryID) {
		for _, b := range tree {
			ids = append(ids, b.ID)
			assert.Equal(t, b.ID == 0, b.IsUncategorised())
		}
		return ids
	}
	for _, c := range []struct {
		metas map[feed.CategoryID]feed.Meta
		want  []feed.CategoryID
	}{
		{nil, []feed.CategoryID{1, 2}},
		{map[feed.CategoryID]feed.Meta{0: {}}, []feed.CategoryID{1, 2}},
		{map[feed.CategoryID]feed.Meta{0: meta(1)}, []feed.CategoryID{0, 1, 2}},
		{map[feed.CategoryID]feed.Meta{0: meta(2), 1: meta(1), 2: meta(3)}, []feed.CategoryID{2, 0, 1}},
		{map[feed.CategoryID]feed.Meta{0: meta(1), 2: meta(1)}, []feed.CategoryID{0, 2, 1}},
		{map[feed.CategoryID]feed.Meta{0: meta(1), 1: meta(2), 2: meta(3)}, []feed.CategoryID{2, 1, 0}},
	} {
		assert.Equal(t, c.want, ids(feed.Tree(categories, c.metas)), "%v", c.metas)
	}
	assert.Empty(t, feed.Tree(nil, nil))
}

func TestFED01_parents_come_without_their_children(t *testing.T) {
	tree := feed.Tree([]feed.Category{{ID: 3, Parent: 2}, {ID: 2, Parent: 1}, {ID: 1}}, nil)
	require.Len(t, tree, 1)
	child := tree[0].Children[0].Children[0]
	assert.EqualValues(t, 3, child.ID)
	assert.Equal(t, 2, child.Level)
	require.NotNil(t, child.ParentNode)
	assert.EqualValues(t, 2, child.ParentNode.ID)
	assert.Empty(t, child.ParentNode.Children)
	assert.Nil(t, tree[0].ParentNode)
	assert.Zero(t, tree[0].Level)
}

// drawTree draws a tree of categories, in any order, with their metas.
func drawTree(t *rapid.T) ([]feed.Category, map[feed.CategoryID]feed.Meta) {
	n := rapid.IntRange(0, 20).Draw(t, "n")
	var categories []feed.Category
	metas := map[feed.CategoryID]feed.Meta{}
	for id := range feed.CategoryID(n + 1) {
		if rapid.Bool().Draw(t, "any") {
			at := hours(rapid.IntRange(0, 3).Draw(t, "created"))
			metas[id] = feed.Meta{Created: at, Updated: at, Count: 1 + rapid.IntRange(0, 5).Draw(t, "count")}
		}
		if id > 0 {
			parent := rapid.IntRange(0, int(id)-1).Draw(t, "parent")
			categories = append(categories, feed.Category{ID: id, Parent: feed.CategoryID(parent)})
		}
	}
	return rapid.Permutation(categories).Draw(t, "categories"), metas
}

func TestFED03_in_any_tree_the_latest_creation_comes_first(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		categories, metas := drawTree(t)
		seen := map[feed.CategoryID]bool{}
		var walk func(siblings []feed.CategoryNode, parent feed.CategoryID, level int)
		walk = func(siblings []feed.CategoryNode, parent feed.CategoryID, level int) {
			for i, b := range siblings {
				require.False(t, seen[b.ID], "%d twice", b.ID)
				seen[b.ID] = true
				require.Equal(t, metas[b.ID], b.Meta)
				require.Equal(t, []any{parent, level}, []any{b.Parent, b.Level})
				if i > 0 {
					inOrder(t, siblings[i-1], b)
				}
				if !b.IsUncategorised() {
					walk(b.Children, b.ID, level+1)
				}
			}
		}
		walk(feed.Tree(categories, metas), 0, 0)
		want := len(categories)
		if metas[0].Count > 0 {
			want++
		}
		require.Len(t, seen, want, "everything is somewhere, once")
	})
}

func inOrder(t *rapid.T, a, b feed.CategoryNode) {
	switch {
	case a.Meta.Count == 0:
		require.Zero(t, b.Meta.Count, "what has no items is last")
		require.Less(t, a.ID, b.ID)
	case b.Meta.Count == 0:
	case a.Meta.Created.Equal(b.Meta.Created):
		require.Less(t, a.ID, b.ID)
	default:
		require.True(t, a.Meta.Created.After(b.Meta.Created))
	}
}
