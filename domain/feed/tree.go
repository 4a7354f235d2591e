package feed

import (
	"cmp"
	"slices"
	"time"
)

// Meta summarises listings: their count, and their latest creation and update. The
// times are zero without listings (FED-02).
type Meta struct {
	Created time.Time
	Updated time.Time
	Count   int
}

// Add adds one listing to the summary.
func (m *Meta) Add(l Listing) {
	m.Count++
	if l.Created.After(m.Created) {
		m.Created = l.Created
	}
	if l.Updated.After(m.Updated) {
		m.Updated = l.Updated
	}
}

// CategoryNode is a category with its children. The uncategorised items have a node
// with a zero Category.
type CategoryNode struct {
	Category
	Level      int // 0 for roots and the uncategorised items, one more than the parent's for children
	Meta       Meta
	ParentNode *CategoryNode // the parent, without its Children; nil: a root
	Children   []CategoryNode
}

// IsUncategorised reports whether the node stands for the items without a category.
func (n CategoryNode) IsUncategorised() bool { return n.ID == 0 }

// Tree returns the roots of the category tree, each category with its meta. Siblings
// are ordered by latest creation, empty ones last, ties by ascending id (FED-03). The
// node of the uncategorised items is among the roots if there are any (FED-01).
func Tree(categories []Category, metas map[CategoryID]Meta) []CategoryNode {
	under := map[CategoryID][]Category{}
	for _, c := range categories {
		under[c.Parent] = append(under[c.Parent], c)
	}
	roots := childrenOf(under, metas, 0, nil)
	if uncategorised := metas[0]; uncategorised.Count > 0 {
		roots = append(roots, CategoryNode{Meta: uncategorised})
		slices.SortFunc(roots, latestFirst)
	}
	return roots
}

func childrenOf(under map[CategoryID][]Category, metas map[CategoryID]Meta, parent CategoryID, above *CategoryNode) []CategoryNode {
	var level int
	if above != nil {
		level = above.Level + 1
	}
	var all []CategoryNode
	for _, c := range under[parent] {
		n := CategoryNode{Category: c, Level: level, Meta: metas[c.ID], ParentNode: above}
		parent := n
		parent.ParentNode = nil
		n.Children = childrenOf(under, metas, c.ID, &parent)
		all = append(all, n)
	}
	slices.SortFunc(all, latestFirst)
	return all
}

func latestFirst(a, b CategoryNode) int {
	return cmp.Or(b.Meta.Created.Compare(a.Meta.Created), cmp.Compare(a.ID, b.ID))
}
