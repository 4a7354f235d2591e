package bunstore

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/media"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// contentColumns are common to publications and nodes.
func contentColumns[R any](of func(*R) *publication.Content) columns[R] {
	return columns[R]{
		plain("title", func(r *R) *string { return &of(r).Title }),
		plain("summary", func(r *R) *string { return &of(r).Summary }),
		picture("cover", func(r *R) *media.Picture { return &of(r).Cover }),
		plain("author_id", func(r *R) *int64 { return (*int64)(&of(r).Author) }),
		plain("language", func(r *R) *string { return &of(r).Language }),
		optional("category_id", func(r *R) *int64 { return (*int64)(&of(r).Category) }),
		plain("published", func(r *R) *bool { return &of(r).Published }),
		plain("deleted", func(r *R) *bool { return &of(r).Deleted }),
		moment("created", func(r *R) *time.Time { return &of(r).Created }),
		moment("updated", func(r *R) *time.Time { return &of(r).Updated }),
	}
}

var publicationTable = recordTable[publication.Publication]{table: table[publication.Publication]{"publications", 1, slices.Concat(
	columns[publication.Publication]{
		plain("id", func(p *publication.Publication) *int64 { return (*int64)(&p.ID) }),
		optional("bundle_id", func(p *publication.Publication) *int64 { return (*int64)(&p.Bundle.ID) }),
		optional("first_original_id", func(p *publication.Publication) *int64 { return (*int64)(&p.Bundle.FirstOriginal) }),
		optional("original_id", func(p *publication.Publication) *int64 { return (*int64)(&p.Bundle.Original) }),
		optional("node_id", func(p *publication.Publication) *int64 { return (*int64)(&p.Node) }),
		plain("type", func(p *publication.Publication) *int { return (*int)(&p.Type) }),
	},
	contentColumns(func(p *publication.Publication) *publication.Content { return &p.Content }),
)}}

var nodeTable = recordTable[publication.Node]{table: table[publication.Node]{"nodes", 1, slices.Concat(
	columns[publication.Node]{
		plain("id", func(n *publication.Node) *int64 { return (*int64)(&n.ID) }),
		optional("bundle_id", func(n *publication.Node) *int64 { return (*int64)(&n.Bundle) }),
	},
	contentColumns(func(n *publication.Node) *publication.Content { return &n.Content }),
)}}

var demandTable = recordTable[demand.Demand]{
	table: table[demand.Demand]{"demands", 1, slices.Concat(
		columns[demand.Demand]{
			plain("id", func(d *demand.Demand) *int64 { return (*int64)(&d.ID) }),
			plain("title", func(d *demand.Demand) *string { return &d.Title }),
			plain("description", func(d *demand.Demand) *string { return &d.Description }),
			list("tags", func(d *demand.Demand) *[]string { return &d.Tags }),
			picture("cover", func(d *demand.Demand) *media.Picture { return &d.Cover }),
			list("images", func(d *demand.Demand) *[]string { return &d.Images }),
			plain("author_id", func(d *demand.Demand) *int64 { return (*int64)(&d.Author) }),
			plain("address", func(d *demand.Demand) *string { return &d.Address }),
			optional("category_id", func(d *demand.Demand) *int64 { return (*int64)(&d.Category) }),
		},
		point(func(d *demand.Demand) **geo.Point { return &d.Place }),
		columns[demand.Demand]{
			moment("closed", func(d *demand.Demand) *time.Time { return &d.Closed }),
			moment("starts", func(d *demand.Demand) *time.Time { return &d.Start }),
			moment("ends", func(d *demand.Demand) *time.Time { return &d.End }),
			plain("published", func(d *demand.Demand) *bool { return &d.Published }),
			plain("deleted", func(d *demand.Demand) *bool { return &d.Deleted }),
			moment("created", func(d *demand.Demand) *time.Time { return &d.Created }),
			moment("updated", func(d *demand.Demand) *time.Time { return &d.Updated }),
		},
	)},
	read: func(d *demand.Demand) { d.Tags, d.Images = orNil(d.Tags), orNil(d.Images) },
}

// orNil returns the list, or nil if it is empty.
func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// recordTable is the table of a kind of records of the feed.
type recordTable[R feed.Listable] struct {
	table[R]
	read func(*R) // completes a scanned record; may be nil
}

// anyRecordTable is a recordTable of any kind.
type anyRecordTable interface {
	tableName() string
	names() []string
	list() string
	among(d dialect, column, parameter string) string
	update(also string) string
	// valuesOf returns the parameters that store the record.
	valuesOf(record feed.Listable, d dialect) []any
	// row returns the scan targets of a row, and a function that returns the scanned
	// record with its ID and makes room for the next one.
	row(d dialect) (targets []any, next func() (int64, feed.Listable))
}

// recordTables are the tables of all kinds that have pages.
var recordTables = map[feed.Kind]anyRecordTable{feed.Publication: publicationTable, feed.Node: nodeTable, feed.Demand: demandTable}

func (t recordTable[R]) tableName() string { return t.name }

func (t recordTable[R]) valuesOf(record feed.Listable, d dialect) []any {
	r := record.(R)
	return t.values(&r, d)
}

func (t recordTable[R]) row(d dialect) (targets []any, next func() (int64, feed.Listable)) {
	row := new(R)
	targets = t.targets(row, d)
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
func scanRecord(kind feed.Kind, scan scanner, d dialect) (id int64, record feed.Listable, err error) {
	targets, next := recordTables[kind].row(d)
	err = scan(targets...)
	id, record = next()
	return id, record, err
}

// pageShape describes how to read a page of listings of some kinds: the columns and
// joins of the statement, and the names of the columns.
type pageShape struct {
	columns, joins string
	kinds          []feed.Kind
	names          []string            // after the kind, which is a column if there are several
	positions      map[feed.Kind][]int // of the columns of a kind among the names
}

// pageShapeOf returns the shape of a page of listings, called page, of the kinds. Kinds
// share the columns that have the same name. Behind them a demand has its author.
func pageShapeOf(kinds ...feed.Kind) pageShape {
	s := pageShape{kinds: kinds, positions: map[feed.Kind][]int{}}
	having := map[string][]string{"id": {"page.id"}}
	for _, kind := range kinds {
		t, of, id := recordTables[kind], string(kind), "page.id"
		if len(kinds) > 1 { // so that a table is searched only for its own kind
			id = "CASE WHEN page.kind = '" + of + "' THEN page.id END"
		}
		s.joins += " LEFT JOIN " + t.tableName() + " " + of + " ON " + of + ".id = " + id
		for _, name := range t.names() {
			if !slices.Contains(s.names, name) {
				s.names = append(s.names, name)
			}
			s.positions[kind] = append(s.positions[kind], slices.Index(s.names, name))
			if name != "id" {
				having[name] = append(having[name], of+"."+name)
			}
		}
	}
	var columns []string
	if len(kinds) > 1 {
		columns = append(columns, "page.kind")
	}
	for _, name := range s.names {
		column := strings.Join(having[name], ", ")
		if len(having[name]) > 1 {
			column = "COALESCE(" + column + ")"
		}
		columns = append(columns, column)
	}
	if s.hasAuthors() {
		columns = append(columns, memberFields)
		s.joins += joinMember(string(feed.Demand) + ".author_id")
	}
	s.columns = strings.Join(columns, ", ")
	return s
}

// hasAuthors reports whether a page may have items that show more of their author than the ID.
func (s pageShape) hasAuthors() bool { return slices.Contains(s.kinds, feed.Demand) }

// reader returns a function that scans a row of the page: the total, and the item. It
// scans the columns of the row's own kind, and ignores the others.
func (s pageShape) reader(d dialect, total *int) func(scanner) (feed.Item, error) {
	first := min(len(s.kinds), 2) // index of the first column of the record
	var author user.Member
	var authorTargets []any
	if s.hasAuthors() {
		authorTargets = memberTargets(&author, d)
	}
	width := first + len(s.names) + len(authorTargets)
	read := map[feed.Kind]func(scanner) (feed.Item, error){}
	for _, kind := range s.kinds {
		own, next := recordTables[kind].row(d)
		targets := make([]any, width)
		targets[0] = total
		for i, position := range s.positions[kind] {
			targets[first+position] = own[i]
		}
		if kind == feed.Demand {
			copy(targets[first+len(s.names):], authorTargets)
		}
		read[kind] = func(scan scanner) (feed.Item, error) {
			err := scan(targets...)
			_, record := next()
			i := feed.Item{Listable: record}
			if kind == feed.Demand && author.ID != 0 {
				i.Author = new(author)
			}
			return i, err
		}
	}
	if len(s.kinds) == 1 {
		return read[s.kinds[0]]
	}
	var kind feed.Kind
	kindOnly := make([]any, width)
	kindOnly[1] = (*string)(&kind)
	return func(scan scanner) (feed.Item, error) {
		if err := scan(kindOnly...); err != nil {
			return feed.Item{}, err
		}
		if read[kind] == nil {
			return feed.Item{}, fmt.Errorf("%s has no pages", kind)
		}
		return read[kind](scan)
	}
}
