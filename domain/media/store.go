package media

import (
	"context"
	"io"
	"time"

	"plaza/domain/fault"
)

// Key names a stored picture. It can't be guessed, and says nothing of whose it
// is.
type Key string

// Audience says who may have the address of a picture (PLA-04).
type Audience int

// The audiences.
const (
	Everyone Audience = iota // avatars, covers, user images: an address for ever
	Viewers                  // plates: an address that is signed and expires
)

// AddressLife is how long the address of a picture for Viewers is good, at most;
// it is good for at least half of that.
const AddressLife = 2 * time.Hour

// Limits of an upload (PLA-03).
const (
	MaxBytes  = 10 << 20
	MaxPixels = 40_000_000
)

// Accepted are the media types that an upload may have, judged by its content.
func Accepted() []string { return []string{"image/jpeg", "image/png", "image/gif", "image/webp"} }

// ErrNotFound is the fault of a picture that is not there.
var ErrNotFound = fault.New(fault.NotFound, "There is no such picture.")

// Sentences about uploads that are refused.
const (
	NotAccepted = "Upload a valid image: JPEG, PNG, GIF or WebP."
	TooLarge    = "The image has more than 10 MiB."
	TooManyDots = "The image has more than 40 megapixels."
)

// Upload is a picture that came in and was found to be one.
type Upload struct {
	Type   string // one of Accepted
	Width  int    // pixels
	Height int
	Bytes  []byte
}

// Inspector finds out whether bytes are a picture. Every implementation passes
// test/ports.Inspector.
type Inspector interface {
	// Inspect returns the picture that the bytes are, judged by their content. It
	// must read the header before anything else: what is no picture of an accepted
	// type, or has more than MaxBytes or MaxPixels, is a fault on the field, and
	// costs nothing.
	Inspect(ctx context.Context, field string, raw []byte) (Upload, error)
}

// File is a stored picture, to be read once and closed.
type File struct {
	io.ReadSeekCloser
	Type     string
	Modified time.Time
}

// Store keeps pictures. Every implementation passes test/ports.Media.
type Store interface {
	// Put stores the picture under a new key; either all of it is there, or
	// nothing.
	Put(ctx context.Context, u Upload, a Audience) (Key, error)
	// Open returns the picture with the key, or ErrNotFound; also for a key that no
	// Put has returned, whatever is in it.
	Open(ctx context.Context, key Key) (File, error)
	// Remove deletes the picture. One that is not there is no error.
	Remove(ctx context.Context, key Key) error
	// URL returns the address of the picture, absolute. For Viewers it is signed
	// and expires within AddressLife from now; every address within one hour is the
	// same.
	URL(key Key, a Audience, now time.Time) string
}
