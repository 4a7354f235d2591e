package geo_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"plaza/domain/geo"
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
		lat, lng := geo.Point{Lat: c.lat, Lng: c.lng}.Problems()
		problems := map[string]string{"lat": "Ensure this value is between -90 and 90.", "lng": "Ensure this value is between -180 and 180."}
		for name, problem := range map[string]string{"lat": lat, "lng": lng} {
			if slices.Contains(c.wrong, name) {
				assert.Equal(t, problems[name], problem)
			} else {
				assert.Empty(t, problem, "%v", c)
			}
		}
	}
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
	rapid.Check(t, func(t *rapid.T) {
		km := geo.Kilometres(rapid.Float64Range(0, 20016).Draw(t, "km"))
		assert.InDelta(t, float64(km), float64(km.Rounded()), 0.0005+1e-9)
		assert.Equal(t, km.Rounded(), km.Rounded().Rounded())
	})
}

func TestDistanceIsAMetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := anywhere(t, "a"), anywhere(t, "b"), anywhere(t, "c")
		assert.Zero(t, a.To(a))
		assert.Equal(t, a.To(b), b.To(a))
		assert.GreaterOrEqual(t, float64(a.To(b)), 0.0)
		// Between antipodes the haversine formula is accurate only to a metre.
		assert.LessOrEqual(t, float64(a.To(c)), float64(a.To(b)+b.To(c))+1e-3)
		assert.LessOrEqual(t, float64(a.To(b)), math.Pi*float64(geo.Radius))
	})
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

// FuzzPoint measures between any two points. A distance is the same both ways and at most
// half the Earth's circumference, and the box around a point has every point within the
// distance.
func FuzzPoint(f *testing.F) {
	for _, c := range [][5]float64{
		{30.2741, 120.1551, 31.2304, 121.4737, 200}, {0, 180, 0, -180, 5}, {90, 0, 90, 180, 1}, {-90, 12, 90, 12, 500},
		{89.9999999, 10, 89.9999999, -170, 1}, {0, 0, 0, 0, 1e-9}, {1e-320, math.Copysign(0, -1), 0, 1e-300, 5},
		{math.NaN(), 0, 0, 0, 5}, {90.00000000000001, 0, 0, -180.00000000000003, 5}, {math.Inf(1), 0, 0, 0, math.Inf(1)},
		{60, 179.999, 60, -179.999, 0.2}, {-45, 0, 45, 179.9999, 500},
	} {
		f.Add(c[0], c[1], c[2], c[3], c[4])
	}
	f.Fuzz(func(t *testing.T, lat1, lng1, lat2, lng2, km float64) {
		p, q := geo.Point{Lat: lat1, Lng: lng1}, geo.Point{Lat: lat2, Lng: lng2}
		lat, lng := p.Problems()
		assert.Equal(t, lat1 >= -90 && lat1 <= 90, lat == "")
		assert.Equal(t, lng1 >= -180 && lng1 <= 180, lng == "")
		within := geo.Kilometres(km)
		assert.Equal(t, km > 0 && km <= float64(geo.MaxDistance), within.SearchProblem() == "")
		otherLat, otherLng := q.Problems()
		if lat+lng+otherLat+otherLng+within.SearchProblem() != "" {
			return
		}
		d := p.To(q)
		assert.InDelta(t, float64(d), float64(q.To(p)), 1e-6)
		assert.True(t, d >= 0 && float64(d) <= math.Pi*float64(geo.Radius)+1e-6, "%v", d)
		if d <= within {
			assert.True(t, contains(geo.Around(p, within), q), "%v is within %v of %v", q, within, p)
		}
	})
}
