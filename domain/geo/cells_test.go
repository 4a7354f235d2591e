package geo_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/geo"
)

// cellsWith returns the cells that contain the point.
func cellsWith(cells []geo.Cell, g geo.Grid, p geo.Point) (found []geo.Cell) {
	for _, c := range cells {
		if c.Strip == math.Floor((p.Lat+90)*g.Strips) && c.West <= p.Lng && p.Lng < c.East {
			found = append(found, c)
		}
	}
	return found
}

func TestCellsCoverTheCircleOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		centre := anywhere(t, "centre")
		grid := geo.Grid{
			Strips:  rapid.SampledFrom([]float64{1, 10, 100}).Draw(t, "strips"),
			Columns: rapid.SampledFrom([]float64{1, 2, 64}).Draw(t, "columns"),
		}
		reach := geo.Kilometres(rapid.OneOf(
			rapid.SampledFrom([]float64{1e-9, 1e-6}),
			rapid.Float64Range(0.001, 1),
			rapid.Float64Range(1, float64(geo.MaxDistance)),
			rapid.Just(min(float64(geo.Point{Lat: 90}.To(geo.Point{Lat: math.Abs(centre.Lat)})), float64(geo.MaxDistance))), // touches a pole
		).Draw(t, "reach") + rapid.SampledFrom([]float64{0, 1e-6, 1e-9}).Draw(t, "more"))
		cells := grid.Cover(centre, reach)
		check := func(p geo.Point) {
			found := cellsWith(cells, grid, p)
			if centre.To(p) <= reach {
				require.Len(t, found, 1, "%v is %v km from %v", p, centre.To(p), centre)
			}
			require.LessOrEqual(t, len(found), 1, "cells overlap at %v", p)
			if len(found) > 0 && found[0].Interior {
				require.LessOrEqual(t, centre.To(p), reach, "%v is in an interior cell", p)
			}
		}
		for _, c := range cells {
			for _, border := range []float64{c.West, c.East} {
				require.Equal(t, math.Floor(border*grid.Columns), border*grid.Columns, "%+v consists of whole tiles", c)
			}
		}
		part := rapid.SampledFrom([]geo.Kilometres{0, 0.3, 0.99, 1, 1.01}).Draw(t, "part")
		for bearing := range 60 {
			p := destination(centre, 6*float64(bearing), reach*part)
			check(p)
			check(geo.Point{Lat: math.Floor(p.Lat*grid.Strips) / grid.Strips, Lng: p.Lng}) // where strips meet
		}
		for _, lng := range []float64{-180, 180} {
			check(geo.Point{Lat: centre.Lat, Lng: lng})
		}
		for range min(20, len(cells)) {
			c := rapid.SampledFrom(cells).Draw(t, "cell")
			for _, lng := range []float64{c.West, math.Nextafter(c.West, -360), math.Nextafter(c.East, -360), c.East} {
				check(geo.Point{Lat: min(c.Strip/grid.Strips-90+rapid.Float64Range(0, 1/grid.Strips).Draw(t, "lat"), 90), Lng: max(-180, min(lng, 180))})
			}
		}
	})
}

func TestCellsDoNotOverlapWhereTheirTilesMeetBeyondAPole(t *testing.T) {
	grid, centre := geo.Grid{Strips: 10, Columns: 1}, geo.Point{Lat: 89.5, Lng: 0.35}
	cells := grid.Cover(centre, centre.To(geo.Point{Lat: 89.9, Lng: centre.Lng + 179.85 - 360}))
	require.Len(t, cellsWith(cells, grid, geo.Point{Lat: 89.85, Lng: -179.5}), 1)
}
