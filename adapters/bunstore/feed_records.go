package bunstore

import (
	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/media"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// recordRow is a row of a kind of records that the feed lists.
type recordRow interface {
	at() item
	record() feed.Listable
}

// recordFields are common to publications, nodes and demands.
type recordFields struct {
	ID         int64 `bun:",pk"`
	Title      string
	Cover      engine.Cover
	AuthorID   user.ID
	CategoryID feed.CategoryID `bun:",nullzero"`
	Published  bool
	Deleted    bool
	Created    engine.Time
	Updated    engine.Time
}

// contentFields are common to publications and nodes.
type contentFields struct {
	recordFields
	BundleID publication.BundleID `bun:",nullzero"`
	Summary  string
	Language string
}

func (r contentFields) content() publication.Content {
	return publication.Content{
		Title: r.Title, Summary: r.Summary, Cover: media.Picture(r.Cover), Author: r.AuthorID, Language: r.Language, Category: r.CategoryID,
		Published: r.Published, Deleted: r.Deleted, Created: r.Created.Time, Updated: r.Updated.Time,
	}
}

func contentFieldsOf(id int64, in publication.BundleID, c publication.Content) contentFields {
	return contentFields{
		recordFields: recordFields{
			ID: id, Title: c.Title, Cover: engine.Cover(c.Cover), AuthorID: c.Author, CategoryID: c.Category,
			Published: c.Published, Deleted: c.Deleted, Created: engine.At(c.Created), Updated: engine.At(c.Updated),
		},
		BundleID: in, Summary: c.Summary, Language: c.Language,
	}
}

// publicationFields are those of publications alone.
type publicationFields struct {
	FirstOriginalID publication.BundleID `bun:",nullzero"`
	OriginalID      publication.BundleID `bun:",nullzero"`
	NodeID          publication.NodeID   `bun:",nullzero"`
	Type            publication.Type
}

type publicationRow struct {
	bun.BaseModel `bun:"table:publications,alias:p"`
	contentFields
	publicationFields
}

func (r publicationRow) at() item { return item{feed.Publication, r.ID} }

func (r publicationRow) record() feed.Listable { return r.publication() }

func (r publicationRow) publication() publication.Publication {
	return publication.Publication{
		ID: publication.ID(r.ID), Node: r.NodeID, Type: r.Type, Content: r.content(),
		Bundle: publication.Bundle{ID: r.BundleID, FirstOriginal: r.FirstOriginalID, Original: r.OriginalID},
	}
}

func publicationRowOf(p publication.Publication) publicationRow {
	return publicationRow{
		contentFields: contentFieldsOf(int64(p.ID), p.Bundle.ID, p.Content),
		publicationFields: publicationFields{
			FirstOriginalID: p.Bundle.FirstOriginal, OriginalID: p.Bundle.Original, NodeID: p.Node, Type: p.Type,
		},
	}
}

type nodeRow struct {
	bun.BaseModel `bun:"table:nodes,alias:n"`
	contentFields
}

func (r nodeRow) at() item { return item{feed.Node, r.ID} }

func (r nodeRow) record() feed.Listable {
	return publication.Node{ID: publication.NodeID(r.ID), Bundle: r.BundleID, Content: r.content()}
}

// demandFields are those of demands alone.
type demandFields struct {
	Description string
	Tags        []string `bun:",array"`
	Images      []string `bun:",array"`
	Address     string
	Lat         *float64
	Lng         *float64
	Closed      engine.Time
	Starts      engine.Time
	Ends        engine.Time
}

type demandRow struct {
	bun.BaseModel `bun:"table:demands,alias:d"`
	recordFields
	demandFields
}

func (r demandRow) at() item { return item{feed.Demand, r.ID} }

func (r demandRow) record() feed.Listable {
	return demand.Demand{
		ID: demand.ID(r.ID), Title: r.Title, Description: r.Description, Tags: nilIfEmpty(r.Tags), Cover: media.Picture(r.Cover),
		Images: nilIfEmpty(r.Images), Author: r.AuthorID, Address: r.Address, Category: r.CategoryID, Place: pointOf(r.Lat, r.Lng),
		Closed: r.Closed.Time, Start: r.Starts.Time, End: r.Ends.Time,
		Published: r.Published, Deleted: r.Deleted, Created: r.Created.Time, Updated: r.Updated.Time,
	}
}

func demandRowOf(d demand.Demand) demandRow {
	r := demandRow{
		recordFields: recordFields{
			ID: int64(d.ID), Title: d.Title, Cover: engine.Cover(d.Cover), AuthorID: d.Author, CategoryID: d.Category,
			Published: d.Published, Deleted: d.Deleted, Created: engine.At(d.Created), Updated: engine.At(d.Updated),
		},
		demandFields: demandFields{
			Description: d.Description, Tags: d.Tags, Images: d.Images, Address: d.Address,
			Closed: engine.At(d.Closed), Starts: engine.At(d.Start), Ends: engine.At(d.End),
		},
	}
	if d.Place != nil {
		r.Lat, r.Lng = &d.Place.Lat, &d.Place.Lng
	}
	return r
}
