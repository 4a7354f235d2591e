// Package feed models the home feed: the tree of categories and the items listed
// under each.
//
// An item's Listing method decides whether and how the item is listed. Stores update
// the listing in the transaction that changes the item, so listings, counts and
// visibility always agree (FED-10).
package feed

import (
	"context"
	"time"

	"plaza/domain/fault"
	"plaza/domain/geo"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/user"
)

// Kind is a kind of item that can be listed.
type Kind string

// The kinds of the interface.
const (
	Node        Kind = "node"
	Publication Kind = "publication"
	Demand      Kind = "demand"
	Event       Kind = "xfile" // a public event
)

// CategoryID numbers categories. Zero stands for the uncategorised items, those
// without a category.
type CategoryID int64

// Category groups items of the feed under a name.
type Category struct {
	ID     CategoryID
	Parent CategoryID // zero: a root
	Name   string
	Slug   string
}

// Listing is an item's entry in the feed: its category, and the facts that sort and
// filter it.
type Listing struct {
	Kind     Kind
	ID       int64
	Category CategoryID // zero: uncategorised
	Created  time.Time
	Updated  time.Time
	Point    *geo.Point // nil: no location
}

// AtCursor returns the place of the item in its list, which is that of Compare (GEN-18).
func (l Listing) AtCursor() page.Cursor {
	return page.Cursor{Rank: l.Created.UnixMicro(), Word: string(l.Kind), ID: -l.ID}
}

// Categories finds categories of the tree. Every implementation passes
// test/ports.Categories.
type Categories interface {
	// ByIDs returns those of the ids that exist, under their ids. Unknown ids, and
	// zero, must be left out.
	ByIDs(ctx context.Context, ids []CategoryID) (map[CategoryID]Category, error)
}

// Listable is an item that can be listed.
type Listable interface {
	// Listing returns the item's listing, and whether the item is listed.
	Listing() (l Listing, listed bool)
}

// Covered is an item that may have a cover.
type Covered interface {
	Listable
	// At returns the item with the current address of its cover. It returns nil and
	// false if the cover has no key, because its address never changes.
	At(address func(media.Key) string) (Listable, bool)
}

// Item is an item on a page of the feed.
type Item struct {
	Listable
	Author   *user.Member    // of a demand; nil for other items, and if the author is unknown to user.Directory
	Distance *geo.Kilometres // from the centre of the selection's area; nil without one
}

// ResolveURLs sets the current address of the item's cover.
func (i *Item) ResolveURLs(address func(media.Key) string) {
	if covered, is := i.Listable.(Covered); is {
		if shown, changed := covered.At(address); changed {
			i.Listable = shown
		}
	}
}

// ErrNoCategory is the fault of a category that does not exist.
var ErrNoCategory = fault.New(fault.NotFound, "Category not found.")

// Version identifies a state of the categories and of the items of some kinds.
type Version int64

// Reader reads the feed. What it reads is never older than the version that the selection asks
// for. Every implementation passes test/ports.Feed.
type Reader interface {
	// Metas returns all categories, in any order, and the meta of the listings that the
	// selection admits in each category and among the uncategorised items (zero). A
	// meta without listings may be absent.
	Metas(ctx context.Context, s Selection) ([]Category, map[CategoryID]Meta, error)
	// Page returns a page of the items that the selection admits in the category, or
	// among the uncategorised items (zero), in the order of Compare. The selection must
	// have ItemKinds only. The total must be the count that Metas returns. Demands come with
	// their authors as user.Directory returns them at that moment. Page returns
	// ErrNoCategory if the category does not exist.
	Page(ctx context.Context, in CategoryID, s Selection, p page.Request) (page.Page[Item], error)
	// Card returns the listed item of the kind with the ID, without a distance. The kind must be one of ItemKinds. A
	// demand comes with its author as user.Directory returns them at that moment. The translations of a publication are
	// the listed publications whose bundle, or whose bundle's first original, is the original of its bundle; itself is
	// left out. Those of a node are all such publications for its bundle; a node without a bundle has none. They are
	// the first MaxTranslations by ascending ID. Card returns ErrNoItem if the item is not listed.
	Card(ctx context.Context, kind Kind, id int64) (Card, error)
	// Version returns the version of the categories and of the items of the kinds, which
	// must be ItemKinds. After a change of a category or of a listed item of the kinds it
	// must return a version that it has never returned for the kinds before. So what was
	// read after it returned a version is current for as long as it returns that version.
	Version(ctx context.Context, kinds []Kind) (Version, error)
}

// Card is one item with what a reader sees when they open it (FED-11).
type Card struct {
	Item
	HTML         markup.HTML   // the text of a publication or of a node; empty if none was imported, and for a demand
	Translations []Translation // of a publication or of a node, by ascending ID; none for a demand
}

// Translation is a publication that has the same original as an opened item.
type Translation struct {
	ID       int64
	Language string // BCP 47
	Title    string
}

// MaxTranslations is the maximum of translations of a card.
const MaxTranslations = 200

// ErrNoItem is the fault of an item that is not listed.
var ErrNoItem = fault.New(fault.NotFound, "Item not found.")
