package geo

import "math"

// Grid divides the Earth into strips of latitudes, and each row of strips into tiles. A store
// computes all these numbers with the expressions given here.
type Grid struct {
	// Strips is the number of strips in a degree. The strip of a latitude is
	// math.Floor((lat + 90) * Strips).
	Strips float64
	// Height is the number of strips in a row. The row of a strip is
	// math.Floor(strip / Height).
	Height float64
	// Columns is the number of tiles in a degree of longitude. It must be 1, 2, 4 or so on:
	// then the borders of tiles are exact. The column of a longitude is
	// math.Floor(lng * Columns).
	Columns float64
}

// Cell is a range of longitudes in a strip.
type Cell struct {
	Strip      float64
	West, East float64 // East is not in the cell; it is above 180 if 180 is in the cell
	Interior   bool    // every point of the cell is within the distance
	Tiled      bool    // the cell is interior, and the part of its strip of some Tiles
}

// Tiles are tiles of a row, each with all points within the distance.
type Tiles struct {
	Row        int
	West, East int // columns; East is not among them
}

// Cover returns cells that do not overlap and contain every point within the distance, and
// the tiles that consist of the tiled cells. A store computes distances only for the points
// of cells that are not interior. A store that keeps an aggregate for each tile reads the
// tiles in the place of the tiled cells.
func (g Grid) Cover(p Point, d Kilometres) (cells []Cell, tiles []Tiles) {
	strips := g.strips(p, d)
	for len(strips) > 0 {
		row := math.Floor(strips[0].number / g.Height)
		n := 1
		for n < len(strips) && math.Floor(strips[n].number/g.Height) == row {
			n++
		}
		west, east := g.tiled(p, strips[:n])
		tiles = g.appendTiles(tiles, int(row), west, east)
		for _, s := range strips[:n] {
			cells = s.appendCells(cells, p, west/g.Columns, east/g.Columns)
		}
		strips = strips[n:]
	}
	return cells, tiles
}

// coveredStrip is a strip that a circle touches. In it, all points at most inner degrees of
// longitude from the centre are within the circle, and none farther than outer.
type coveredStrip struct{ number, inner, outer float64 }

// isWhole reports whether the circle may contain points of any longitude.
func (s coveredStrip) isWhole() bool { return s.outer > 179.9 }

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

// tiled returns the borders of the tiles within the circle, as columns that may be beyond
// the antimeridian. The strips are those of a row that the circle touches. West is not
// below east if there are no such tiles.
func (g Grid) tiled(p Point, row []coveredStrip) (west, east float64) {
	if float64(len(row)) < g.Height {
		return 0, 0
	}
	inner := row[0].inner
	for _, s := range row {
		if s.isWhole() {
			return 0, 0
		}
		inner = min(inner, s.inner)
	}
	return math.Ceil((p.Lng - inner) * g.Columns), math.Floor((p.Lng + inner) * g.Columns)
}

// turns are the degrees by which longitudes from -540 to 540 are turned into those from -180
// to 180.
var turns = []float64{-360, 0, 360}

// appendTiles appends the tiles from west to east.
func (g Grid) appendTiles(tiles []Tiles, row int, west, east float64) []Tiles {
	if west >= east {
		return tiles
	}
	for _, turn := range turns {
		first, end := max(west+turn*g.Columns, -180*g.Columns), min(east+turn*g.Columns, 180*g.Columns+1)
		if first < end {
			tiles = append(tiles, Tiles{row, int(first), int(end)})
		}
	}
	return tiles
}

// appendCells appends the cells of the strip, whose tiled cells are from west to east.
func (s coveredStrip) appendCells(cells []Cell, p Point, west, east float64) []Cell {
	if s.isWhole() {
		return append(cells, Cell{Strip: s.number, West: -180, East: 181, Interior: s.inner == 180})
	}
	add := func(west, east float64, c Cell) {
		for _, turn := range turns {
			c.Strip, c.West, c.East = s.number, max(west+turn, -180), min(east+turn, 181)
			if c.West < c.East && c.West <= 180 {
				cells = append(cells, c)
			}
		}
	}
	add(p.Lng-s.outer, p.Lng-s.inner, Cell{})
	if west < east {
		add(p.Lng-s.inner, west, Cell{Interior: true})
		add(west, east, Cell{Interior: true, Tiled: true})
		add(east, p.Lng+s.inner, Cell{Interior: true})
	} else {
		add(p.Lng-s.inner, p.Lng+s.inner, Cell{Interior: true})
	}
	add(p.Lng+s.inner, p.Lng+s.outer, Cell{})
	return cells
}

// halfWidth returns how far, in degrees of longitude, a circle reaches from its centre at
// the latitude: 0 outside the circle, 180 if it contains the whole parallel.
func halfWidth(centre Point, angle, lat float64) float64 {
	h := (haversine(angle) - haversine(radians(lat-centre.Lat))) / (math.Cos(radians(centre.Lat)) * math.Cos(radians(lat)))
	return degrees(2 * math.Asin(math.Sqrt(max(0, min(h, 1)))))
}
