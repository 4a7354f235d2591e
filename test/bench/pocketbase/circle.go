package main

import (
	"cmp"
	"math"
	"net/url"
	"strconv"
)

// radius is that of the Earth in kilometres.
const radius = 6371.0088

// circle is the points within a distance, in kilometres, of a centre. It holds no pole and does not cross the
// antimeridian.
type circle struct{ lat, lng, distance float64 }

func circleOf(asked url.Values) (circle, error) {
	lat, errLat := strconv.ParseFloat(asked.Get("lat"), 64)
	lng, errLng := strconv.ParseFloat(asked.Get("lng"), 64)
	distance, err := strconv.ParseFloat(asked.Get("within_distance"), 64)
	return circle{lat, lng, distance}, cmp.Or(errLat, errLng, err)
}

func radians(degrees float64) float64 { return degrees * math.Pi / 180 }

func degrees(radians float64) float64 { return radians * 180 / math.Pi }

// haversineLimit is the haversine of the distance.
func (c circle) haversineLimit() float64 {
	s := math.Sin(c.distance / radius / 2)
	return s * s
}

func (c circle) box() (south, north, west, east float64) {
	angle := c.distance/radius + 1e-10 // more than the rounding error
	tall, wide := degrees(angle), degrees(math.Asin(math.Sin(angle)/math.Cos(radians(c.lat))))
	return c.lat - tall, c.lat + tall, c.lng - wide, c.lng + wide
}

// distanceTo is in kilometres, rounded to the metre.
func (c circle) distanceTo(lat, lng float64) float64 {
	up, right := math.Sin(radians(lat-c.lat)/2), math.Sin(radians(lng-c.lng)/2)
	h := up*up + math.Cos(radians(lat))*math.Cos(radians(c.lat))*right*right
	return math.Round(2*radius*math.Asin(math.Sqrt(min(h, 1)))*1000) / 1000
}
