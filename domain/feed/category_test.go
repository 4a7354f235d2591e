package feed_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/fault"
	"plaza/domain/feed"
)

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
	rapid.Check(t, func(t *rapid.T) {
		once, err := feed.NewCategory(feed.Category{
			ID: 7, Name: rapid.StringMatching(`[ a茶\x{200b}\x{a0}]{0,8}`).Draw(t, "name"), Slug: "a",
		})
		if err == nil {
			again, err := feed.NewCategory(once)
			require.NoError(t, err)
			require.Equal(t, once, again)
		}
	})
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

func TestADM04_in_any_tree_what_would_be_above_itself_is_found(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree, after := parents{}, parents{}
		for id := range feed.CategoryID(rapid.IntRange(0, 8).Draw(t, "stored")) {
			tree[id+1] = feed.CategoryID(rapid.Int64Range(0, int64(id)).Draw(t, "parent"))
			after[id+1] = tree[id+1]
		}
		var changed []feed.Category
		for _, id := range rapid.SliceOfNDistinct(rapid.Int64Range(1, 10), 0, 10, rapid.ID).Draw(t, "changed") {
			c := feed.Category{ID: feed.CategoryID(id), Parent: feed.CategoryID(rapid.Int64Range(0, 10).Draw(t, "to"))}
			changed = append(changed, c)
			after[c.ID] = c.Parent
		}
		var want ids
		for _, c := range changed {
			if parent, stored := tree[c.ID]; stored && parent == c.Parent {
				continue
			}
			at := c.Parent
			for range 20 { // more than the number of categories
				if at == c.ID {
					want = append(want, c.ID)
					break
				}
				at = after[at]
			}
		}
		require.Equal(t, want, feed.Cycles(tree, changed))
	})
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

func TestNewCategory_says_which_ids_are_valid(t *testing.T) {
	for _, id := range []feed.CategoryID{0, -7} {
		_, err := feed.NewCategory(feed.Category{ID: id, Name: "Tea", Slug: "tea"})
		assert.Equal(t, fault.Fields{"id": {"Category IDs must be 1 or greater."}}, fault.FieldsOf(err))
	}
}
