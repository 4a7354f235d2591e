package imaging

import "math"

// shape is a figure on a tile: how far a place is outside its edge, negative
// inside, in parts of the tile's width. u and v run from 0 to 1.
//
// In this package products are converted before they are added to, so that no
// compiler fuses the two: the pictures are then the same on every machine.
type shape func(u, v float64) float64

var shapes = []shape{
	empty, full, disc,
	quarter(0, 0), quarter(0, 1), quarter(1, 0), quarter(1, 1),
	leaf(0, 0), leaf(0, 1),
}

func empty(_, _ float64) float64 { return math.Inf(1) }

func full(_, _ float64) float64 { return math.Inf(-1) }

func disc(u, v float64) float64 { return distance(u-0.5, v-0.5) - 0.42 }

// quarter is a quarter of a disc around a corner of the tile.
func quarter(cornerU, cornerV float64) shape {
	return func(u, v float64) float64 { return distance(u-cornerU, v-cornerV) - 1 }
}

// leaf has its tips in the two other corners than this one and its opposite.
func leaf(cornerU, cornerV float64) shape {
	a, b := quarter(cornerU, cornerV), quarter(1-cornerU, 1-cornerV)
	return func(u, v float64) float64 { return max(a(u, v), b(u, v)) }
}

func distance(u, v float64) float64 { return math.Sqrt(float64(u*u) + float64(v*v)) }
