package bunstore

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/page"
)

// rimWidth is far more than the databases' results differ from Go's, by rounding.
const rimWidth geo.Kilometres = 1e-8

// besideRim returns two points in the direction of the other point, which is not within the
// area: the first just inside, the second just outside.
func besideRim(a feed.Area, other geo.Point) (inside, outside geo.Point) {
	towards := func(part float64) geo.Point {
		return geo.Point{
			Lat: max(-90, min(a.Centre.Lat+part*(other.Lat-a.Centre.Lat), 90)),
			Lng: math.Remainder(a.Centre.Lng+part*(other.Lng-a.Centre.Lng), 360),
		}
	}
	search := func(within geo.Kilometres) (low, high geo.Point) {
		from, to := 0., 1.
		for range 40 {
			if middle := (from + to) / 2; a.Centre.To(towards(middle)) <= within {
				from = middle
			} else {
				to = middle
			}
		}
		return towards(from), towards(to)
	}
	inside, _ = search(a.Within - rimWidth)
	_, outside = search(a.Within + rimWidth)
	return inside, outside
}

// areasAndPoints returns random areas, many of them at a pole, the antimeridian or the
// equator, and points in them, on either side of their rims and where strips meet.
func areasAndPoints(r *rand.Rand) (areas []feed.Area, points []geo.Point) {
	pick := func(of ...float64) float64 { return of[r.IntN(len(of))] }
	for range 40 {
		a := feed.Area{
			Centre: geo.Point{Lat: pick(-90, -89.97, 0, 30.5, 89.99, 90, 180*r.Float64()-90),
				Lng: pick(-180, -179.98, 0, 120.5, 179.99, 180, 360*r.Float64()-180)},
			Within: geo.Kilometres(pick(0.001, 0.1, 1, 5, 50, 500*r.Float64(), 500)),
		}
		areas = append(areas, a)
		points = append(points, a.Centre)
		reach := 2.2 * float64(a.Within/geo.Radius) * 180 / math.Pi
		for range 30 {
			turn := r.Float64() * 2 * math.Pi
			other := geo.Point{Lat: a.Centre.Lat + reach*math.Sin(turn), Lng: a.Centre.Lng +
				reach*math.Cos(turn)/max(0.01, math.Cos(a.Centre.Lat*math.Pi/180))}
			clamped := geo.Point{Lat: max(-90, min(other.Lat, 90)), Lng: other.Lng}
			if a.Centre.To(clamped) <= a.Within {
				points = append(points, geo.Point{Lat: clamped.Lat, Lng: math.Remainder(clamped.Lng, 360)})
				continue
			}
			inside, outside := besideRim(a, clamped)
			points = append(points, inside, outside, geo.Point{Lat: math.Floor(inside.Lat*100) / 100, Lng: inside.Lng})
		}
	}
	return areas, points
}

func TestFED05_tree_and_items_within_an_area_are_those_within_the_distance(t *testing.T) {
	OnEach(t, func(t *testing.T, url string) {
		s, author := openWithUser(t, engine.Options{URL: url})
		areas, points := areasAndPoints(rand.New(rand.NewPCG(1, 2)))
		empty := "{}"
		if strings.HasPrefix(url, "sqlite:") {
			empty = "[]"
		}
		var demands, listings []string
		for i, p := range points {
			demands = append(demands, fmt.Sprintf("(%d, '', '', '%s', '%[2]s', %d, '', %v, %v, %v, ?0, ?0, ?0, true, false, ?0, ?0)",
				i+1, empty, author, categoryOf(i), p.Lat, p.Lng))
			listings = append(listings, fmt.Sprintf("('demand', %d, %d, ?0, ?0, %v, %v)", i+1, categoryOf(i), p.Lat, p.Lng))
		}
		for _, statement := range []string{
			"INSERT INTO categories (id, name, slug) VALUES (1, '', ''), (2, '', '')",
			"INSERT INTO demands (id, title, description, tags, images, author_id, address, category_id, lat, lng, closed, starts, ends, " +
				"published, deleted, created, updated) VALUES " + strings.Join(demands, ", "),
			"INSERT INTO feed_listings (kind, id, category_id, created, updated, lat, lng) VALUES " + strings.Join(listings, ", "),
		} {
			_, err := s.Writer.NewRaw(statement, s.Dialect.Instant(noon)).Exec(t.Context())
			require.NoError(t, err)
		}
		assertWithinAreas(t, s, areas, points)
	})
}

// assertWithinAreas asserts that the trees and pages within each area have the points within
// the distance.
func assertWithinAreas(t *testing.T, s *Store, areas []feed.Area, points []geo.Point) {
	t.Helper()
	for _, a := range areas {
		want := map[feed.CategoryID]int{}
		for i, p := range points {
			if a.Contains(p) {
				want[categoryOf(i)]++
			}
		}
		sel := feed.Select([]feed.Kind{feed.Demand}, &a)
		_, metas, err := s.Feed().Metas(t.Context(), sel)
		require.NoError(t, err)
		got := map[feed.CategoryID]int{}
		for category, meta := range metas {
			got[category] = meta.Count
		}
		assert.Equal(t, want, got, "%+v", a)
		first, err := page.New(1, 1)
		require.NoError(t, err)
		for category, count := range want {
			p, err := s.Feed().Page(t.Context(), category, sel, first)
			require.NoError(t, err)
			assert.Equal(t, count, p.Total, "%+v in category %d", a, category)
		}
	}
}

func categoryOf(point int) feed.CategoryID { return feed.CategoryID(1 + point%2) }
