package feed

import (
	"cmp"
	"context"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/publication"
	"plaza/domain/search"
	"plaza/domain/user"
)

// RecordRow is a row of a kind of records that the feed lists.
type RecordRow interface {
	key() int64
	Record() feed.Listable
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
	Hidden     bool
	Created    engine.Time
	Updated    engine.Time
}

func (r recordFields) key() int64 { return r.ID }

func (r *recordFields) fields() *recordFields { return r }

// hideable is a row that staff can hide.
type hideable interface{ fields() *recordFields }

// KeepHidden makes the row hidden if that which it replaces is: no import shows what staff have hidden (MOD-06). It returns the
// cover of that which an import never brings again.
func KeepHidden(row, old any) (former []string) {
	if row, is := row.(hideable); is {
		of := old.(hideable).fields()
		row.fields().Hidden = of.Hidden
		if key := of.Cover.Key; key != "" && key.For(media.Viewers) == key {
			former = []string{string(key)}
		}
	}
	return former
}

// Turn hides or restores the record, whose cover may move, lists it accordingly, and returns its author. It excludes imports, which
// read records before they change them.
func Turn[Row RecordRow](db *engine.DB, tx *engine.Tx, t moderation.Thing, isHidden bool, moves media.Moves) (user.ID, error) {
	tx.Lock(RecordsLock)
	read := func(row *Row) error { return tx.NewSelect().Model(row).Where("id = ?", t.ID).Scan(tx.Context()) }
	var old, next Row
	if err := read(&old); err != nil {
		return 0, engine.OrNotFound(err, feed.ErrNoItem)
	}
	if _, err := moderation.Turned(any(&old).(hideable).fields().Hidden, isHidden); err != nil {
		return 0, err
	}
	if err := cmp.Or(moveCover(tx, feed.Kind(t.Kind), t.ID, moves), read(&next)); err != nil {
		return 0, err
	}
	of := any(&next).(hideable).fields()
	of.Hidden = isHidden
	var turned Replacements
	turned.Replace(old.Record(), next.Record())
	engine.Update(tx, next)
	texts, err := Texts(tx.Context(), tx.NewSelect(), feed.Kind(t.Kind), t.ID)
	if err := cmp.Or(err, turned.RelistOrigins(tx), turned.Write(db, tx)); err != nil {
		return 0, err
	}
	return of.AuthorID, turned.ReindexTranslations(db, tx, []IndexedRecord{{next.Record(), search.EntryOf(next.Record(), texts[t.ID])}})
}

// ContentFields are common to publications and nodes.
type ContentFields struct {
	recordFields
	BundleID publication.BundleID `bun:",nullzero"`
	Summary  string
	Language string
}

func (r ContentFields) content() publication.Content {
	return publication.Content{
		Title: r.Title, Summary: r.Summary, Cover: media.Picture(r.Cover), Author: r.AuthorID, Language: r.Language, Category: r.CategoryID,
		Published: r.Published, Deleted: r.Deleted, Hidden: r.Hidden, Created: r.Created.Time, Updated: r.Updated.Time,
	}
}

func ContentFieldsOf(id int64, in publication.BundleID, c publication.Content) ContentFields {
	return ContentFields{
		recordFields: recordFields{
			ID: id, Title: c.Title, Cover: engine.Cover(c.Cover), AuthorID: c.Author, CategoryID: c.Category,
			Published: c.Published, Deleted: c.Deleted, Hidden: c.Hidden, Created: engine.At(c.Created), Updated: engine.At(c.Updated),
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

type PublicationRow struct {
	bun.BaseModel `bun:"table:publications,alias:p"`
	ContentFields
	publicationFields
}

func (r PublicationRow) Record() feed.Listable { return r.Publication() }

func (r PublicationRow) Publication() publication.Publication {
	return publication.Publication{
		ID: publication.ID(r.ID), Node: r.NodeID, Type: r.Type, Content: r.content(),
		Bundle: publication.Bundle{ID: r.BundleID, FirstOriginal: r.FirstOriginalID, Original: r.OriginalID},
	}
}

func PublicationRowOf(p publication.Publication) PublicationRow {
	return PublicationRow{
		ContentFields: ContentFieldsOf(int64(p.ID), p.Bundle.ID, p.Content),
		publicationFields: publicationFields{
			FirstOriginalID: p.Bundle.FirstOriginal, OriginalID: p.Bundle.Original, NodeID: p.Node, Type: p.Type,
		},
	}
}

type NodeRow struct {
	bun.BaseModel `bun:"table:nodes,alias:n"`
	ContentFields
}

func (r NodeRow) Record() feed.Listable {
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

type DemandRow struct {
	bun.BaseModel `bun:"table:demands,alias:d"`
	recordFields
	demandFields
}

func (r DemandRow) Record() feed.Listable {
	return demand.Demand{
		ID: demand.ID(r.ID), Title: r.Title, Description: r.Description, Cover: media.Picture(r.Cover), Author: r.AuthorID,
		Tags: append([]string(nil), r.Tags...), Images: append([]string(nil), r.Images...), // none are nil
		Address: r.Address, Category: r.CategoryID, Place: pointOf(r.Lat, r.Lng),
		Closed: r.Closed.Time, Start: r.Starts.Time, End: r.Ends.Time,
		Published: r.Published, Deleted: r.Deleted, Hidden: r.Hidden, Created: r.Created.Time, Updated: r.Updated.Time,
	}
}

func DemandRowOf(d demand.Demand) DemandRow {
	r := DemandRow{
		recordFields: recordFields{
			ID: int64(d.ID), Title: d.Title, Cover: engine.Cover(d.Cover), AuthorID: d.Author, CategoryID: d.Category,
			Published: d.Published, Deleted: d.Deleted, Hidden: d.Hidden, Created: engine.At(d.Created), Updated: engine.At(d.Updated),
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

// StoredRecord is a stored record, or the reason why it can't be read.
type StoredRecord struct {
	ID     int64
	Record feed.Listable
	Broken error
}

// SelectRecords reads records that are one row each.
func SelectRecords[Row RecordRow](ctx context.Context, query *bun.SelectQuery) ([]StoredRecord, error) {
	var rows []Row
	err := query.Model(&rows).Scan(ctx)
	return engine.Mapped(rows, func(row Row) StoredRecord { return StoredRecord{ID: row.key(), Record: row.Record()} }), err
}
