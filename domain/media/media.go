// Package media models pictures: their keys, their sizes, their addresses and their
// deletion.
package media

// Picture is a picture with its address and its sizes. A picture in a Store is saved by
// its key and gets its address from At.
type Picture struct {
	Key   Key    // empty: not in the Store
	Path  string // address of the picture itself
	Sizes []Size // smallest first
}

// Size is one variant of a picture with its actual dimensions in pixels.
type Size struct {
	Name   string // sm, md, lg, cover_sm, demand_cover_md
	Width  int
	Height int
	Key    Key // empty: not in the Store
	Path   string
}

// Portraits draws an individual picture for every user without an avatar (USR-04).
type Portraits interface {
	// Portrait returns the picture of the seed, a positive number, in the sizes sm,
	// md and lg. The same seed must always have the same picture, and every address
	// in it must be served.
	Portrait(seed int64) Picture
}
