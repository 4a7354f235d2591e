// Package gallery is about the pictures that members keep, and the tags by which
// they find them again.
package userimage

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"plaza/domain/fault"
	"plaza/domain/instant"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/text"
	"plaza/domain/user"
)

// ID numbers images.
type ID int64

// Limits of images (IMG-03, IMG-06).
const (
	MaxTags   = 50
	MaxImages = 5000 // of one user, deleted ones left out
)

// TagLimit bounds a tag.
var TagLimit = text.Limit{Chars: 64}

// Faults of images.
var (
	ErrNotFound = fault.New(fault.NotFound, "There is no such image.")
	ErrNotOwner = fault.New(fault.Denied, "Only its owner may change an image.")
	ErrFull     = fault.New(fault.Conflict, fmt.Sprintf("A user has at most %d images.", MaxImages))
)

// Tags are the tags of an image: trimmed, each once, in order (IMG-03).
type Tags struct{ names []string }

// ParseTags reads tags as a client sends them; what is wrong is a fault on tags.
func ParseTags(names []string) (Tags, error) {
	distinct, problem := text.Distinct(names, MaxTags, func(name string) (string, string) {
		name = text.Trim(name)
		problem := TagLimit.RequiredProblem(name)
		if problem == "" && strings.Contains(name, ",") {
			problem = "A tag has no comma."
		}
		return name, problem
	})
	if problem != "" {
		return Tags{}, fault.Field("tags", problem)
	}
	return Tags{distinct}, nil
}

// Names returns a copy of the tags' names.
func (t Tags) Names() []string { return slices.Clone(t.names) }

// Len is how many tags there are.
func (t Tags) Len() int { return len(t.names) }

// Image is a picture that a member keeps.
type Image struct {
	ID      ID
	Owner   user.ID
	Key     media.Key
	Width   int // pixels
	Height  int
	Tags    Tags
	Created time.Time
	Deleted time.Time // zero: it is there
}

// New returns an image that the owner keeps from now on.
func New(owner user.ID, key media.Key, width, height int, tags Tags, now time.Time) Image {
	return Image{Owner: owner, Key: key, Width: width, Height: height, Tags: tags, Created: instant.Normalise(now)}
}

// CheckWrite is nil for the owner. A deleted image is there for nobody (IMG-02).
func (i Image) CheckWrite(who user.ID) error {
	switch {
	case !i.Deleted.IsZero():
		return ErrNotFound
	case i.Owner != who:
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

// Delete unlists the image; its row stays (IMG-07).
func (i *Image) Delete(now time.Time) { i.Deleted = instant.Normalise(now) }

// Query says which of an owner's images are wanted (IMG-05). Empty lists do not
// limit.
type Query struct {
	Owner    user.ID
	Contains []string // all of these tags
	Overlaps []string // any of these tags
}

// ParseTagFilter reads comma-separated tags to look for; blank ones are dropped. It returns the
// problem if there are more of them than an image may have tags.
func ParseTagFilter(s string) (words []string, problem string) {
	for part := range strings.SplitSeq(s, ",") {
		if part = text.Trim(part); part == "" || slices.Contains(words, part) {
			continue
		}
		if len(words) == MaxTags {
			return nil, fmt.Sprintf("Look for %d tags at most.", MaxTags)
		}
		words = append(words, part)
	}
	return words, ""
}

// Normalise is the query without what no tag can be, and with every tag once: a keyword
// that is no tag is on no image. It says whether the query admits anything at all.
func (q Query) Normalise() (Query, bool) {
	isTag := func(word string) bool { return TagLimit.RequiredProblem(word) == "" }
	for _, word := range q.Contains {
		if !isTag(word) {
			return q, false
		}
	}
	q.Contains = slices.Compact(slices.Sorted(slices.Values(q.Contains)))
	some := len(q.Overlaps) > 0
	q.Overlaps = slices.DeleteFunc(slices.Clone(q.Overlaps), func(word string) bool { return !isTag(word) })
	return q, !some || len(q.Overlaps) > 0
}

// Admits says whether the query wants the image.
func (q Query) Admits(i Image) bool {
	has := func(tag string) bool { return slices.Contains(i.Tags.names, tag) }
	lacks := func(tag string) bool { return !has(tag) }
	return i.Owner == q.Owner && i.Deleted.IsZero() &&
		!slices.ContainsFunc(q.Contains, lacks) &&
		(len(q.Overlaps) == 0 || slices.ContainsFunc(q.Overlaps, has))
}

// Repository stores images. Every implementation passes test/ports.Images.
type Repository interface {
	// Add stores a new image and returns it with its number; ErrFull when its owner
	// has MaxImages, however many are added at once.
	Add(ctx context.Context, i Image) (Image, error)
	// Get returns the image, deleted ones too, or ErrNotFound.
	Get(ctx context.Context, id ID) (Image, error)
	// Change loads the image, calls fn and stores the result, atomically and
	// isolated from other Changes of it, and returns what is stored. If fn fails,
	// nothing is stored and its error comes back as it is; nothing is stored either
	// when fn panics or the context ends. fn must do no I/O: it may run again.
	// Calling the store from inside fn must fail at once.
	Change(ctx context.Context, id ID, fn func(*Image) error) (Image, error)
	// List returns a page of what the query admits, the newest first, ties by descending id.
	List(ctx context.Context, q Query, p page.Request) (page.Page[Image], error)
	// All yields all that the query admits, as it is at one moment, in the order of List. It
	// must not hold the list. It ends with the first error.
	All(ctx context.Context, q Query) iter.Seq2[Image, error]
}
