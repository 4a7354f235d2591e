// Package publication models publications and their nodes, the bundles that link
// originals to translations, and how-tos.
//
// Only published items that are neither deleted nor hidden are listed.
package publication

import (
	"context"
	"time"

	"plaza/domain/feed"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/user"
)

// ID numbers publications.
type ID int64

// BundleID numbers bundles. Zero is none.
type BundleID int64

// NodeID numbers nodes. Zero is none.
type NodeID int64

// Type is the chapter structure of a publication.
type Type int

// The types of the interface.
const (
	SingleChapter Type = 0
	MultiChapter  Type = 100
)

// Bundle is a text in one language, with the bundles that it was translated from.
type Bundle struct {
	ID            BundleID
	FirstOriginal BundleID // the original of all translations; zero or itself: this is the original
	Original      BundleID // the direct source of the translation; zero: none
}

// IsOriginal reports whether the bundle is an original, not a translation (PUB-03).
func (b Bundle) IsOriginal() bool { return b.FirstOriginal == 0 || b.FirstOriginal == b.ID }

// FirstOriginalID returns the bundle of the original of all translations: that of the bundle, or the bundle itself.
func (b Bundle) FirstOriginalID() BundleID {
	if b.FirstOriginal == 0 {
		return b.ID
	}
	return b.FirstOriginal
}

// Content holds the fields that publications and nodes share.
type Content struct {
	Title     string
	Summary   string
	Cover     media.Picture // zero: none
	Author    user.ID
	Language  string          // BCP 47
	Category  feed.CategoryID // zero: none
	Published bool
	Deleted   bool
	Hidden    bool // by staff (MOD-06)
	Created   time.Time
	Updated   time.Time
}

// IsVisible reports whether readers may see the item.
func (c Content) IsVisible() bool { return c.Published && !c.Deleted && !c.Hidden }

func (c Content) listing(kind feed.Kind, id int64) (feed.Listing, bool) {
	if !c.IsVisible() {
		return feed.Listing{}, false
	}
	return feed.Listing{Kind: kind, ID: id, Category: c.Category, Created: c.Created, Updated: c.Updated}, true
}

// Publication is a text that is published as a whole.
type Publication struct {
	ID     ID
	Bundle Bundle
	Node   NodeID
	Type   Type
	Content
}

// AtUpdate returns the place of the publication in the list of all, the latest update first, ties by ascending id (GEN-18).
func (p Publication) AtUpdate() page.Cursor { return page.At(p.Updated, -p.ID) }

// IsOrigin reports whether the publication counts as an origin: it is an original, or a
// translation whose original is not visible (PUB-03).
func (p Publication) IsOrigin(originalVisible bool) bool {
	return p.Bundle.IsOriginal() || !originalVisible
}

// Listing returns the publication's listing in the feed, and whether it is listed.
func (p Publication) Listing() (feed.Listing, bool) { return p.listing(feed.Publication, int64(p.ID)) }

// At implements feed.Covered.
func (p Publication) At(address func(media.Key) string) (feed.Listable, bool) {
	if p.Cover.Key == "" {
		return nil, false
	}
	p.Cover = p.Cover.At(address)
	return p, true
}

// Node is a part of a text that is listed in the feed separately.
type Node struct {
	ID     NodeID
	Bundle BundleID // zero: none
	Content
}

// Listing returns the node's listing in the feed, and whether it is listed.
func (n Node) Listing() (feed.Listing, bool) { return n.listing(feed.Node, int64(n.ID)) }

// At implements feed.Covered.
func (n Node) At(address func(media.Key) string) (feed.Listable, bool) {
	if n.Cover.Key == "" {
		return nil, false
	}
	n.Cover = n.Cover.At(address)
	return n, true
}

// BundleOf returns the bundle of a publication or node; zero: none.
func BundleOf(thing feed.Listable) BundleID {
	switch thing := thing.(type) {
	case Publication:
		return thing.Bundle.ID
	case Node:
		return thing.Bundle
	}
	return 0
}

// Query selects publications.
type Query struct {
	Category   *feed.CategoryID // nil: any
	OriginOnly bool             // only publications with IsOrigin
	Page       page.Request
}

// Repository lists publications. Every implementation passes test/ports.Publications.
type Repository interface {
	// List returns a page of the visible publications that the query wants, the
	// latest update first, ties by ascending id. An unknown category
	// has no publications. Whether an original is visible does not depend on its category.
	List(ctx context.Context, q Query) (page.Page[Publication], error)
}

// HowTo is a list of bundles that the crawler imported for a category under a robot's
// account (ADM-01).
type HowTo struct {
	Category string
	Robot    user.ID
	Bundles  []BundleID
	Created  time.Time
	Updated  time.Time
}

// AtCursor returns the place of the how-to in its list: the newest first, ties by category and robot (GEN-18).
func (h HowTo) AtCursor() page.Cursor {
	return page.Cursor{Rank: h.Created.UnixMicro(), Word: h.Category, ID: -int64(h.Robot)}
}

// HowTos lists imported how-tos. Every implementation passes test/ports.HowTos.
type HowTos interface {
	// List returns a page of the how-tos that the query selects, the newest first or in the order of its span, ties by
	// category, byte by byte, and robot.
	List(ctx context.Context, q HowToQuery, p page.Request) (page.Page[HowTo], error)
}

// HowToQuery selects how-tos.
type HowToQuery struct {
	Categories []string // empty: all
	page.Span           // of their creation
}
