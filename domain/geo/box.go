package geo

import "math"

// Range is the degrees from Min to Max, both included.
type Range struct{ Min, Max float64 }

func (r Range) contains(degrees float64) bool { return r.Min <= degrees && degrees <= r.Max }

// Box bounds a circle on the Earth by latitude and longitude, so that a store
// can find candidates by comparing columns before it measures distances.
type Box struct {
	Lat Range
	// Lng is one range, or two where the box crosses the antimeridian: a point in
	// either of them is inside.
	Lng []Range
}

// slack, in radians, makes up for rounding. It is less than a millimetre, and
// far more than the arithmetic loses.
const slack = 1e-10

// Around returns the box of everything within the distance of the point. It may
// hold more, in its corners, but never less.
func Around(p Point, d Kilometres) Box {
	angle := float64(d/Radius) + slack
	south, north := p.Lat-degrees(angle), p.Lat+degrees(angle)
	box := Box{Lat: Range{max(south, -90), min(north, 90)}}
	if south <= -90 || north >= 90 {
		box.Lng = []Range{{-180, 180}} // every meridian meets at the pole
		return box
	}
	// The circle's easternmost point lies nearer to the pole than its centre.
	reach := degrees(math.Asin(min(1, math.Sin(angle)/math.Cos(radians(p.Lat)))))
	box.Lng = unrolled(p.Lng-reach, p.Lng+reach)
	return box
}

// unrolled returns the longitudes from west to east, at most half the Earth apart
// and one of them possibly beyond the antimeridian, as ranges that stay within.
func unrolled(west, east float64) []Range {
	switch {
	case west <= -180:
		return []Range{{-180, east}, {west + 360, 180}}
	case east >= 180:
		return []Range{{-180, east - 360}, {west, 180}}
	}
	return []Range{{west, east}}
}

// Contains says whether the point is inside.
func (b Box) Contains(p Point) bool {
	if !b.Lat.contains(p.Lat) {
		return false
	}
	for _, r := range b.Lng {
		if r.contains(p.Lng) {
			return true
		}
	}
	return false
}
