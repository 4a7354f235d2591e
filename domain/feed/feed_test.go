package feed_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/demand"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/media"
	"plaza/domain/publication"
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

func TestFED04_a_selection_without_kinds_is_of_items(t *testing.T) {
	assert.Equal(t, feed.Selection{Kinds: feed.ItemKinds()}, feed.Select(nil, nil))
	assert.NotContains(t, feed.ItemKinds(), feed.Event)
}

func TestFED05_a_circle_counts_for_demands_alone(t *testing.T) {
	near := &feed.Area{Centre: geo.Point{Lat: 1, Lng: 2}, Within: 5}
	assert.Equal(t, feed.Selection{Kinds: []feed.Kind{feed.Demand}, Near: near}, feed.Select([]feed.Kind{feed.Demand}, near))
	for _, kinds := range [][]feed.Kind{{feed.Node}, {feed.Demand, feed.Node}, feed.ItemKinds()} {
		assert.Equal(t, feed.Selection{Kinds: kinds}, feed.Select(kinds, near))
	}
	assert.Nil(t, feed.Select([]feed.Kind{feed.Demand}, nil).Near)
}

func TestFED07_what_a_selection_admits(t *testing.T) {
	here, far := &geo.Point{Lat: 30, Lng: 120}, &geo.Point{Lat: 31, Lng: 120}
	of := func(kind feed.Kind, at *geo.Point) feed.Listing { return feed.Listing{Kind: kind, Point: at} }
	demands := feed.Selection{Kinds: []feed.Kind{feed.Demand}}
	near := feed.Selection{Kinds: demands.Kinds, Near: &feed.Area{Centre: *here, Within: 5}}

	assert.True(t, demands.Admits(of(feed.Demand, nil)))
	assert.False(t, demands.Admits(of(feed.Node, here)))
	assert.True(t, near.Admits(of(feed.Demand, here)))
	assert.False(t, near.Admits(of(feed.Demand, far)))
	assert.False(t, near.Admits(of(feed.Demand, nil)), "a listing without a location is in no area")
	assert.False(t, feed.Selection{}.Admits(of(feed.Demand, here)))
	exactly := feed.Area{Centre: *here, Within: here.To(*far)}
	assert.True(t, exactly.Contains(*far), "the edge is inside")
	exactly.Within *= 1 - 1e-6
	assert.False(t, exactly.Contains(*far), "and nothing beyond it")
}

func TestFED06_the_order_of_a_feed_is_total(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		listings := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) feed.Listing {
			return feed.Listing{
				Kind: rapid.SampledFrom(append(feed.ItemKinds(), feed.Event)).Draw(t, "kind"), ID: rapid.Int64Range(1, 5).Draw(t, "id"),
				Created: hours(rapid.IntRange(0, 2).Draw(t, "created")), Updated: hours(rapid.IntRange(0, 9).Draw(t, "updated")),
			}
		}), 2, 15).Draw(t, "listings")
		latest := func(a, b feed.Listing) int { return b.AtCursor().Compare(a.AtCursor()) }
		slices.SortFunc(listings, latest)
		for i, b := range listings[1:] {
			a := listings[i]
			require.Equal(t, -latest(a, b), latest(b, a))
			switch {
			case !a.Created.Equal(b.Created):
				require.True(t, a.Created.After(b.Created))
			case a.Kind != b.Kind:
				require.Less(t, a.Kind, b.Kind)
			default:
				require.LessOrEqual(t, a.ID, b.ID)
			}
		}
	})
}

func TestADM04_an_item_gets_the_address_of_its_cover(t *testing.T) {
	address := func(key media.Key) string { return "at " + string(key) }
	cover := media.CoverOf("a", media.CoverSM, 30, 20)
	thing := func(cover media.Picture) []feed.Listable {
		return []feed.Listable{
			publication.Publication{ID: 7, Content: publication.Content{Title: "Tea", Cover: cover}},
			publication.Node{ID: 7, Bundle: 8, Content: publication.Content{Title: "Tea", Cover: cover}},
			demand.Demand{ID: 7, Title: "Tea", Cover: cover},
		}
	}
	kept, shown := thing(cover), thing(cover.At(address))
	for i := range kept {
		distance := geo.Kilometres(3)
		item := feed.Item{Listable: kept[i], Distance: &distance}
		item.ResolveURLs(address)
		assert.Equal(t, feed.Item{Listable: shown[i], Distance: &distance}, item)
		assert.Equal(t, thing(cover)[i], kept[i], "the stored item is not changed")
	}
}

// coverless is an item that has no cover.
type coverless struct{}

func (coverless) Listing() (feed.Listing, bool) { return feed.Listing{}, true }

func TestADM04_an_item_without_a_cover_of_ours_is_not_copied(t *testing.T) {
	elsewhere := media.Picture{Path: "https://covers.example/1.jpg"}
	for _, thing := range []feed.Listable{
		publication.Publication{}, publication.Node{Content: publication.Content{Cover: elsewhere}}, demand.Demand{Cover: elsewhere}, coverless{},
	} {
		item := feed.Item{Listable: thing}
		assert.Zero(t, testing.AllocsPerRun(1000, func() { item.ResolveURLs(func(media.Key) string { panic("it has no key") }) }))
		assert.Equal(t, feed.Item{Listable: thing}, item)
	}
}

func TestADM04_what_a_category_may_be(t *testing.T) {
	long := strings.Repeat("茶", 100)
	for name, c := range map[string]struct {
		change func(*feed.Category)
		wrong  []string
	}{
		"as it is":                {change: func(*feed.Category) {}},
		"the first":               {change: func(c *feed.Category) { c.ID = 1 }},
		"a root":                  {change: func(c *feed.Category) { c.Parent = 0 }},
		"the longest name":        {change: func(c *feed.Category) { c.Name = long }},
		"the longest slug":        {change: func(c *feed.Category) { c.Slug = long }},
		"spaces don't count":      {change: func(c *feed.Category) { c.Name = " " + long + "\u3000" }},
		"any letters in the slug": {change: func(c *feed.Category) { c.Slug = "茶-чай_हिन्दी-É-2" }},
		"a slug of one":           {change: func(c *feed.Category) { c.Slug = "a" }},
		"no number":               {func(c *feed.Category) { c.ID = 0 }, []string{"id"}},
		"no number, a root":       {func(c *feed.Category) { c.ID, c.Parent = 0, 0 }, []string{"id"}},
		"a negative number":       {func(c *feed.Category) { c.ID = -1 }, []string{"id"}},
		"a negative parent":       {func(c *feed.Category) { c.Parent = -1 }, []string{"parent"}},
		"its own parent":          {func(c *feed.Category) { c.Parent = c.ID }, []string{"parent"}},
		"no name":                 {func(c *feed.Category) { c.Name = "" }, []string{"name"}},
		"a blank name":            {func(c *feed.Category) { c.Name = " \u200b" }, []string{"name"}},
		"too long a name":         {func(c *feed.Category) { c.Name = long + "T" }, []string{"name"}},
		"a NUL in the name":       {func(c *feed.Category) { c.Name = "a\x00" }, []string{"name"}},
		"no slug":                 {func(c *feed.Category) { c.Slug = "" }, []string{"slug"}},
		"too long a slug":         {func(c *feed.Category) { c.Slug = long + "T" }, []string{"slug"}},
		"everything": {func(c *feed.Category) { *c = feed.Category{Parent: -1} },
			[]string{"id", "name", "slug", "parent"}},
	} {
		category := feed.Category{ID: 7, Parent: 8, Name: "Tea", Slug: "tea-2"}
		c.change(&category)
		_, err := feed.NewCategory(category)
		assertWrong(t, err, c.wrong, name)
	}
	for _, slug := range []string{"a b", " a", "a ", "a\n", "-a", "a-", "_", "a--b", "a-_b", "a/b", "a.b", "a?", "a%20", "\u200ba", "\xff"} {
		_, err := feed.NewCategory(feed.Category{ID: 7, Name: "Tea", Slug: slug})
		assertWrong(t, err, []string{"slug"}, slug)
	}
}

// assertWrong asserts that the error has one sentence for each of these fields only.
func assertWrong(t *testing.T, err error, fields []string, name string) {
	t.Helper()
	if len(fields) == 0 {
		assert.NoError(t, err, name)
		return
	}
	wrong := fault.FieldsOf(err)
	assert.Len(t, wrong, len(fields), name)
	for _, field := range fields {
		assert.Len(t, wrong[field], 1, "%s: %s", name, field)
	}
}

func TestADM04_a_category_has_one_form(t *testing.T) {
	got, err := feed.NewCategory(feed.Category{ID: 7, Parent: 8, Name: "\u3000 Green tea\n", Slug: "green-tea"})
	require.NoError(t, err)
	assert.Equal(t, feed.Category{ID: 7, Parent: 8, Name: "Green tea", Slug: "green-tea"}, got)
}

type (
	parents = map[feed.CategoryID]feed.CategoryID
	ids     = []feed.CategoryID
)

func TestADM04_parents_that_go_around_in_a_circle(t *testing.T) {
	under := func(id, parent feed.CategoryID) feed.Category { return feed.Category{ID: id, Parent: parent} }
	tree := parents{1: 0, 2: 1, 3: 2, 4: 0}
	for name, c := range map[string]struct {
		changed []feed.Category
		want    ids
	}{
		"nothing":                  {nil, nil},
		"a new root":               {[]feed.Category{under(9, 0)}, nil},
		"a new leaf":               {[]feed.Category{under(9, 3)}, nil},
		"under one that is absent": {[]feed.Category{under(9, 8)}, nil},
		"a move":                   {[]feed.Category{under(2, 4)}, nil},
		"under itself":             {[]feed.Category{under(1, 1)}, ids{1}},
		"under its child":          {[]feed.Category{under(1, 2)}, ids{1}},
		"under its grandchild":     {[]feed.Category{under(1, 3)}, ids{1}},
		"under each other":         {[]feed.Category{under(8, 9), under(9, 8)}, ids{8, 9}},
		"two change places":        {[]feed.Category{under(2, 0), under(1, 2)}, nil},
		"below a cycle":            {[]feed.Category{under(9, 1), under(1, 3), under(3, 2)}, ids{1}},
		"two cycles":               {[]feed.Category{under(1, 3), under(4, 4), under(9, 4)}, ids{1, 4}},
		"one keeps its parent":     {[]feed.Category{under(1, 3), under(2, 1), under(3, 2)}, ids{1}},
		"a cycle is opened":        {[]feed.Category{under(1, 3), under(2, 0)}, nil},
	} {
		assert.Equal(t, c.want, feed.Cycles(tree, c.changed), name)
		assert.Equal(t, parents{1: 0, 2: 1, 3: 2, 4: 0}, tree, "the tree is not touched")
	}
}

// A chain of this length would take hours if every category were followed to the root,
// and too much memory if every path were stored.
func TestADM04_a_long_chain_of_parents_is_followed_once(t *testing.T) {
	const n = 100_000
	var changed []feed.Category
	for id := range feed.CategoryID(n) {
		changed = append(changed, feed.Category{ID: id + 1, Parent: id})
	}
	for range 2 {
		allocated := testing.AllocsPerRun(1, func() { require.Empty(t, feed.Cycles(nil, changed)) })
		assert.Less(t, allocated, float64(n), "what is remembered grows with the chain")
		slices.Reverse(changed)
	}
	changed[0].Parent = n
	assert.Len(t, feed.Cycles(nil, changed), n)
}
