package geo

import "math"

// Range is a range of degrees from Min to Max, both included.
type Range struct{ Min, Max float64 }

// Box bounds a circle on the Earth by latitude and longitude. A store selects
// candidates by comparing columns before it computes distances.
type Box struct {
	Lat Range
	// Lng is one range, or two if the box crosses the antimeridian. A point in either
	// range is inside.
	Lng []Range
}

// slack, in radians, compensates for rounding. It is less than a millimetre, and
// much larger than the rounding error.
const slack = 1e-10

// Around returns a box that contains every point within the distance. Its corners may
// contain points farther away.
func Around(p Point, d Kilometres) Box {
	angle := float64(d/Radius) + slack
	south, north := p.Lat-degrees(angle), p.Lat+degrees(angle)
	box := Box{Lat: Range{max(south, -90), min(north, 90)}}
	if south <= -90 || north >= 90 {
		box.Lng = []Range{{-180, 180}} // every meridian meets at the pole
		return box
	}
	reach := widest(p, angle)
	box.Lng = unrolled(p.Lng-reach, p.Lng+reach)
	return box
}

// widest returns how far, in degrees of longitude, a circle without a pole reaches from
// its centre. Its easternmost point is nearer to the pole than its centre.
func widest(p Point, angle float64) float64 {
	return degrees(math.Asin(min(1, math.Sin(angle)/math.Cos(radians(p.Lat)))))
}

// unrolled returns the longitudes from west to east as ranges within -180 and 180. The
// two are at most half the Earth apart, and one may be beyond the antimeridian.
func unrolled(west, east float64) []Range {
	switch {
	case west <= -180:
		return []Range{{-180, east}, {west + 360, 180}}
	case east >= 180:
		return []Range{{-180, east - 360}, {west, 180}}
	}
	return []Range{{west, east}}
}
