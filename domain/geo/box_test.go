package geo_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/geo"
)

func TestEveryPointWithinTheDistanceIsInsideTheBox(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		centre := anywhere(t, "centre")
		reach := geo.Kilometres(rapid.OneOf(
			rapid.Float64Range(0.001, 1),
			rapid.Float64Range(1, float64(geo.MaxDistance)),
		).Draw(t, "reach"))
		part := rapid.SampledFrom([]float64{0.3, 0.99, 1}).Draw(t, "part")
		box := geo.Around(centre, reach)
		assertWellFormed(t, box)

		for bearing := range 360 {
			p := destination(centre, float64(bearing), reach*geo.Kilometres(part))
			require.LessOrEqual(t, float64(centre.To(p)), float64(reach)+1e-9, "the walk went astray")
			require.True(t, contains(box, p), "%v is %v km from %v", p, centre.To(p), centre)
			if math.Abs(p.Lng) == 180 {
				require.True(t, contains(box, geo.Point{Lat: p.Lat, Lng: -p.Lng}), "the same point by its other name")
			}
		}

		other := anywhere(t, "other")
		if centre.To(other) <= reach {
			assert.True(t, contains(box, other), "%v is %v km from %v", other, centre.To(other), centre)
		}
	})
}

func TestBoxesWhereMapsEnd(t *testing.T) {
	const reach = 100 // a bit less than one degree
	east := geo.Around(geo.Point{Lng: 179.5}, reach)
	require.Len(t, east.Lng, 2)
	assert.True(t, contains(east, geo.Point{Lng: -179.7}))
	assert.True(t, contains(east, geo.Point{Lng: 179}))
	assert.False(t, contains(east, geo.Point{Lng: 0}))

	west := geo.Around(geo.Point{Lng: -180}, reach)
	require.Len(t, west.Lng, 2)
	assert.True(t, contains(west, geo.Point{Lng: 180}))
	assert.True(t, contains(west, geo.Point{Lng: 179.5}))
	assert.True(t, contains(west, geo.Point{Lng: -179.5}))
	assert.False(t, contains(west, geo.Point{Lng: 178}))

	for _, lat := range []float64{-90, -89.5, 89.5, 90} {
		pole := geo.Around(geo.Point{Lat: lat, Lng: 10}, reach)
		assert.Equal(t, []geo.Range{{Min: -180, Max: 180}}, pole.Lng)
		assert.True(t, contains(pole, geo.Point{Lat: lat, Lng: -170}))
		assert.False(t, contains(pole, geo.Point{Lat: -lat, Lng: 10}))
		assertWellFormed(t, pole)
	}

	beside := geo.Around(geo.Point{Lat: 88, Lng: 10}, reach)
	require.Len(t, beside.Lng, 1)
	assert.Greater(t, beside.Lng[0].Max-beside.Lng[0].Min, 50.0, "meridians crowd near the pole")
}

// assertWellFormed asserts what a store relies on: ordered ranges of valid degrees
// that do not overlap.
func assertWellFormed(t assert.TestingT, b geo.Box) {
	assert.True(t, -90 <= b.Lat.Min && b.Lat.Min <= b.Lat.Max && b.Lat.Max <= 90, "%v", b)
	assert.Contains(t, []int{1, 2}, len(b.Lng))
	for _, r := range b.Lng {
		assert.True(t, -180 <= r.Min && r.Min <= r.Max && r.Max <= 180, "%v", b)
	}
	if len(b.Lng) == 2 {
		assert.Less(t, b.Lng[0].Max, b.Lng[1].Min, "%v", b)
	}
}

// destination returns the point at the distance and the bearing, by another formula than
// the one under test.
func destination(from geo.Point, bearing float64, d geo.Kilometres) geo.Point {
	rad := func(degrees float64) float64 { return degrees * math.Pi / 180 }
	angle, lat, b := float64(d/geo.Radius), rad(from.Lat), rad(bearing)
	sin := math.Sin(lat)*math.Cos(angle) + math.Cos(lat)*math.Sin(angle)*math.Cos(b)
	east, north := math.Sin(b)*math.Sin(angle), math.Cos(lat)*math.Cos(angle)-math.Sin(lat)*math.Sin(angle)*math.Cos(b)
	lat2 := math.Atan2(sin, math.Hypot(east, north))
	turn := math.Atan2(east, north)
	return geo.Point{
		Lat: max(-90, min(90, lat2*180/math.Pi)),
		Lng: math.Remainder(from.Lng+turn*180/math.Pi, 360),
	}
}

// contains reports whether the point is inside the box.
func contains(b geo.Box, p geo.Point) bool {
	within := func(r geo.Range, degrees float64) bool { return r.Min <= degrees && degrees <= r.Max }
	return within(b.Lat, p.Lat) && slices.ContainsFunc(b.Lng, func(r geo.Range) bool { return within(r, p.Lng) })
}
