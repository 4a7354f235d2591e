// Package publication is about what members publish: publications and their
// nodes, the bundles that tie an original to its translations, and reading them
// in one's own language.
//
// Only what is published and not deleted is ever listed.
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

// BundleID numbers bundles: a bundle is a text in one language. Zero is none.
type BundleID int64

// NodeID numbers nodes. Zero is none.
type NodeID int64

// Type says how a publication is divided.
type Type int

// The types of the interface.
const (
	SingleChapter Type = 0
	MultiChapter  Type = 100
)

// Bundle is a text in one language and where it comes from.
type Bundle struct {
	ID            BundleID
	FirstOriginal BundleID // the original of all translations; zero, or itself: it is the original
	Original      BundleID // what it was translated from; zero: nothing
}

// IsOriginal says whether the bundle is no translation (PUB-03).
func (b Bundle) IsOriginal() bool { return b.FirstOriginal == 0 || b.FirstOriginal == b.ID }

// Content is what publications and nodes have in common.
type Content struct {
	Title     string
	Summary   string
	Cover     media.Picture // zero: none
	Author    user.ID
	Language  string          // BCP 47
	Category  feed.CategoryID // zero: none
	Published bool
	Deleted   bool
	Created   time.Time
	Updated   time.Time
}

// IsVisible says whether anybody may see it.
func (c Content) IsVisible() bool { return c.Published && !c.Deleted }

func (c Content) listing(kind feed.Kind, id int64) (feed.Listing, bool) {
	if !c.IsVisible() {
		return feed.Listing{}, false
	}
	return feed.Listing{Kind: kind, ID: id, Category: c.Category, Created: c.Created, Updated: c.Updated}, true
}

// Publication is a text that was published as a whole.
type Publication struct {
	ID     ID
	Bundle Bundle
	Node   NodeID
	Type   Type
	Content
}

// IsOrigin says whether the publication is among the origins: whatever is no
// translation, or a translation of what can't be seen (PUB-03).
func (p Publication) IsOrigin(originalVisible bool) bool {
	return p.Bundle.IsOriginal() || !originalVisible
}

// Listing says how the publication stands in the feed.
func (p Publication) Listing() (feed.Listing, bool) { return p.listing(feed.Publication, int64(p.ID)) }

// At is the publication with its cover at the address that it has now.
func (p Publication) At(address func(media.Key) string) (feed.Listable, bool) {
	if p.Cover.Key == "" {
		return nil, false
	}
	p.Cover = p.Cover.At(address)
	return p, true
}

// Node is a part of a text that stands in the feed by itself.
type Node struct {
	ID     NodeID
	Bundle BundleID // zero: none
	Content
}

// Listing says how the node stands in the feed.
func (n Node) Listing() (feed.Listing, bool) { return n.listing(feed.Node, int64(n.ID)) }

// At is the node with its cover at the address that it has now.
func (n Node) At(address func(media.Key) string) (feed.Listable, bool) {
	if n.Cover.Key == "" {
		return nil, false
	}
	n.Cover = n.Cover.At(address)
	return n, true
}

// Query says which publications are wanted.
type Query struct {
	Category   *feed.CategoryID // nil: any
	OriginOnly bool             // those that are IsOrigin
	Page       page.Request
}

// Repository lists publications. Every implementation passes test/ports.Publications.
type Repository interface {
	// List returns a page of the visible publications that the query wants, the
	// latest update first, ties by ascending id. A category that is not there has
	// none; whether an original is visible does not depend on its category.
	List(ctx context.Context, q Query) (page.Page[Publication], error)
}
