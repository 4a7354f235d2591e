package feed

import (
	"cmp"
	"slices"
	"strings"

	"plaza/domain/fault"
	"plaza/domain/geo"
	"plaza/domain/text"
)

// Selection says which listings are wanted. The zero Selection wants none.
type Selection struct {
	Kinds []Kind // each once
	Near  *Area  // nil: anywhere
}

// Area is everywhere within a distance of a point.
type Area struct {
	Centre geo.Point
	Within geo.Kilometres
}

// ItemKinds are the kinds that the items of a feed have, and what is counted
// unless somebody asks otherwise (FED-04).
func ItemKinds() []Kind { return []Kind{Node, Publication, Demand} }

// ParseKinds reads a comma-separated list of kinds, of which only the allowed
// ones may be named. Blank counts as ItemKinds, a repeated name once; another
// name is a fault on type.
func ParseKinds(s string, allowed ...Kind) ([]Kind, error) {
	var kinds []Kind
	for part := range strings.SplitSeq(s, ",") {
		kind := Kind(text.Trim(part))
		switch {
		case kind == "":
		case !slices.Contains(allowed, kind):
			return nil, fault.Field("type", "“"+string(kind)+"” is not a valid choice.")
		case !slices.Contains(kinds, kind):
			kinds = append(kinds, kind)
		}
	}
	if len(kinds) == 0 {
		return ItemKinds(), nil
	}
	return kinds, nil
}

// Select returns the selection of the kinds. A circle counts for demands alone:
// with any other type, or with several, it is left out (FED-05).
func Select(kinds []Kind, near *Area) Selection {
	if !slices.Equal(kinds, []Kind{Demand}) {
		near = nil
	}
	return Selection{Kinds: kinds, Near: near}
}

// Admits says whether the selection wants the listing. What is nowhere is not
// within any distance (FED-07).
func (s Selection) Admits(l Listing) bool {
	if !slices.Contains(s.Kinds, l.Kind) {
		return false
	}
	return s.Near == nil || l.Point != nil && s.Near.Contains(*l.Point)
}

// Contains says whether the point is within the circle.
func (c Area) Contains(p geo.Point) bool { return c.Centre.To(p) <= c.Within }

// Compare orders listings as a feed shows them: the newest creation first, ties
// by kind and ascending id (FED-06).
func Compare(a, b Listing) int {
	return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
}
