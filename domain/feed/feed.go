// Package feed is about the home feed: the tree of categories, and what is
// listed under each.
//
// A thing is listed when, and as, its own Listing says. Stores keep the listings
// equal to that in the thing's own transaction, so what is listed, what is
// counted and what may be seen never disagree (FED-10).
package feed

import (
	"context"
	"time"

	"plaza/domain/fault"
	"plaza/domain/geo"
	"plaza/domain/media"
	"plaza/domain/page"
)

// Kind is a kind of thing that can be listed.
type Kind string

// The kinds of the interface.
const (
	Node        Kind = "node"
	Publication Kind = "publication"
	Demand      Kind = "demand"
	Xfile       Kind = "xfile" // a public event
)

// CategoryID numbers categories. Zero is none: the bucket of what has no
// category.
type CategoryID int64

// Category is a named shelf of the feed.
type Category struct {
	ID     CategoryID
	Parent CategoryID // zero: a root
	Name   string
	Slug   string
}

// Listing says under what a thing is listed, and what sorts and counts it there.
type Listing struct {
	Kind     Kind
	ID       int64
	Category CategoryID // zero: the bucket
	Created  time.Time
	Updated  time.Time
	Point    *geo.Point // nil: nowhere
}

// Categories finds categories of the tree. Every implementation passes
// test/ports.Categories.
type Categories interface {
	// ByIDs returns those of the ids that exist, under their ids. Unknown ids, and
	// zero, must be left out.
	ByIDs(ctx context.Context, ids []CategoryID) (map[CategoryID]Category, error)
}

// Listable is something that can be listed: it alone decides whether and how.
type Listable interface {
	Listing() (l Listing, listed bool)
}

// Covered is a thing that may have a cover.
type Covered interface {
	Listable
	// At is the thing with its cover at the address that it has now. False, and no
	// thing, when the cover is kept under no key: then nothing has to change.
	At(address func(media.Key) string) (Listable, bool)
}

// Item is a thing on a page of the feed.
type Item struct {
	Listable
	Distance *geo.Kilometres // from the centre of the selection's circle; nil without one
}

// Illustrate gives the thing's cover the address that it has now.
func (i *Item) Illustrate(address func(media.Key) string) {
	if covered, is := i.Listable.(Covered); is {
		if shown, changed := covered.At(address); changed {
			i.Listable = shown
		}
	}
}

// ErrNoCategory is the fault of a category that is not there.
var ErrNoCategory = fault.New(fault.NotFound, "There is no such category.")

// Reader shows what is listed. Every implementation passes test/ports.Feed.
type Reader interface {
	// Metas returns all categories, in no particular order, and the meta of what the
	// selection admits in each and in the bucket (zero); where that is nothing, it
	// may be left out.
	Metas(ctx context.Context, s Selection) ([]Category, map[CategoryID]Meta, error)
	// Page returns a page of what the selection, of ItemKinds alone, admits in the
	// category, or in the bucket (zero), ready to be shown, in the order of Compare.
	// Its total must be the count that Metas gives. ErrNoCategory when there is no
	// such category.
	Page(ctx context.Context, in CategoryID, s Selection, p page.Request) (page.Page[Item], error)
}
