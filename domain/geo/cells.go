package geo

import "math"

// Grid divides the Earth into strips of latitudes, and each strip into tiles. A store computes
// all these numbers with the expressions given here.
type Grid struct {
	// Strips is the number of strips in a degree. The strip of a latitude is
	// math.Floor((lat + 90) * Strips).
	Strips float64
	// Columns is the number of tiles in a degree of longitude. It must be 1, 2, 4 or so on:
	// then the borders of tiles are exact. The column of a longitude is
	// math.Floor(lng * Columns).
	Columns float64
}

// Cell is a range of tiles of a strip.
type Cell struct {
	Strip      float64
	West, East float64 // longitudes; East is not in the cell, and above 180 if 180 is in the cell
	Interior   bool    // every point of the cell is within the distance
}

// Cover returns cells that do not overlap and contain every point within the distance. A store
// computes distances only for the points of cells that are not interior.
func (g Grid) Cover(p Point, d Kilometres) (cells []Cell) {
	for _, s := range g.strips(p, d) {
		cells = g.appendCells(cells, p, s)
	}
	return cells
}

// coveredStrip is a strip that a circle touches. In it, all points at most inner degrees of
// longitude from the centre are within the circle, and none farther than outer.
type coveredStrip struct{ number, inner, outer float64 }

// strips returns the strips that the circle touches, from south to north.
func (g Grid) strips(p Point, d Kilometres) (strips []coveredStrip) {
	box := Around(p, d)
	angle := float64(d / Radius)
	least, most := max(0, angle-slack), angle+slack
	// The circle is widest at the peak. Near a pole its rounding error is larger than slack.
	peak := degrees(math.Asin(max(-1, min(math.Sin(radians(p.Lat))/math.Cos(angle), 1))))
	const peakError = 1e-6
	for n := math.Floor((box.Lat.Min + 90) * g.Strips); n <= math.Floor((box.Lat.Max+90)*g.Strips); n++ {
		south, north := n/g.Strips-90, (n+1)/g.Strips-90
		// The circle widens up to the peak and narrows behind it.
		inner := min(halfWidth(p, least, south), halfWidth(p, least, north))
		outer := max(halfWidth(p, most, south), halfWidth(p, most, north))
		if south-peakError <= peak && peak <= north+peakError {
			outer = max(outer, widest(p, most))
		}
		strips = append(strips, coveredStrip{n, inner, outer})
	}
	return strips
}

// turns are the degrees by which longitudes from -540 to 540 are turned into those from -180
// to 180.
var turns = []float64{-360, 0, 360}

// appendCells appends the cells of the strip: those of the rim, and the interior one between
// them.
func (g Grid) appendCells(cells []Cell, p Point, s coveredStrip) []Cell {
	if s.outer > 179.9-1/g.Columns { // the circle may contain points of any longitude
		return append(cells, Cell{s.number, -180, 181, s.inner == 180})
	}
	add := func(west, east float64, interior bool) {
		for _, turn := range turns {
			c := Cell{s.number, max(west+turn, -180), min(east+turn, 181), interior}
			if c.West < c.East && c.West <= 180 {
				cells = append(cells, c)
			}
		}
	}
	first, end := math.Floor((p.Lng-s.outer)*g.Columns)/g.Columns, (math.Floor((p.Lng+s.outer)*g.Columns)+1)/g.Columns
	west, east := math.Ceil((p.Lng-s.inner)*g.Columns)/g.Columns, math.Floor((p.Lng+s.inner)*g.Columns)/g.Columns
	if west >= east {
		west, east = end, end
	}
	add(first, west, false)
	add(west, east, true)
	add(east, end, false)
	return cells
}

// halfWidth returns how far, in degrees of longitude, a circle reaches from its centre at
// the latitude: 0 outside the circle, 180 if it contains the whole parallel.
func halfWidth(centre Point, angle, lat float64) float64 {
	h := (haversine(angle) - haversine(radians(lat-centre.Lat))) / (math.Cos(radians(centre.Lat)) * math.Cos(radians(lat)))
	return degrees(2 * math.Asin(math.Sqrt(max(0, min(h, 1)))))
}
