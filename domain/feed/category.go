package feed

import (
	"regexp"

	"plaza/domain/fault"
	"plaza/domain/text"
)

// CategoryLimit bounds the name of a category, and its slug.
var CategoryLimit = text.Limit{Chars: 100}

// slugForm matches slugs, which need no escaping in an address.
var slugForm = regexp.MustCompile(`^[\p{L}\p{M}\p{N}]+([-_][\p{L}\p{M}\p{N}]+)*$`)

// NewCategory checks the category and returns it in the stored form. Cycles of parents
// are checked by Cycles.
func NewCategory(c Category) (Category, error) {
	var wrong fault.Fields
	wrong.Add("name", CategoryLimit.RequiredLine(&c.Name))
	wrong.Add("slug", slugProblem(c.Slug))
	wrong.Add("id", idProblem(int64(c.ID)))
	if c.Parent < 0 || c.Parent != 0 && c.Parent == c.ID {
		wrong.Add("parent", "Enter the ID of another category, or null.")
	}
	return c, wrong.Err()
}

func slugProblem(slug string) string {
	if p := CategoryLimit.RequiredProblem(slug); p != "" {
		return p
	}
	if !slugForm.MatchString(slug) {
		return "Enter letters and digits, separated by single hyphens or underscores."
	}
	return ""
}

func idProblem(id int64) string {
	if id <= 0 {
		return "Category IDs must be 1 or greater."
	}
	return ""
}

// Cycles returns the changed categories that would be their own ancestors if all of
// them were stored, without those that keep their stored parent. The tree maps each stored
// category to its parent, zero for roots.
func Cycles(tree map[CategoryID]CategoryID, changed []Category) []CategoryID {
	next := make(map[CategoryID]CategoryID, len(changed))
	for _, c := range changed {
		next[c.ID] = c.Parent
	}
	parentOf := func(id CategoryID) CategoryID {
		if parent, is := next[id]; is {
			return parent
		}
		return tree[id]
	}
	// Each category is visited once: a category that an earlier pass visited leads only
	// to cycles that are already found.
	visitedBy := map[CategoryID]int{}
	inCycle := map[CategoryID]bool{}
	for i, c := range changed {
		pass, at := i+1, c.ID
		for at != 0 && visitedBy[at] == 0 {
			visitedBy[at] = pass
			at = parentOf(at)
		}
		for at != 0 && visitedBy[at] == pass && !inCycle[at] {
			inCycle[at] = true
			at = parentOf(at)
		}
	}
	var cyclic []CategoryID
	for _, c := range changed {
		parent, stored := tree[c.ID]
		if keepsParent := stored && parent == c.Parent; inCycle[c.ID] && !keepsParent {
			cyclic = append(cyclic, c.ID)
		}
	}
	return cyclic
}
