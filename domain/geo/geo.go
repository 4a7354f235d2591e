// Package geo provides points on the Earth, distances and bounding boxes.
//
// The Earth is modelled as a sphere of Radius (FED-07). Latitudes and longitudes are
// in degrees, distances in kilometres. The longitudes -180 and 180 are the same
// meridian.
package geo

import (
	"fmt"
	"math"

	"plaza/domain/fault"
	"plaza/domain/text"
)

// Kilometres is a distance along the surface.
type Kilometres float64

// Radius is the mean radius of the Earth.
const Radius Kilometres = 6371.0088

// Search distances (FED-05).
const (
	DefaultDistance Kilometres = 5
	MaxDistance     Kilometres = 500
)

// SearchProblem returns the sentence about an invalid search distance, or an empty text. A
// valid one is positive and at most MaxDistance.
func (k Kilometres) SearchProblem() string {
	if k > 0 && k <= MaxDistance {
		return ""
	}
	return fmt.Sprintf("Ensure this value is greater than 0 and at most %v.", MaxDistance)
}

// Rounded returns the distance rounded to the metre, as clients see it.
func (k Kilometres) Rounded() Kilometres { return Kilometres(math.Round(float64(k)*1000) / 1000) }

// Point is a place on the Earth.
type Point struct {
	Lat float64 // -90 at the South Pole, 90 at the North Pole
	Lng float64 // -180 to 180, eastwards
}

// PointOf returns the point, or nil without both, and the problems of the fields lat and lng.
func PointOf(lat, lng *float64) (*Point, fault.Fields) {
	if lat == nil && lng == nil {
		return nil, nil
	}
	var wrong fault.Fields
	wrong.Add("lat", degreesProblem(lat, 90))
	wrong.Add("lng", degreesProblem(lng, 180))
	if len(wrong) > 0 {
		return nil, wrong
	}
	return &Point{*lat, *lng}, nil
}

func degreesProblem(degrees *float64, most float64) string {
	switch {
	case degrees == nil:
		return text.Required
	case math.Abs(*degrees) <= most: // false for NaN
		return ""
	}
	return fmt.Sprintf("Ensure this value is between -%[1]v and %[1]v.", most)
}

// To returns the distance to the other point by the haversine formula, not rounded.
func (p Point) To(q Point) Kilometres {
	lat1, lat2 := radians(p.Lat), radians(q.Lat)
	h := haversine(lat2-lat1) + math.Cos(lat1)*math.Cos(lat2)*haversine(radians(q.Lng-p.Lng))
	return 2 * Radius * Kilometres(math.Asin(math.Sqrt(min(h, 1))))
}

func haversine(angle float64) float64 {
	s := math.Sin(angle / 2)
	return s * s
}

func radians(degrees float64) float64 { return degrees * math.Pi / 180 }

func degrees(radians float64) float64 { return radians * 180 / math.Pi }

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
