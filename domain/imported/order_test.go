package imported_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/publication"
)

type parents = map[feed.CategoryID]feed.CategoryID

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

func TestADM04_a_plan_has_everything_once_and_each_after_what_it_needs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, batch := drawStored(t), drawBatch(t)
		plan := imported.PlanOf(batch, s.known, s.tree)
		require.Len(t, batch, len(plan.Ready)+len(plan.Missing))
		there := map[imported.Ref]bool{}
		var kinds []imported.Kind
		for _, i := range plan.Ready {
			require.NotContains(t, plan.Missing, i)
			for _, n := range batch[i].Needs() {
				require.True(t, s.known[n.Ref] || there[n.Ref], "%v needs %v", batch[i].Ref(), n.Ref)
			}
			require.False(t, there[batch[i].Ref()], "%d twice", i)
			there[batch[i].Ref()] = true
			kinds = append(kinds, batch[i].Ref().Kind)
		}
		require.True(t, slices.IsSortedFunc(kinds, func(a, b imported.Kind) int {
			return slices.Index(imported.Kinds(), a) - slices.Index(imported.Kinds(), b)
		}), "%v", kinds)
	})
}

func TestADM04_only_what_lacks_something_is_missing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, batch := drawStored(t), drawBatch(t)
		plan := imported.PlanOf(batch, s.known, s.tree)
		there := map[imported.Ref]bool{}
		for _, i := range plan.Ready {
			there[batch[i].Ref()] = true
		}
		for i, wrong := range plan.Missing {
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

func TestADM04_what_is_ready_does_not_depend_on_the_order(t *testing.T) {
	byRef := func(batch []imported.Record, plan imported.Plan) (ready map[imported.Ref]bool, missing map[imported.Ref]fault.Fields) {
		ready, missing = map[imported.Ref]bool{}, map[imported.Ref]fault.Fields{}
		for _, i := range plan.Ready {
			ready[batch[i].Ref()] = true
		}
		for i, wrong := range plan.Missing {
			missing[batch[i].Ref()] = wrong
		}
		return ready, missing
	}
	rapid.Check(t, func(t *rapid.T) {
		s, batch := drawStored(t), drawBatch(t)
		other := rapid.Permutation(batch).Draw(t, "other order")
		ready, missing := byRef(batch, imported.PlanOf(batch, s.known, s.tree))
		ready2, missing2 := byRef(other, imported.PlanOf(other, s.known, s.tree))
		require.Equal(t, ready, ready2)
		require.Equal(t, missing, missing2)
	})
}

func TestADM04_a_plan_never_makes_a_circle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, batch := drawStored(t), drawBatch(t)
		for _, i := range imported.PlanOf(batch, s.known, s.tree).Ready {
			if c, is := batch[i].(imported.CategoryRecord); is {
				s.tree[c.ID] = c.Parent
			}
		}
		for id := range s.tree {
			at, steps := id, 0
			for ; at != 0; steps++ {
				parent, is := s.tree[at]
				require.True(t, is, "the parent %d of a stored category is stored", at)
				require.LessOrEqual(t, steps, len(s.tree), "%d is above itself", id)
				at = parent
			}
		}
	})
}

// readyIn returns the references of the ready records, in the order of the plan.
func readyIn(batch []imported.Record, s stored) []string {
	var refs []string
	for _, i := range imported.PlanOf(batch, s.known, s.tree).Ready {
		refs = append(refs, string(batch[i].Ref().Kind)+" "+batch[i].Ref().ID)
	}
	return refs
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
	plan := imported.PlanOf(batch, s.known, s.tree)
	assert.Empty(t, plan.Ready)
	assert.Equal(t, map[int]fault.Fields{
		0: {"parent": inCycle}, 1: {"parent": inCycle}, 2: {"parent": {"Not found: category 99."}},
	}, plan.Missing)
	s.known[imported.NumberRef(imported.Category, feed.CategoryID(99))], s.tree[99] = true, 0
	assert.Len(t, imported.PlanOf(batch, s.known, s.tree).Ready, 3, "once 2 can move, all three are ready")
}

func TestADM04_what_hangs_below_a_circle(t *testing.T) {
	batch := []imported.Record{categoryRecord(3, 2), categoryRecord(1, 2), categoryRecord(2, 1), demandRecord(1, "u", 3), categoryRecord(4, 0)}
	known := map[imported.Ref]bool{{Kind: imported.User, ID: "u"}: true}
	plan := imported.PlanOf(batch, known, parents{})
	assert.Equal(t, []int{4}, plan.Ready)
	assert.Equal(t, map[int]fault.Fields{
		0: {"parent": {"Not found: category 2."}}, 1: {"parent": inCycle}, 2: {"parent": inCycle},
		3: {"category": {"Not found: category 3."}},
	}, plan.Missing)
	plan = imported.PlanOf([]imported.Record{categoryRecord(1, 1)}, nil, parents{})
	assert.Equal(t, map[int]fault.Fields{0: {"parent": inCycle}}, plan.Missing, "a cycle of one")
	s := storedCategories(parents{1: 0, 2: 0})
	s.known[imported.Ref{Kind: imported.User, ID: "u"}] = true
	assert.Equal(t, []string{"category 3", "category 4", "demand 1"}, readyIn(batch, s), "stored categories keep their parents")
}

func TestADM04_bundles_that_need_each_other(t *testing.T) {
	plan := imported.PlanOf([]imported.Record{bundleRecord(1, 2, 0), bundleRecord(2, 0, 1), bundleRecord(3, 3, 0)}, nil, nil)
	assert.Equal(t, []int{2}, plan.Ready, "a bundle that is its own original needs no record")
	assert.Equal(t, map[int]fault.Fields{
		0: {"first_original": {"Not found: bundle 2."}}, 1: {"original": {"Not found: bundle 1."}},
	}, plan.Missing)

	s := stored{known: map[imported.Ref]bool{imported.NumberRef(imported.Bundle, publication.BundleID(2)): true}}
	assert.Equal(t, []string{"bundle 1", "bundle 2"}, readyIn([]imported.Record{bundleRecord(1, 2, 0), bundleRecord(2, 0, 1)}, s))
	assert.Equal(t, []string{"bundle 1", "bundle 2"}, readyIn([]imported.Record{bundleRecord(2, 0, 1), bundleRecord(1, 2, 0)}, s))
}

func TestADM04_each_thing_that_is_not_there_is_told_once(t *testing.T) {
	plan := imported.PlanOf([]imported.Record{howToRecord("Tea", "r", 5, 6, 5), bundleRecord(9, 4, 4)}, nil, nil)
	assert.Equal(t, map[int]fault.Fields{
		0: {"robot": {"Not found: user r."}, "bundles": {"Not found: bundle 5.", "Not found: bundle 6."}},
		1: {"first_original": {"Not found: bundle 4."}, "original": {"Not found: bundle 4."}},
	}, plan.Missing)
	assert.Equal(t, []imported.Ref{
		{Kind: imported.User, ID: "r"}, {Kind: imported.Bundle, ID: "5"}, {Kind: imported.Bundle, ID: "6"}, {Kind: imported.Bundle, ID: "4"},
	}, imported.NeedsOf([]imported.Record{howToRecord("Tea", "r", 5, 6, 5), bundleRecord(9, 4, 4), categoryRecord(1, 0)}))
	assert.Empty(t, imported.PlanOf(nil, nil, nil))
	assert.Empty(t, imported.NeedsOf(nil))
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
	plan := imported.PlanOf(bundles, nil, nil)
	assert.Len(t, plan.Ready, n)
	assert.Equal(t, n-1, plan.Ready[0], "the first that needs nothing")
	assert.Equal(t, n, times)

	assert.Len(t, imported.PlanOf(shelves, nil, nil).Ready, n)
	shelves[n-1] = categoryRecord(1, n)
	assert.Len(t, imported.PlanOf(shelves, nil, nil).Missing, n)
}
