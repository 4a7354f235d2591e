package feed

import (
	"fmt"
	"regexp"

	"plaza/domain/fault"
	"plaza/domain/text"
)

// CategoryLimit bounds the name of a category, and its slug.
var CategoryLimit = text.Limit{Chars: 100}

// slugForm is what stands in an address as it is.
var slugForm = regexp.MustCompile(`^[\p{L}\p{M}\p{N}]+([-_][\p{L}\p{M}\p{N}]+)*$`)

// NewCategory checks the category and returns it in the form that is kept. That its
// parents don't go around in a circle is for Circles to say.
func NewCategory(c Category) (Category, error) {
	var wrong fault.Fields
	c.Name = text.Trim(c.Name)
	wrong.Add("name", CategoryLimit.RequiredProblem(c.Name))
	wrong.Add("slug", slugProblem(c.Slug))
	wrong.Add("id", idProblem(int64(c.ID)))
	if c.Parent < 0 || c.Parent != 0 && c.Parent == c.ID {
		wrong.Add("parent", "Enter the number of another category, or null.")
	}
	return c, wrong.Err()
}

func slugProblem(slug string) string {
	if p := CategoryLimit.RequiredProblem(slug); p != "" {
		return p
	}
	if !slugForm.MatchString(slug) {
		return "Enter letters and digits, in groups with a hyphen or an underscore between them."
	}
	return ""
}

func idProblem(id int64) string {
	if id <= 0 {
		return fmt.Sprintf("%d is no number of a category: they begin with 1.", id)
	}
	return ""
}

// Cycles are those of the changed categories that would be above themselves, if
// all of them were stored over the tree: a map from each category to its parent, zero
// for roots.
func Cycles(tree map[CategoryID]CategoryID, changed []Category) []CategoryID {
	next := make(map[CategoryID]CategoryID, len(changed))
	for _, c := range changed {
		next[c.ID] = c.Parent
	}
	above := func(id CategoryID) CategoryID {
		if parent, is := next[id]; is {
			return parent
		}
		return tree[id]
	}
	// Nobody is walked through twice: what an earlier walk came through leads to no
	// circle but those that it found.
	walks := map[CategoryID]int{}
	circling := map[CategoryID]bool{}
	for i, c := range changed {
		walk, at := i+1, c.ID
		for at != 0 && walks[at] == 0 {
			walks[at] = walk
			at = above(at)
		}
		for at != 0 && walks[at] == walk && !circling[at] {
			circling[at] = true
			at = above(at)
		}
	}
	var around []CategoryID
	for _, c := range changed {
		if circling[c.ID] {
			around = append(around, c.ID)
		}
	}
	return around
}
