// Package imported models the records that the crawler delivers (ADM-04): users,
// categories, bundles, publications, nodes, demands, how-tos and news, each with its
// id at the source.
//
// A later record with the same id replaces the stored one. A record that names another
// is stored only once that one is stored, even if it follows later in the file. So the
// final result does not depend on the order of the records.
package imported

import (
	"strconv"

	"plaza/domain/demand"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/news"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// Kind is a kind of record.
type Kind string

// The kinds, in the order in which records of a batch are stored.
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

// Kinds returns all kinds in that order.
func Kinds() []Kind {
	return []Kind{User, Category, Bundle, Publication, Node, Demand, HowTo, News}
}

// Ref identifies a record by its kind and its id at the source. The id of a how-to is
// its category and its robot.
type Ref struct {
	Kind Kind
	ID   string
}

// NumberRef returns the Ref of a record with a numeric id.
func NumberRef[N ~int64](k Kind, id N) Ref { return Ref{k, strconv.FormatInt(int64(id), 10)} }

// Number returns the numeric id, or zero if the id is not a number.
func (r Ref) Number() int64 {
	id, err := strconv.ParseInt(r.ID, 10, 64)
	if err != nil || r.ID != strconv.FormatInt(id, 10) {
		return 0
	}
	return id
}

// Need is a record that must be stored before the record that names it, and the naming
// field.
type Need struct {
	Field string
	Ref   Ref
}

// Record is one imported record that satisfies the domain's rules: one of the types
// below. It names its author by the id at the source; the store fills in the uid.
type Record interface {
	Ref() Ref
	// Needs returns the needs in the order of their fields in the record. A record that
	// names itself does not need itself.
	Needs() []Need
}

// CoverRecord is a record that may have its cover in a file. The cover must be stored
// before the record.
type CoverRecord interface {
	Record
	// CoverFile returns the name of the file; empty: no file.
	CoverFile() string
	// CoverSizes returns the sizes of the cover.
	CoverSizes() []media.SizeSpec
	// WithCover returns the record with the picture as its cover.
	WithCover(media.Picture) Record
}

// A UserRecord is a user. The imported account has no password: a login fails until one
// is set.
type UserRecord struct {
	Source string
	Phone  user.Phone
	user.Member
}

// ExistingAccount is the part of a stored account that a UserRecord may conflict with.
type ExistingAccount struct {
	Source string // id at the source; empty: not imported
	Phone  user.Phone
}

// Problem returns the fields that conflict with stored accounts, or nil. Own is the
// user's own account, holder the account that has the phone number; nil is none.
func (r UserRecord) Problem(own, holder *ExistingAccount) fault.Fields {
	switch {
	case own != nil && own.Phone.IsErased():
		return fault.Fields{"username": {"The data of this user was erased. An import does not bring it back."}}
	case own != nil && own.Phone.E164() != r.Phone.E164():
		return fault.Fields{"username": {"This user has another phone number. An import does not change phone numbers."}}
	case own == nil && holder != nil && holder.Source != "":
		return fault.Fields{"username": {"Another imported user has this phone number."}}
	}
	return nil
}

// A CategoryRecord is a category.
type CategoryRecord struct{ feed.Category }

// A BundleRecord is a bundle.
type BundleRecord struct{ publication.Bundle }

// A PublicationRecord is a publication. Its Bundle has only the ID; the bundle's own
// record has the rest.
type PublicationRecord struct {
	publication.Publication
	HTML markup.HTML // the text, sanitised; empty: none
	By   string      // the author's id at the source
	coverFile
}

// A NodeRecord is a node.
type NodeRecord struct {
	publication.Node
	HTML markup.HTML // the text, sanitised; empty: none
	By   string
	coverFile
}

// A DemandRecord is a demand.
type DemandRecord struct {
	demand.Demand
	By string
	coverFile
}

// A HowToRecord is an imported how-to.
type HowToRecord struct {
	publication.HowTo
	By string // the robot's id at the source
}

// A NewsRecord is an item of news.
type NewsRecord struct {
	Source string
	news.Item
}

func (r UserRecord) Ref() Ref        { return Ref{User, r.Source} }
func (r CategoryRecord) Ref() Ref    { return NumberRef(Category, r.ID) }
func (r BundleRecord) Ref() Ref      { return NumberRef(Bundle, r.ID) }
func (r PublicationRecord) Ref() Ref { return NumberRef(Publication, r.ID) }
func (r NodeRecord) Ref() Ref        { return NumberRef(Node, r.ID) }
func (r DemandRecord) Ref() Ref      { return NumberRef(Demand, r.ID) }
func (r NewsRecord) Ref() Ref        { return Ref{News, r.Source} }

// Ref implements Record. Quoting the category makes the id unique for every pair of a
// category and a robot.
func (r HowToRecord) Ref() Ref { return Ref{HowTo, strconv.Quote(r.Category) + " " + r.By} }

func (UserRecord) Needs() []Need       { return nil }
func (NewsRecord) Needs() []Need       { return nil }
func (r CategoryRecord) Needs() []Need { return withNeed(nil, "parent", Category, r.Parent, r.ID) }
func (r DemandRecord) Needs() []Need   { return withAuthor(nil, r.By, r.Category) }

func (r BundleRecord) Needs() []Need {
	return withNeed(withNeed(nil, "first_original", Bundle, r.FirstOriginal, r.ID), "original", Bundle, r.Original, r.ID)
}

// Needs implements Record. The node need not be stored.
func (r PublicationRecord) Needs() []Need {
	return withAuthor(withNeed(nil, "bundle", Bundle, r.Bundle.ID, 0), r.By, r.Category)
}

func (r NodeRecord) Needs() []Need {
	return withAuthor(withNeed(nil, "bundle", Bundle, r.Bundle, 0), r.By, r.Category)
}

func (r HowToRecord) Needs() []Need {
	needs := []Need{{"robot", Ref{User, r.By}}}
	for _, bundle := range r.Bundles {
		needs = withNeed(needs, "bundles", Bundle, bundle, 0)
	}
	return needs
}

// withNeed appends the need of the record with the id, unless the id is zero or the
// record's own.
func withNeed[N ~int64](needs []Need, field string, k Kind, id, itself N) []Need {
	if id == 0 || id == itself {
		return needs
	}
	return append(needs, Need{field, NumberRef(k, id)})
}

func withAuthor(needs []Need, by string, in feed.CategoryID) []Need {
	return withNeed(append(needs, Need{"author", Ref{User, by}}), "category", Category, in, 0)
}

// coverFile is the name of a cover's file, or empty.
type coverFile string

func (f coverFile) CoverFile() string { return string(f) }

func (PublicationRecord) CoverSizes() []media.SizeSpec { return media.CoverSizes }
func (NodeRecord) CoverSizes() []media.SizeSpec        { return media.CoverSizes }
func (DemandRecord) CoverSizes() []media.SizeSpec      { return media.DemandCoverSizes }

func (r PublicationRecord) WithCover(p media.Picture) Record {
	r.Cover = p
	return r
}

func (r NodeRecord) WithCover(p media.Picture) Record {
	r.Cover = p
	return r
}

func (r DemandRecord) WithCover(p media.Picture) Record {
	r.Cover = p
	return r
}
