// Package crawl is about what the crawler brings (ADM-04): records of categories,
// people, bundles, publications, nodes, demands, how-tos and news, each with the id
// that it has at its source.
//
// A record that comes again is stored in place of what it brought before. One that
// names another is stored when that one is there, be it later in the file, and never
// before; so whatever order records come in, what is stored at the end is the same.
package imported

import (
	"strconv"

	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/media"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// Kind is a kind of record.
type Kind string

// The kinds, in the order in which those of a batch are stored.
const (
	User        Kind = "user"
	Category    Kind = "category"
	Bundle      Kind = "bundle"
	Publication Kind = "publication"
	Node        Kind = "node"
	Demand      Kind = "demand"
	HowTo       Kind = "howto"
	News        Kind = "news"
)

// Kinds lists them, in their order.
func Kinds() []Kind {
	return []Kind{User, Category, Bundle, Publication, Node, Demand, HowTo, News}
}

// Ref names a record: its kind, and its id at the source. That of a how-to is its
// category and its robot.
type Ref struct {
	Kind Kind
	ID   string
}

// NumberRef names a record whose id is a number.
func NumberRef[N ~int64](k Kind, id N) Ref { return Ref{k, strconv.FormatInt(int64(id), 10)} }

// Need is another record that must be stored for a record to be stored, and the field
// that names it.
type Need struct {
	Field string
	Ref   Ref
}

// Record is one thing that the crawler brings, in keeping with the domain's rules: one
// of the types below. Whoever wrote it is known by their id at the source; the uid is
// for the store to fill in.
type Record interface {
	Ref() Ref
	// Needs are in the order of their fields in the record. A record that names itself
	// does not need itself.
	Needs() []Need
}

// CoverRecord is a record whose cover is in a file, which must be kept before the
// record is stored.
type CoverRecord interface {
	Record
	// CoverFile is the name of the file; empty: there is none.
	CoverFile() string
	// CoverSizes are the sizes that its cover is shown in.
	CoverSizes() []media.SizeSpec
	// WithCover is the record with the picture as its cover.
	WithCover(media.Picture) Record
}

// A UserRecord has an account that no password opens, until somebody gives it one.
type UserRecord struct {
	Source string
	Phone  user.Phone
	user.Member
}

// A CategoryRecord is a category.
type CategoryRecord struct{ feed.Category }

// A BundleRecord is a bundle.
type BundleRecord struct{ publication.Bundle }

// A PublicationRecord is a publication. Of its Bundle only the ID is known; the rest is what the
// bundle's own record says.
type PublicationRecord struct {
	publication.Publication
	By    string // who wrote it, by their id at the source
	cover string
}

// A NodeRecord is a node.
type NodeRecord struct {
	publication.Node
	By    string
	cover string
}

// A DemandRecord is a demand.
type DemandRecord struct {
	demand.Demand
	By    string
	cover string
}

// A HowToRecord is an imported how-to.
type HowToRecord struct {
	publication.HowTo
	By string // the robot
}

// A NewsRecord is an item of news.
type NewsRecord struct {
	Source string
	event.News
}

// Ref implements Record.
func (r UserRecord) Ref() Ref { return Ref{User, r.Source} }

// Ref implements Record.
func (r CategoryRecord) Ref() Ref { return NumberRef(Category, r.ID) }

// Ref implements Record.
func (r BundleRecord) Ref() Ref { return NumberRef(Bundle, r.ID) }

// Ref implements Record.
func (r PublicationRecord) Ref() Ref { return NumberRef(Publication, r.ID) }

// Ref implements Record.
func (r NodeRecord) Ref() Ref { return NumberRef(Node, r.ID) }

// Ref implements Record.
func (r DemandRecord) Ref() Ref { return NumberRef(Demand, r.ID) }

// Ref implements Record. No two pairs of a category and a robot have the same, whatever
// is in their names.
func (r HowToRecord) Ref() Ref { return Ref{HowTo, strconv.Quote(r.Category) + " " + r.By} }

// Ref implements Record.
func (r NewsRecord) Ref() Ref { return Ref{News, r.Source} }

// Needs implements Record: a person needs nobody.
func (UserRecord) Needs() []Need { return nil }

// Needs implements Record: news stand alone.
func (NewsRecord) Needs() []Need { return nil }

// Needs implements Record: its parent, unless it is a root.
func (r CategoryRecord) Needs() []Need { return number(nil, "parent", Category, r.Parent, r.ID) }

// Needs implements Record: what it is a translation of.
func (r BundleRecord) Needs() []Need {
	return number(number(nil, "first_original", Bundle, r.FirstOriginal, r.ID), "original", Bundle, r.Original, r.ID)
}

// Needs implements Record: its bundle, its author and its category. A node is only
// named.
func (r PublicationRecord) Needs() []Need {
	return written(number(nil, "bundle", Bundle, r.Bundle.ID, 0), r.By, r.Category)
}

// Needs implements Record: its bundle, its author and its category.
func (r NodeRecord) Needs() []Need {
	return written(number(nil, "bundle", Bundle, r.Bundle, 0), r.By, r.Category)
}

// Needs implements Record: its author and its category.
func (r DemandRecord) Needs() []Need { return written(nil, r.By, r.Category) }

// Needs implements Record: its robot and its bundles.
func (r HowToRecord) Needs() []Need {
	needs := []Need{{"robot", Ref{User, r.By}}}
	for _, bundle := range r.Bundles {
		needs = number(needs, "bundles", Bundle, bundle, 0)
	}
	return needs
}

// number adds the need of the numbered record, unless that is none or the record
// itself.
func number[N ~int64](needs []Need, field string, k Kind, id, itself N) []Need {
	if id == 0 || id == itself {
		return needs
	}
	return append(needs, Need{field, NumberRef(k, id)})
}

func written(needs []Need, by string, in feed.CategoryID) []Need {
	return number(append(needs, Need{"author", Ref{User, by}}), "category", Category, in, 0)
}

// CoverFile implements Illustrated.
func (r PublicationRecord) CoverFile() string { return r.cover }

// CoverFile implements Illustrated.
func (r NodeRecord) CoverFile() string { return r.cover }

// CoverFile implements Illustrated.
func (r DemandRecord) CoverFile() string { return r.cover }

// CoverSizes implements Illustrated.
func (r PublicationRecord) CoverSizes() []media.SizeSpec { return media.CoverSizes }

// CoverSizes implements Illustrated.
func (r NodeRecord) CoverSizes() []media.SizeSpec { return media.CoverSizes }

// CoverSizes implements Illustrated.
func (r DemandRecord) CoverSizes() []media.SizeSpec { return media.DemandCoverSizes }

// WithCover implements Illustrated.
func (r PublicationRecord) WithCover(p media.Picture) Record {
	r.Cover = p
	return r
}

// WithCover implements Illustrated.
func (r NodeRecord) WithCover(p media.Picture) Record {
	r.Cover = p
	return r
}

// WithCover implements Illustrated.
func (r DemandRecord) WithCover(p media.Picture) Record {
	r.Cover = p
	return r
}
