package feed

import (
	"cmp"
	"slices"
	"time"
)

// Meta sums up what is listed at one place: how many things, and the latest
// creation and update among them; zero times when there are none (FED-02).
type Meta struct {
	Created time.Time
	Updated time.Time
	Count   int
}

// Add counts one more listing.
func (m *Meta) Add(l Listing) {
	m.Count++
	if l.Created.After(m.Created) {
		m.Created = l.Created
	}
	if l.Updated.After(m.Updated) {
		m.Updated = l.Updated
	}
}

// CategoryNode is a category with what is under it. The bucket of what has no category
// is a branch with a zero Category.
type CategoryNode struct {
	Category
	Level    int // of roots and of the bucket 0, of children one more than the parent's
	Meta     Meta
	Above    *CategoryNode // nil: a root; without its Children
	Children []CategoryNode
}

// IsBucket says whether the branch is the bucket of what has no category.
func (b CategoryNode) IsBucket() bool { return b.ID == 0 }

// Tree puts the categories together, each with its meta. What has the latest
// creation comes first, what has no items last, ties by ascending id (FED-03);
// the bucket stands among the roots when something is in it (FED-01).
func Tree(categories []Category, metas map[CategoryID]Meta) []CategoryNode {
	under := map[CategoryID][]Category{}
	for _, c := range categories {
		under[c.Parent] = append(under[c.Parent], c)
	}
	roots := branches(under, metas, 0, nil)
	if bucket := metas[0]; bucket.Count > 0 {
		roots = append(roots, CategoryNode{Meta: bucket})
		slices.SortFunc(roots, latestFirst)
	}
	return roots
}

func branches(under map[CategoryID][]Category, metas map[CategoryID]Meta, parent CategoryID, above *CategoryNode) []CategoryNode {
	var level int
	if above != nil {
		level = above.Level + 1
	}
	var all []CategoryNode
	for _, c := range under[parent] {
		b := CategoryNode{Category: c, Level: level, Meta: metas[c.ID], Above: above}
		alone := b
		alone.Above = nil
		b.Children = branches(under, metas, c.ID, &alone)
		all = append(all, b)
	}
	slices.SortFunc(all, latestFirst)
	return all
}

func latestFirst(a, b CategoryNode) int {
	return cmp.Or(b.Meta.Created.Compare(a.Meta.Created), cmp.Compare(a.ID, b.ID))
}
