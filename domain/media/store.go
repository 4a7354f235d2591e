package media

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"plaza/domain/fault"
)

// Key identifies a stored picture. It cannot be guessed and does not reveal the owner.
type Key string

// Audience is the group of users that may get the address of a picture (PLA-04).
type Audience int

const (
	Everyone Audience = iota // avatars, covers, user images: a permanent address
	Viewers                  // plates: a signed address that expires
)

// AddressLife is the maximum lifetime of an address for Viewers. The minimum is half of
// it.
const AddressLife = 2 * time.Hour

// Limits of an upload (PLA-03).
const (
	MaxBytes  = 10 << 20
	MaxPixels = 64_000_000
	// MaxStoredPixels is the most that a stored picture has. One with more is stored with half of its width and height.
	MaxStoredPixels = 40_000_000
)

// Accepted are the media types of the pictures that a Processor accepts, which it judges by their content.
var Accepted = []string{"image/jpeg", "image/png", "image/gif", "image/webp", "image/heic", "image/avif"}

// ErrNotFound is the fault of a picture that does not exist.
var ErrNotFound = fault.New(fault.NotFound, "Picture not found.")

// ErrNoKey is the error of Put with what has not the form of a key.
var ErrNoKey = errors.New("this is no key of a picture")

// Faults of refused uploads.
var (
	ErrNotAccepted = fault.New(fault.Invalid, "Upload a valid image: JPEG, PNG, GIF, WebP, HEIC or AVIF.")
	ErrUnreadable  = fault.New(fault.Invalid, "The image is damaged, or of a kind that the server can't read. Upload another JPEG, PNG, "+
		"GIF, WebP, HEIC or AVIF.")
	ErrCutOff        = fault.New(fault.Invalid, "The image is cut off. Upload the whole JPEG, PNG, GIF, WebP, HEIC or AVIF.")
	ErrTooLarge      = fault.New(fault.Invalid, "The image is larger than 10 MiB.")
	ErrTooDemanding  = fault.New(fault.Invalid, "The image takes too much memory to be read. Upload it as a JPEG, or with fewer pixels.")
	ErrTooManyPixels = fault.New(fault.Invalid, "The image has more than 64 megapixels.")
)

// Upload is a picture from a Processor, ready to be stored.
type Upload struct {
	Type   string // image/jpeg or image/png
	Width  int    // pixels
	Height int
	Bytes  []byte
}

// Put stores the picture under a new key, or nothing.
func (u Upload) Put(ctx context.Context, s Store, a Audience) (Key, error) {
	key, err := NewKey(a, u.Type)
	if err == nil {
		err = s.Put(ctx, key, u.Bytes)
	}
	if err != nil {
		return "", err
	}
	return key, nil
}

// File is an open stored picture. The caller reads it once and must close it.
type File struct {
	io.ReadSeekCloser
	Type     string
	Bytes    int64
	Modified time.Time
}

// Stored is a key in a Store with the time of its storing.
type Stored struct {
	Key   Key
	Since time.Time
}

// Store stores pictures. Every implementation passes test/ports.Media.
type Store interface {
	// Put stores the content under the key, whole or not at all. It replaces a former one. What has not the form of a key is
	// ErrNoKey.
	Put(ctx context.Context, key Key, content []byte) error
	// Open returns the picture with the key, or ErrNotFound. It must return ErrNotFound
	// for every key that Put was not given, also for one that looks like a path.
	Open(ctx context.Context, key Key) (File, error)
	// Remove deletes the picture. A missing picture is not an error.
	Remove(ctx context.Context, key Key) error
	// All yields the stored pictures in any order, without those in the trash. Pictures added or removed
	// meanwhile may be missing. It ends with the first error.
	All(ctx context.Context) iter.Seq2[Stored, error]
	// URL returns the absolute address of the picture. For Viewers it is signed and
	// expires within AddressLife from now; all addresses of one hour must be equal.
	URL(key Key, a Audience, now time.Time) string
	// Mark returns the mark of the store, or an empty text. It stores the first mark before, unless that is empty or the store
	// has a mark; of several calls at once, one stores its own.
	Mark(ctx context.Context, first string) (string, error)
	// SetMark stores the mark in the place of a former one.
	SetMark(ctx context.Context, mark string) error
}
