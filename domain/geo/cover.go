package geo

import "math"

// Cell is a range of longitudes in a strip of latitudes. With a number of strips in a
// degree, the strip of a latitude is math.Floor((lat + 90) * strips).
type Cell struct {
	Strip      float64
	West, East float64 // East is not in the cell; it is above 180 if 180 is in the cell
	Interior   bool    // every point of the cell is within the distance
}

// Cover returns cells that do not overlap and contain every point within the distance.
// A store computes distances only for the points of cells that are not interior.
func Cover(p Point, d Kilometres, strips float64) []Cell {
	box := Around(p, d)
	angle := float64(d / Radius)
	least, most := max(0, angle-slack), angle+slack
	// The circle is widest at the peak. Near a pole its rounding error is larger than slack.
	peak := degrees(math.Asin(max(-1, min(math.Sin(radians(p.Lat))/math.Cos(angle), 1))))
	const peakError = 1e-6
	var cells []Cell
	for n := math.Floor((box.Lat.Min + 90) * strips); n <= math.Floor((box.Lat.Max+90)*strips); n++ {
		south, north := n/strips-90, (n+1)/strips-90
		// The circle widens up to the peak and narrows behind it.
		inner := min(halfWidth(p, least, south), halfWidth(p, least, north))
		outer := max(halfWidth(p, most, south), halfWidth(p, most, north))
		if south-peakError <= peak && peak <= north+peakError {
			outer = max(outer, widest(p, most))
		}
		if outer > 179.9 {
			cells = append(cells, Cell{n, -180, 181, inner == 180})
			continue
		}
		cells = appendCells(cells, n, p.Lng-outer, p.Lng-inner, false)
		cells = appendCells(cells, n, p.Lng-inner, p.Lng+inner, true)
		cells = appendCells(cells, n, p.Lng+inner, p.Lng+outer, false)
	}
	return cells
}

// halfWidth returns how far, in degrees of longitude, a circle reaches from its centre at
// the latitude: 0 outside the circle, 180 if it contains the whole parallel.
func halfWidth(centre Point, angle, lat float64) float64 {
	h := (haversine(angle) - haversine(radians(lat-centre.Lat))) / (math.Cos(radians(centre.Lat)) * math.Cos(radians(lat)))
	return degrees(2 * math.Asin(math.Sqrt(max(0, min(h, 1)))))
}

// appendCells appends the cells of the longitudes from west to east, which may be beyond
// the antimeridian.
func appendCells(cells []Cell, strip, west, east float64, interior bool) []Cell {
	for _, turn := range []float64{-360, 0, 360} {
		if west, east := max(west+turn, -180), min(east+turn, 181); west < east && west <= 180 {
			cells = append(cells, Cell{strip, west, east, interior})
		}
	}
	return cells
}
