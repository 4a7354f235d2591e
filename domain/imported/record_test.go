package imported_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/demand"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/publication"
)

func categoryRecord(id, parent feed.CategoryID) imported.Record {
	return imported.CategoryRecord{Category: feed.Category{ID: id, Parent: parent}}
}

func bundleRecord(id, firstOriginal, original publication.BundleID) imported.Record {
	return imported.BundleRecord{Bundle: publication.Bundle{ID: id, FirstOriginal: firstOriginal, Original: original}}
}

func publicationRecord(id publication.ID, in publication.BundleID, by string, category feed.CategoryID) imported.Record {
	return imported.PublicationRecord{By: by, Publication: publication.Publication{
		ID: id, Bundle: publication.Bundle{ID: in}, Content: publication.Content{Category: category},
	}}
}

func nodeRecord(id publication.NodeID, in publication.BundleID, by string, category feed.CategoryID) imported.Record {
	return imported.NodeRecord{By: by, Node: publication.Node{ID: id, Bundle: in, Content: publication.Content{Category: category}}}
}

func demandRecord(id demand.ID, by string, category feed.CategoryID) imported.Record {
	return imported.DemandRecord{By: by, Demand: demand.Demand{ID: id, Category: category}}
}

func howToRecord(category, by string, bundles ...publication.BundleID) imported.Record {
	return imported.HowToRecord{By: by, HowTo: publication.HowTo{Category: category, Bundles: bundles}}
}

func TestADM04_what_records_are_called_and_what_they_need(t *testing.T) {
	type needs = []imported.Need
	need := func(field string, kind imported.Kind, id string) imported.Need {
		return imported.Need{Field: field, Ref: imported.Ref{Kind: kind, ID: id}}
	}
	for name, c := range map[string]struct {
		record imported.Record
		kind   imported.Kind
		id     string
		needs  needs
	}{
		"a person":               {imported.UserRecord{Source: "u1"}, imported.User, "u1", nil},
		"news":                   {imported.NewsRecord{Source: "n1"}, imported.News, "n1", nil},
		"a root":                 {categoryRecord(1, 0), imported.Category, "1", nil},
		"a category":             {categoryRecord(2, 1), imported.Category, "2", needs{need("parent", imported.Category, "1")}},
		"its own parent":         {categoryRecord(2, 2), imported.Category, "2", nil},
		"an original":            {bundleRecord(5, 0, 0), imported.Bundle, "5", nil},
		"an original of its own": {bundleRecord(5, 5, 0), imported.Bundle, "5", nil},
		"a translation": {bundleRecord(7, 5, 6), imported.Bundle, "7",
			needs{need("first_original", imported.Bundle, "5"), need("original", imported.Bundle, "6")}},
		"a translation of itself": {bundleRecord(7, 7, 7), imported.Bundle, "7", nil},
		"a publication": {publicationRecord(3, 5, "u1", 0), imported.Publication, "3",
			needs{need("bundle", imported.Bundle, "5"), need("author", imported.User, "u1")}},
		"one in a category": {publicationRecord(3, 5, "u1", 2), imported.Publication, "3",
			needs{need("bundle", imported.Bundle, "5"), need("author", imported.User, "u1"), need("category", imported.Category, "2")}},
		"a node": {nodeRecord(3, 0, "u1", 0), imported.Node, "3", needs{need("author", imported.User, "u1")}},
		"one in a bundle": {nodeRecord(3, 5, "u1", 2), imported.Node, "3",
			needs{need("bundle", imported.Bundle, "5"), need("author", imported.User, "u1"), need("category", imported.Category, "2")}},
		"a demand": {demandRecord(3, "u1", 0), imported.Demand, "3", needs{need("author", imported.User, "u1")}},
		"one of a category": {demandRecord(3, "u1", 2), imported.Demand, "3",
			needs{need("author", imported.User, "u1"), need("category", imported.Category, "2")}},
		"a how-to": {howToRecord("Tea", "r1", 5, 6), imported.HowTo, `"Tea" r1`,
			needs{need("robot", imported.User, "r1"), need("bundles", imported.Bundle, "5"), need("bundles", imported.Bundle, "6")}},
	} {
		assert.Equal(t, imported.Ref{Kind: c.kind, ID: c.id}, c.record.Ref(), name)
		assert.Equal(t, c.needs, c.record.Needs(), name)
		assert.Contains(t, imported.Kinds(), c.kind)
	}
	assert.Len(t, imported.Kinds(), 8)
}

func TestADM04_no_two_how_tos_are_called_the_same(t *testing.T) {
	names := rapid.StringMatching(`["a \\\n]{0,4}`)
	rapid.Check(t, func(t *rapid.T) {
		category, robot := names.Draw(t, "category"), names.Draw(t, "robot")
		other, otherRobot := names.Draw(t, "other"), names.Draw(t, "other robot")
		same := category == other && robot == otherRobot
		require.Equal(t, same, howToRecord(category, robot).Ref() == howToRecord(other, otherRobot).Ref())
	})
}

type parents = map[feed.CategoryID]feed.CategoryID

// planOf returns the indexes of the records that can be stored, and what the others lack.
func planOf(batch []imported.Record, known map[imported.Ref]bool, tree parents) (ready []int, missing map[int]fault.Fields) {
	ready, outcomes := imported.Decide(batch, nil, known, tree)
	missing = map[int]fault.Fields{}
	for i, o := range outcomes {
		if !o.IsStored() {
			missing[i] = o.Wrong
		}
	}
	return ready, missing
}

// stored holds the records stored before a batch.
type stored struct {
	known map[imported.Ref]bool
	tree  parents
}

func drawStored(t *rapid.T) stored {
	s := stored{known: map[imported.Ref]bool{}, tree: parents{}}
	for id := range feed.CategoryID(rapid.IntRange(0, 6).Draw(t, "stored categories")) {
		s.tree[id+1] = feed.CategoryID(rapid.Int64Range(0, int64(id)).Draw(t, "parent"))
		s.known[imported.NumberRef(imported.Category, id+1)] = true
	}
	for _, id := range rapid.SliceOfDistinct(rapid.Int64Range(1, 5), rapid.ID).Draw(t, "stored bundles") {
		s.known[imported.NumberRef(imported.Bundle, publication.BundleID(id))] = true
	}
	if rapid.Bool().Draw(t, "stored user") {
		s.known[imported.Ref{Kind: imported.User, ID: "1"}] = true
	}
	return s
}

// record draws any record, with small numbers so that records often name each other.
func record(t *rapid.T) imported.Record {
	number := func(name string, least, most int64) int64 { return rapid.Int64Range(least, most).Draw(t, name) }
	by := strconv.FormatInt(number("by", 1, 2), 10)
	category := feed.CategoryID(number("category", 0, 8))
	bundle := publication.BundleID(number("bundle", 1, 5))
	switch rapid.SampledFrom([]imported.Kind{
		imported.User, imported.Category, imported.Category, imported.Category, imported.Bundle, imported.Bundle, imported.Publication,
		imported.Node, imported.Demand, imported.HowTo,
	}).Draw(t, "kind") {
	case imported.User:
		return imported.UserRecord{Source: by}
	case imported.Category:
		return categoryRecord(feed.CategoryID(number("id", 1, 8)), category)
	case imported.Bundle:
		return bundleRecord(bundle, publication.BundleID(number("first", 0, 5)), publication.BundleID(number("original", 0, 5)))
	case imported.Publication:
		return publicationRecord(1, bundle, by, category)
	case imported.Node:
		return nodeRecord(1, bundle, by, category)
	case imported.Demand:
		return demandRecord(1, by, category)
	}
	return howToRecord("Tea", by, bundle, 1)
}

func drawBatch(t *rapid.T) []imported.Record {
	return rapid.SliceOfNDistinct(rapid.Custom(record), 0, 14, imported.Record.Ref).Draw(t, "batch")
}

func TestADM04_a_plan_has_each_record_after_what_it_needs_and_rejects_only_what_lacks_something(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, batch := drawStored(t), drawBatch(t)
		ready, wrongs := planOf(batch, s.known, s.tree)
		require.Len(t, batch, len(ready)+len(wrongs))
		there := map[imported.Ref]bool{}
		var kinds []int
		for _, i := range ready {
			require.NotContains(t, wrongs, i)
			ref := batch[i].Ref()
			for _, n := range batch[i].Needs() {
				require.True(t, s.known[n.Ref] || there[n.Ref], "%v needs %v", ref, n.Ref)
			}
			require.False(t, there[ref], "%d twice", i)
			there[ref] = true
			kinds = append(kinds, slices.Index(imported.Kinds(), ref.Kind))
		}
		require.True(t, slices.IsSorted(kinds), "%v", kinds)
		missing := map[imported.Ref]fault.Fields{}
		for i, wrong := range wrongs {
			missing[batch[i].Ref()] = wrong
			want := fault.Fields{}
			for _, n := range batch[i].Needs() {
				sentence := fmt.Sprintf("Not found: %s %s.", n.Ref.Kind, n.Ref.ID)
				if !s.known[n.Ref] && !there[n.Ref] && !slices.Contains(want[n.Field], sentence) {
					want.Add(n.Field, sentence)
				}
			}
			if c, is := batch[i].(imported.CategoryRecord); is && mayBeCyclic(c.ID, batch, s.tree) && slices.Equal(wrong["parent"], inCycle) {
				continue
			}
			require.NotEmpty(t, want, "%v lacks nothing", batch[i].Ref())
			require.Equal(t, want, wrong)
		}

		other := rapid.Permutation(batch).Draw(t, "other order")
		_, otherWrongs := planOf(other, s.known, s.tree)
		otherMissing := map[imported.Ref]fault.Fields{}
		for i, wrong := range otherWrongs {
			otherMissing[other[i].Ref()] = wrong
		}
		require.Equal(t, missing, otherMissing, "the order does not matter")

		for _, i := range ready {
			if c, is := batch[i].(imported.CategoryRecord); is {
				s.tree[c.ID] = c.Parent
			}
		}
		for id := range s.tree {
			for at, steps := id, 0; at != 0; steps++ {
				parent, is := s.tree[at]
				require.True(t, is, "the parent %d of a stored category is stored", at)
				require.LessOrEqual(t, steps, len(s.tree), "%d is above itself", id)
				at = parent
			}
		}
	})
}

var inCycle = []string{"The parents form a cycle."}

// mayBeCyclic reports whether the category may be its own ancestor when every category of
// the batch has either its stored parent or the parent of its record.
func mayBeCyclic(id feed.CategoryID, batch []imported.Record, tree parents) bool {
	parentsOf := map[feed.CategoryID][]feed.CategoryID{}
	for child, parent := range tree {
		parentsOf[child] = append(parentsOf[child], parent)
	}
	for _, r := range batch {
		if c, is := r.(imported.CategoryRecord); is {
			parentsOf[c.ID] = append(parentsOf[c.ID], c.Parent)
		}
	}
	seen := map[feed.CategoryID]bool{}
	for next := parentsOf[id]; len(next) > 0; {
		at := next[0]
		if next = next[1:]; at == id {
			return true
		}
		if !seen[at] {
			seen[at] = true
			next = append(slices.Clone(next), parentsOf[at]...)
		}
	}
	return false
}

func storedCategories(tree parents) stored {
	s := stored{known: map[imported.Ref]bool{}, tree: tree}
	for id := range tree {
		s.known[imported.NumberRef(imported.Category, id)] = true
	}
	return s
}

// The record of 2 is rejected, so 2 stays below 1, and 1 must not move below 2.
func TestADM04_a_move_that_is_not_made_may_close_a_circle(t *testing.T) {
	s := storedCategories(parents{1: 0, 2: 1})
	batch := []imported.Record{categoryRecord(1, 3), categoryRecord(3, 2), categoryRecord(2, 99)}
	ready, missing := planOf(batch, s.known, s.tree)
	assert.Empty(t, ready)
	assert.Equal(t, map[int]fault.Fields{
		0: {"parent": inCycle}, 1: {"parent": inCycle}, 2: {"parent": {"Not found: category 99."}},
	}, missing)
	s.known[imported.NumberRef(imported.Category, feed.CategoryID(99))], s.tree[99] = true, 0
	ready, _ = planOf(batch, s.known, s.tree)
	assert.Len(t, ready, 3, "once 2 can move, all three are ready")
}

func TestADM04_what_hangs_below_a_circle(t *testing.T) {
	batch := []imported.Record{categoryRecord(3, 2), categoryRecord(1, 2), categoryRecord(2, 1), demandRecord(1, "u", 3), categoryRecord(4, 0)}
	known := map[imported.Ref]bool{{Kind: imported.User, ID: "u"}: true}
	ready, missing := planOf(batch, known, parents{})
	assert.Equal(t, []int{4}, ready)
	assert.Equal(t, map[int]fault.Fields{
		0: {"parent": {"Not found: category 2."}}, 1: {"parent": inCycle}, 2: {"parent": inCycle},
		3: {"category": {"Not found: category 3."}},
	}, missing)
	_, missing = planOf([]imported.Record{categoryRecord(1, 1)}, nil, parents{})
	assert.Equal(t, map[int]fault.Fields{0: {"parent": inCycle}}, missing, "a cycle of one")
	s := storedCategories(parents{1: 0, 2: 0})
	s.known[imported.Ref{Kind: imported.User, ID: "u"}] = true
	ready, _ = planOf(batch, s.known, s.tree)
	assert.Equal(t, []int{0, 4, 3}, ready, "stored categories keep their parents")
}

func TestADM04_bundles_that_need_each_other(t *testing.T) {
	batch := []imported.Record{bundleRecord(1, 2, 0), bundleRecord(2, 0, 1), bundleRecord(3, 3, 0)}
	ready, missing := planOf(batch, nil, nil)
	assert.Equal(t, []int{2}, ready, "a bundle that is its own original needs no record")
	assert.Equal(t, map[int]fault.Fields{
		0: {"first_original": {"Not found: bundle 2."}}, 1: {"original": {"Not found: bundle 1."}},
	}, missing)
	_, missing = planOf(batch, map[imported.Ref]bool{imported.NumberRef(imported.Bundle, publication.BundleID(2)): true}, nil)
	assert.Empty(t, missing)
}

func TestADM04_each_thing_that_is_not_there_is_told_once(t *testing.T) {
	_, missing := planOf([]imported.Record{howToRecord("Tea", "r", 5, 6, 5), bundleRecord(9, 4, 4)}, nil, nil)
	assert.Equal(t, map[int]fault.Fields{
		0: {"robot": {"Not found: user r."}, "bundles": {"Not found: bundle 5.", "Not found: bundle 6."}},
		1: {"first_original": {"Not found: bundle 4."}, "original": {"Not found: bundle 4."}},
	}, missing)
	assert.Equal(t, []imported.Ref{
		{Kind: imported.User, ID: "r"}, {Kind: imported.Bundle, ID: "5"}, {Kind: imported.Bundle, ID: "6"}, {Kind: imported.Bundle, ID: "4"},
	}, imported.NeedsOf([]imported.Record{howToRecord("Tea", "r", 5, 6, 5), bundleRecord(9, 4, 4), categoryRecord(1, 0)}))
}

// counted counts the calls of Needs.
type counted struct {
	imported.Record
	times *int
}

func (a counted) Needs() []imported.Need {
	*a.times++
	return a.Record.Needs()
}

func TestADM04_a_long_chain_is_followed_once(t *testing.T) {
	const n = 10_000
	times := 0
	var bundles, shelves []imported.Record
	for id := int64(n); id > 0; id-- { // the worst order: each needs the next
		bundles = append(bundles, counted{bundleRecord(publication.BundleID(id), publication.BundleID(id-1), 0), &times})
		shelves = append(shelves, categoryRecord(feed.CategoryID(id), feed.CategoryID(id-1)))
	}
	ready, _ := planOf(bundles, nil, nil)
	assert.Len(t, ready, n)
	assert.Equal(t, n-1, ready[0], "the first that needs nothing")
	assert.Equal(t, n, times)

	ready, _ = planOf(shelves, nil, nil)
	assert.Len(t, ready, n)
	shelves[n-1] = categoryRecord(1, n)
	_, missing := planOf(shelves, nil, nil)
	assert.Len(t, missing, n)
}
