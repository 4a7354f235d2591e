package imaging

import "math"

// shape is a figure on a tile. It returns the distance from its edge, negative inside, as a
// fraction of the tile's width. u and v run from 0 to 1.
//
// This package converts products before adding to them, so that no compiler fuses the two.
// The pictures are then identical on every machine.
type shape func(u, v float64) float64

var shapes = []shape{
	empty, full, disc,
	quarter(0, 0), quarter(0, 1), quarter(1, 0), quarter(1, 1),
	leaf(0, 0), leaf(0, 1),
}

func empty(_, _ float64) float64 { return math.Inf(1) }

func full(_, _ float64) float64 { return math.Inf(-1) }

func disc(u, v float64) float64 { return distance(u-0.5, v-0.5) - 0.42 }

// quarter is a quarter disc around a corner of the tile.
func quarter(cornerU, cornerV float64) shape {
	return func(u, v float64) float64 { return distance(u-cornerU, v-cornerV) - 1 }
}

// leaf is a leaf with its tips in the two other corners than this one and its opposite.
func leaf(cornerU, cornerV float64) shape {
	a, b := quarter(cornerU, cornerV), quarter(1-cornerU, 1-cornerV)
	return func(u, v float64) float64 { return max(a(u, v), b(u, v)) }
}

func distance(u, v float64) float64 { return math.Sqrt(float64(u*u) + float64(v*v)) }
