// Package geo provides points on the Earth, distances and bounding boxes.
//
// The Earth is modelled as a sphere of Radius (FED-07). Latitudes and longitudes are
// in degrees, distances in kilometres. The longitudes -180 and 180 are the same
// meridian.
package geo

import (
	"fmt"
	"math"
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

// Problems returns the sentences about an invalid latitude and an invalid longitude, or
// empty texts.
func (p Point) Problems() (lat, lng string) {
	return degreesProblem(p.Lat, 90), degreesProblem(p.Lng, 180)
}

func degreesProblem(degrees, most float64) string {
	if math.Abs(degrees) <= most { // false for NaN
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
