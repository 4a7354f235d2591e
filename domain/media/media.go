// Package media is about pictures: what they are called, in which sizes they
// exist, and where clients find them.
package media

// Picture is a picture as clients see it: its address, and its sizes. One that is
// kept in a Store is stored by its key, and gets its address from At.
type Picture struct {
	Key   Key    // empty: it is not in our Store
	Path  string // address of the picture itself
	Sizes []Size // smallest first
}

// Size is one rendering of a picture with its true dimensions in pixels.
type Size struct {
	Name   string // sm, md, lg, cover_sm, demand_cover_md
	Width  int
	Height int
	Key    Key // empty: it is not in our Store
	Path   string
}

// Portraits gives everyone without a picture of their own one that is theirs
// alone (USR-04). Every implementation passes test/ports.Portraits.
type Portraits interface {
	// Portrait returns the picture of the seed, a positive number, in the sizes sm,
	// md and lg. The same seed must always have the same picture, and every address
	// in it must be served.
	Portrait(seed int64) Picture
}
