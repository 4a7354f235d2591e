// Package geo provides points on the Earth, distances and bounding boxes.
//
// The Earth is modelled as a sphere of Radius (FED-07). Latitudes and longitudes are
// in degrees, distances in kilometres. The longitudes -180 and 180 are the same
// meridian.
package geo

import (
	"math"

	"plaza/domain/fault"
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

// NewDistance checks a search distance. It must be positive and at most MaxDistance;
// otherwise it is a fault on the field within_distance.
func NewDistance(km float64) (Kilometres, error) {
	d := Kilometres(km)
	if d > 0 && d <= MaxDistance {
		return d, nil
	}
	return 0, fault.Field("within_distance", "Ensure this value is greater than 0 and at most 500.")
}

// Rounded returns the distance rounded to the metre, as clients see it.
func (k Kilometres) Rounded() Kilometres { return Kilometres(math.Round(float64(k)*1000) / 1000) }

// Point is a place on the Earth.
type Point struct {
	Lat float64 // -90 at the South Pole, 90 at the North Pole
	Lng float64 // -180 to 180, eastwards
}

// NewPoint returns the point, or faults on the fields lat and lng.
func NewPoint(lat, lng float64) (Point, error) {
	var wrong fault.Fields
	if !(math.Abs(lat) <= 90) { // rejects NaN too
		wrong.Add("lat", "Ensure this value is between -90 and 90.")
	}
	if !(math.Abs(lng) <= 180) {
		wrong.Add("lng", "Ensure this value is between -180 and 180.")
	}
	if err := wrong.Err(); err != nil {
		return Point{}, err
	}
	return Point{Lat: lat, Lng: lng}, nil
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
