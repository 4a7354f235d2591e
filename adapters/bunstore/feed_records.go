package bunstore

import (
	"slices"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/media"
	"plaza/domain/publication"
)

// contentColumns are common to publications and nodes.
func contentColumns[R any](of func(*R) *publication.Content) engine.Columns[R] {
	return engine.Columns[R]{
		engine.Plain("title", func(r *R) *string { return &of(r).Title }),
		engine.Plain("summary", func(r *R) *string { return &of(r).Summary }),
		engine.Picture("cover", func(r *R) *media.Picture { return &of(r).Cover }),
		engine.Plain("author_id", func(r *R) *int64 { return (*int64)(&of(r).Author) }),
		engine.Plain("language", func(r *R) *string { return &of(r).Language }),
		engine.Optional("category_id", func(r *R) *int64 { return (*int64)(&of(r).Category) }),
		engine.Plain("published", func(r *R) *bool { return &of(r).Published }),
		engine.Plain("deleted", func(r *R) *bool { return &of(r).Deleted }),
		engine.Instant("created", func(r *R) *time.Time { return &of(r).Created }),
		engine.Instant("updated", func(r *R) *time.Time { return &of(r).Updated }),
	}
}

var publicationTable = recordTable[publication.Publication]{
	Table: engine.Table[publication.Publication]{Name: "publications", Keys: 1, Columns: slices.Concat(
		engine.Columns[publication.Publication]{
			engine.Plain("id", func(p *publication.Publication) *int64 { return (*int64)(&p.ID) }),
			engine.Optional("bundle_id", func(p *publication.Publication) *int64 { return (*int64)(&p.Bundle.ID) }),
			engine.Optional("first_original_id", func(p *publication.Publication) *int64 { return (*int64)(&p.Bundle.FirstOriginal) }),
			engine.Optional("original_id", func(p *publication.Publication) *int64 { return (*int64)(&p.Bundle.Original) }),
			engine.Optional("node_id", func(p *publication.Publication) *int64 { return (*int64)(&p.Node) }),
			engine.Plain("type", func(p *publication.Publication) *int { return (*int)(&p.Type) }),
		},
		contentColumns(func(p *publication.Publication) *publication.Content { return &p.Content }),
	)},
}

var nodeTable = recordTable[publication.Node]{Table: engine.Table[publication.Node]{Name: "nodes", Keys: 1, Columns: slices.Concat(
	engine.Columns[publication.Node]{
		engine.Plain("id", func(n *publication.Node) *int64 { return (*int64)(&n.ID) }),
		engine.Optional("bundle_id", func(n *publication.Node) *int64 { return (*int64)(&n.Bundle) }),
	},
	contentColumns(func(n *publication.Node) *publication.Content { return &n.Content }),
)}}

var demandTable = recordTable[demand.Demand]{
	Table: engine.Table[demand.Demand]{Name: "demands", Keys: 1, Columns: slices.Concat(
		engine.Columns[demand.Demand]{
			engine.Plain("id", func(d *demand.Demand) *int64 { return (*int64)(&d.ID) }),
			engine.Plain("title", func(d *demand.Demand) *string { return &d.Title }),
			engine.Plain("description", func(d *demand.Demand) *string { return &d.Description }),
			engine.List("tags", func(d *demand.Demand) *[]string { return &d.Tags }),
			engine.Picture("cover", func(d *demand.Demand) *media.Picture { return &d.Cover }),
			engine.List("images", func(d *demand.Demand) *[]string { return &d.Images }),
			engine.Plain("author_id", func(d *demand.Demand) *int64 { return (*int64)(&d.Author) }),
			engine.Plain("address", func(d *demand.Demand) *string { return &d.Address }),
			engine.Optional("category_id", func(d *demand.Demand) *int64 { return (*int64)(&d.Category) }),
		},
		engine.Point(func(d *demand.Demand) **geo.Point { return &d.Place }),
		engine.Columns[demand.Demand]{
			engine.Instant("closed", func(d *demand.Demand) *time.Time { return &d.Closed }),
			engine.Instant("starts", func(d *demand.Demand) *time.Time { return &d.Start }),
			engine.Instant("ends", func(d *demand.Demand) *time.Time { return &d.End }),
			engine.Plain("published", func(d *demand.Demand) *bool { return &d.Published }),
			engine.Plain("deleted", func(d *demand.Demand) *bool { return &d.Deleted }),
			engine.Instant("created", func(d *demand.Demand) *time.Time { return &d.Created }),
			engine.Instant("updated", func(d *demand.Demand) *time.Time { return &d.Updated }),
		},
	)},
	read: func(d *demand.Demand) { d.Tags, d.Images = nilIfEmpty(d.Tags), nilIfEmpty(d.Images) },
}

// recordTable is the table of a kind of records of the feed.
type recordTable[R feed.Listable] struct {
	engine.Table[R]
	read func(*R) // completes a scanned record; may be nil
}

// anyRecordTable is a recordTable of any kind.
type anyRecordTable interface {
	tableName() string
	Names() []string
	List() string
	Among(d engine.Dialect, column, parameter string) string
	Update(also string) string
	// valuesOf returns the parameters that store the record.
	valuesOf(record feed.Listable, d engine.Dialect) []any
	// row returns the scan targets of a row, and a function that returns the scanned
	// record with its ID and makes room for the next one.
	row(d engine.Dialect) (targets []any, next func() (int64, feed.Listable))
}

// recordTables are the tables of all kinds that have pages.
var recordTables = map[feed.Kind]anyRecordTable{feed.Publication: publicationTable, feed.Node: nodeTable, feed.Demand: demandTable}

func (t recordTable[R]) tableName() string { return t.Name }

func (t recordTable[R]) valuesOf(record feed.Listable, d engine.Dialect) []any {
	r := record.(R)
	return t.Values(&r, d)
}

func (t recordTable[R]) row(d engine.Dialect) (targets []any, next func() (int64, feed.Listable)) {
	row := new(R)
	targets = t.Targets(row, d)
	id := targets[0].(*int64) // the key
	return targets, func() (int64, feed.Listable) {
		if t.read != nil {
			t.read(row)
		}
		at, record := *id, *row
		*row = *new(R) // no memory is shared with the next row
		return at, record
	}
}

// scanRecord scans a record of the kind.
func scanRecord(kind feed.Kind, scan engine.Scanner, d engine.Dialect) (id int64, record feed.Listable, err error) {
	targets, next := recordTables[kind].row(d)
	err = scan(targets...)
	id, record = next()
	return id, record, err
}

var categoryTable = engine.Table[feed.Category]{Name: "categories", Keys: 1, Columns: engine.Columns[feed.Category]{
	engine.Plain("id", func(c *feed.Category) *int64 { return (*int64)(&c.ID) }),
	engine.Optional("parent_id", func(c *feed.Category) *int64 { return (*int64)(&c.Parent) }),
	engine.Plain("name", func(c *feed.Category) *string { return &c.Name }),
	engine.Plain("slug", func(c *feed.Category) *string { return &c.Slug }),
}}

var howToTable = engine.Table[publication.HowTo]{Name: "howtos", Keys: 2, Columns: engine.Columns[publication.HowTo]{
	engine.Plain("category", func(h *publication.HowTo) *string { return &h.Category }),
	engine.Plain("robot_id", func(h *publication.HowTo) *int64 { return (*int64)(&h.Robot) }),
	engine.List("bundles", func(h *publication.HowTo) *[]publication.BundleID { return &h.Bundles }),
	engine.Instant("created", func(h *publication.HowTo) *time.Time { return &h.Created }),
	engine.Instant("updated", func(h *publication.HowTo) *time.Time { return &h.Updated }),
}}

// textTables are the tables of the texts of publications and nodes.
var textTables = map[feed.Kind]string{feed.Publication: "publication_texts", feed.Node: "node_texts"}

// textOf returns the expression of the text of a row of the kind's table; empty without one.
func textOf(kind feed.Kind) string {
	return "COALESCE((SELECT t.html FROM " + textTables[kind] + " t WHERE t.id = " + recordTables[kind].tableName() + ".id), '')"
}
