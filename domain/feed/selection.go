package feed

import (
	"slices"

	"plaza/domain/geo"
)

// Selection filters listings. The zero Selection admits none.
type Selection struct {
	Kinds []Kind // each once
	Near  *Area  // nil: anywhere
}

// Area is a centre with a radius.
type Area struct {
	Centre geo.Point
	Within geo.Kilometres
}

// ItemKinds returns the kinds of feed items, which are also the kinds counted by
// default (FED-04).
func ItemKinds() []Kind { return []Kind{Node, Publication, Demand} }

// Select returns the selection of the kinds; without any, of ItemKinds. An area applies only to demands: with
// another kind, or with several, it is ignored (FED-05).
func Select(kinds []Kind, near *Area) Selection {
	if len(kinds) == 0 {
		kinds = ItemKinds()
	}
	if !slices.Equal(kinds, []Kind{Demand}) {
		near = nil
	}
	return Selection{Kinds: kinds, Near: near}
}

// Admits reports whether the selection includes the listing. A listing without a
// location is in no area (FED-07).
func (s Selection) Admits(l Listing) bool {
	if !slices.Contains(s.Kinds, l.Kind) {
		return false
	}
	return s.Near == nil || l.Point != nil && s.Near.Contains(*l.Point)
}

// HasVersion reports whether a Version tells when what the selection admits has changed. An
// area has none, because searches of areas are rarely repeated, nor have events.
func (s Selection) HasVersion() bool { return s.Near == nil && !slices.Contains(s.Kinds, Event) }

// Contains reports whether the point is in the area.
func (a Area) Contains(p geo.Point) bool { return a.Centre.To(p) <= a.Within }
