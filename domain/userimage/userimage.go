// Package userimage models the images that users upload, and the tags to find them by.
package userimage

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/instant"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/text"
	"plaza/domain/user"
)

// ID numbers images.
type ID int64

// Limits of images (IMG-03, IMG-06).
const (
	MaxTags   = 50
	MaxImages = 5000 // of one user, without deleted ones, with hidden ones
)

var TagLimit = text.Limit{Chars: 64}

var (
	ErrNotFound = fault.New(fault.NotFound, "Image not found.")
	ErrNotOwner = fault.New(fault.Denied, "Only the owner may change an image.")
	ErrFull     = fault.New(fault.Conflict, fmt.Sprintf("A user may have at most %d images.", MaxImages))
)

// Tags are the tags of an image: trimmed, each once, in order (IMG-03).
type Tags struct{ names []string }

// ParseTags parses tags as a client sends them. An invalid tag is a fault on tags.
func ParseTags(names []string) (Tags, error) {
	distinct, problem := text.Distinct(names, MaxTags, func(name string) (string, string) {
		problem := TagLimit.RequiredLine(&name)
		if problem == "" && strings.Contains(name, ",") {
			problem = "A tag may not contain a comma."
		}
		return name, problem
	})
	if problem != "" {
		return Tags{}, fault.Field("tags", problem)
	}
	return Tags{distinct}, nil
}

// Names returns a copy of the tags' names, which is never nil.
func (t Tags) Names() []string { return append([]string{}, t.names...) }

// Len returns the number of tags.
func (t Tags) Len() int { return len(t.names) }

// Image is a picture that a user has uploaded.
type Image struct {
	ID      ID
	Owner   user.ID
	Key     media.Key
	Width   int // pixels
	Height  int
	Bytes   int64 // that the picture takes, for the quota of its owner; zero once stored
	Tags    Tags
	Created time.Time
	Deleted time.Time // zero: not deleted
	Hidden  bool      // by staff (MOD-03), and not deleted
	// Completes is the key that storing the image completes; nil: none, and once stored.
	Completes *idempotency.Key
}

// AtCursor returns the place of the image in its list, the newest first (GEN-18).
func (i Image) AtCursor() page.Cursor { return page.At(i.Created, i.ID) }

// New returns a new image of the owner.
func New(owner user.ID, key media.Key, width, height int, bytes int64, tags Tags, now time.Time) Image {
	return Image{Owner: owner, Key: key, Width: width, Height: height, Bytes: bytes, Tags: tags, Created: instant.Normalise(now)}
}

// CheckWrite returns nil for the owner, else ErrNotOwner. A deleted image is ErrNotFound,
// also for its owner (IMG-02).
func (i Image) CheckWrite(writer user.ID) error {
	switch {
	case !i.Deleted.IsZero():
		return ErrNotFound
	case i.Owner != writer:
		return ErrNotOwner
	}
	return nil
}

// Retag replaces the whole list of tags (IMG-01), which must not be empty.
func (i *Image) Retag(t Tags) error {
	if t.Len() == 0 {
		return fault.Field("tags", "This list may not be empty.")
	}
	i.Tags = t
	return nil
}

// Delete marks the image as deleted. Its row stays (IMG-07).
func (i *Image) Delete(now time.Time) { i.Deleted, i.Hidden = instant.Normalise(now), false }

// Query selects images of an owner (IMG-05). Empty lists do not filter.
type Query struct {
	Owner    user.ID
	Contains []string // all of these tags
	Overlaps []string // any of these tags
}

// Normalise drops the words of Overlaps that cannot be tags, and the duplicates of Contains.
// It reports whether the query can match anything: not if a word of Contains, or every word
// of Overlaps, cannot be a tag.
func (q Query) Normalise() (Query, bool) {
	isTag := func(word string) bool { return TagLimit.RequiredLine(&word) == "" }
	for _, word := range q.Contains {
		if !isTag(word) {
			return q, false
		}
	}
	q.Contains = slices.Clone(q.Contains)
	slices.Sort(q.Contains)
	q.Contains = slices.Compact(q.Contains)
	some := len(q.Overlaps) > 0
	q.Overlaps = slices.DeleteFunc(slices.Clone(q.Overlaps), func(word string) bool { return !isTag(word) })
	return q, !some || len(q.Overlaps) > 0
}

// Admits reports whether the query selects the image.
func (q Query) Admits(i Image) bool {
	has := func(tag string) bool { return slices.Contains(i.Tags.names, tag) }
	lacks := func(tag string) bool { return !has(tag) }
	return i.Owner == q.Owner && i.Deleted.IsZero() && !i.Hidden &&
		!slices.ContainsFunc(q.Contains, lacks) &&
		(len(q.Overlaps) == 0 || slices.ContainsFunc(q.Overlaps, has))
}

// Repository stores images. Every implementation passes test/ports.Images.
type Repository interface {
	// Add stores a new image and returns it with its number. It returns ErrFull if the
	// owner has MaxImages, and quota.Limits.ErrPictures if the image takes more bytes than
	// are left of the quota with which the store was opened (GEN-14). Concurrent calls must
	// not exceed the limits. A deleted image gives its bytes back.
	Add(ctx context.Context, i Image, charges ...ratelimit.Charge) (Image, error)
	// Get returns the image, even if it is deleted or hidden, or ErrNotFound.
	Get(ctx context.Context, id ID) (Image, error)
	// Change loads the image, calls fn and stores the result, atomically and
	// isolated from other Changes of it, and returns the stored image. If fn fails,
	// nothing is stored and Change returns fn's error unchanged. If fn panics or the
	// context ends, nothing is stored. fn must do no I/O: it may run again. fn must not
	// call a port of the store: such a call may never return.
	Change(ctx context.Context, id ID, fn func(*Image) error) (Image, error)
	// List returns a page of the images that the query admits, the newest first, ties by
	// descending id.
	List(ctx context.Context, q Query, p page.Request) (page.Page[Image], error)
	// All yields the images that the query admits, as of one moment, in the order of List.
	// It must not hold the whole list in memory. It ends with the first error.
	All(ctx context.Context, q Query) iter.Seq2[Image, error]
}
