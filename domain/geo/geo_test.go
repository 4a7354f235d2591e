package geo_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/fault"
	"plaza/domain/geo"
	"plaza/domain/text"
)

func TestPointsOutOfRangeAreProblems(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		lat, lng float64
		wrong    []string
	}{
		{0, 0, nil},
		{90, 180, nil},
		{-90, -180, nil},
		{90.0000001, 0, []string{"lat"}},
		{-90.0000001, 0, []string{"lat"}},
		{0, 180.0000001, []string{"lng"}},
		{0, -180.0000001, []string{"lng"}},
		{nan, 0, []string{"lat"}},
		{0, nan, []string{"lng"}},
		{inf, -inf, []string{"lat", "lng"}},
		{-inf, inf, []string{"lat", "lng"}},
		{nan, nan, []string{"lat", "lng"}},
	} {
		point, wrong := geo.PointOf(&c.lat, &c.lng)
		assert.Equal(t, c.wrong == nil, point != nil)
		problems := map[string]string{"lat": "Ensure this value is between -90 and 90.", "lng": "Ensure this value is between -180 and 180."}
		for name, problem := range problems {
			if slices.Contains(c.wrong, name) {
				assert.Equal(t, []string{problem}, wrong[name])
			} else {
				assert.Empty(t, wrong[name], "%v", c)
			}
		}
	}
}

func TestAPointHasBothNumbers(t *testing.T) {
	north, far := 1.0, 181.0
	point, wrong := geo.PointOf(&north, nil)
	assert.Nil(t, point)
	assert.Equal(t, fault.Fields{"lng": {text.Required}}, wrong)
	point, wrong = geo.PointOf(nil, &far)
	assert.Nil(t, point)
	assert.Equal(t, fault.Fields{"lat": {text.Required}, "lng": {"Ensure this value is between -180 and 180."}}, wrong)
	point, wrong = geo.PointOf(nil, nil)
	assert.Nil(t, point)
	assert.Empty(t, wrong)
}

func TestDistancesToLookWithin(t *testing.T) {
	for _, km := range []float64{math.SmallestNonzeroFloat64, 0.001, float64(geo.DefaultDistance), 500} {
		assert.Empty(t, geo.Kilometres(km).SearchProblem(), km)
	}
	for _, km := range []float64{0, math.Copysign(0, -1), -1, 500.0000001, math.Inf(1), math.Inf(-1), math.NaN()} {
		assert.Equal(t, "Ensure this value is greater than 0 and at most 500.", geo.Kilometres(km).SearchProblem(), km)
	}
}

func TestKnownDistances(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b geo.Point
		km   geo.Kilometres
	}{
		{"nowhere", geo.Point{Lat: 31.2, Lng: 121.5}, geo.Point{Lat: 31.2, Lng: 121.5}, 0},
		{"one degree of the equator", geo.Point{}, geo.Point{Lng: 1}, 111.195},
		{"one degree of a meridian", geo.Point{Lat: 89, Lng: 7}, geo.Point{Lat: 90, Lng: -120}, 111.195},
		{"across the antimeridian", geo.Point{Lng: 179.5}, geo.Point{Lng: -179.5}, 111.195},
		{"the same meridian twice", geo.Point{Lat: 10, Lng: 180}, geo.Point{Lat: 10, Lng: -180}, 0},
		{"pole to pole", geo.Point{Lat: 90}, geo.Point{Lat: -90, Lng: 33}, 20015.114},
		{"antipodes", geo.Point{Lat: 12, Lng: 34}, geo.Point{Lat: -12, Lng: -146}, 20015.114},
		{"a quarter of the Earth", geo.Point{}, geo.Point{Lat: 90}, 10007.557},
	} {
		assert.Equal(t, c.km, c.a.To(c.b).Rounded(), c.name)
	}
}

func TestDistancesAreRoundedToMetres(t *testing.T) {
	assert.Equal(t, geo.Kilometres(1.234), geo.Kilometres(1.2344999).Rounded())
	assert.Equal(t, geo.Kilometres(1.235), geo.Kilometres(1.2345001).Rounded())
	assert.Equal(t, geo.Kilometres(0), geo.Kilometres(0.0004).Rounded())
}

// anywhere draws points, with the poles and the antimeridian more often than a uniform
// draw.
func anywhere(t *rapid.T, label string) geo.Point {
	degrees := func(limit float64) *rapid.Generator[float64] {
		return rapid.OneOf(
			rapid.Float64Range(-limit, limit),
			rapid.SampledFrom([]float64{-limit, 0, limit}),
			rapid.Float64Range(limit-6, limit),
			rapid.Float64Range(-limit, 6-limit),
		)
	}
	return geo.Point{Lat: degrees(90).Draw(t, label+".lat"), Lng: degrees(180).Draw(t, label+".lng")}
}

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
