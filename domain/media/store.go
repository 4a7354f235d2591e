package media

import (
	"context"
	"io"
	"iter"
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
	NotAccepted   = "Upload a valid image: JPEG, PNG, GIF or WebP."
	TooLarge      = "The image has more than 10 MiB."
	TooManyPixels = "The image has more than 40 megapixels."
)

// Upload is a picture that was made by a Studio, and is ready to be stored.
type Upload struct {
	Type   string // image/jpeg or image/png
	Width  int    // pixels
	Height int
	Bytes  []byte
}

// File is a stored picture, to be read once and closed.
type File struct {
	io.ReadSeekCloser
	Type     string
	Modified time.Time
}

// Stored is a picture that a Store has, and since when.
type Stored struct {
	Key   Key
	Since time.Time
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
	// All goes through the pictures that are there, in any order; what comes or goes
	// meanwhile may be missing. It ends with the first error.
	All(ctx context.Context) iter.Seq2[Stored, error]
	// URL returns the address of the picture, absolute. For Viewers it is signed
	// and expires within AddressLife from now; every address within one hour is the
	// same.
	URL(key Key, a Audience, now time.Time) string
}
