package bunstore

import (
	"fmt"
	"strings"

	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// feedRow is a row of a page of the feed, with everything that is shown. Fields that a
// kind does not have stay zero.
type feedRow struct {
	kind     feed.Kind
	id       int64
	category feed.CategoryID
	created  dbTime
	updated  dbTime
	lat, lng *float64

	title, text   string
	cover         cover
	author        user.ID
	language      string
	bundle        publication.BundleID
	firstOriginal publication.BundleID
	original      publication.BundleID
	node          publication.NodeID
	division      publication.Type
	tags, images  []string
	address       string
	closed        dbTime
	starts, ends  dbTime
}

// recordTable is the table of a kind, and its alias in hot reads.
type recordTable struct{ name, alias string }

var recordTables = map[feed.Kind]recordTable{
	feed.Publication: {"publications", "p"}, feed.Node: {"nodes", "n"}, feed.Demand: {"demands", "d"},
}

// recordColumn is a shown column, by its name in the table of each kind that has it.
type recordColumn struct {
	publication, node, demand string
	into                      func(*feedRow, dialect) any
}

func (c recordColumn) of(kind feed.Kind) string {
	return map[feed.Kind]string{
		feed.Publication: c.publication, feed.Node: c.node, feed.Demand: c.demand,
	}[kind]
}

var recordColumns = []recordColumn{
	{"category_id", "category_id", "category_id", func(t *feedRow, _ dialect) any { return orZeroNumber[feed.CategoryID]{&t.category} }},
	{"created", "created", "created", func(t *feedRow, _ dialect) any { return &t.created }},
	{"updated", "updated", "updated", func(t *feedRow, _ dialect) any { return &t.updated }},
	{"title", "title", "title", func(t *feedRow, _ dialect) any { return &t.title }},
	{"summary", "summary", "description", func(t *feedRow, _ dialect) any { return &t.text }},
	{"cover", "cover", "cover", func(t *feedRow, _ dialect) any { return &t.cover }},
	{"author_id", "author_id", "author_id", func(t *feedRow, _ dialect) any { return &t.author }},
	{"language", "language", "", func(t *feedRow, _ dialect) any { return orZeroText[string]{&t.language} }},
	{"bundle_id", "bundle_id", "", func(t *feedRow, _ dialect) any { return orZeroNumber[publication.BundleID]{&t.bundle} }},
	{"first_original_id", "", "", func(t *feedRow, _ dialect) any { return orZeroNumber[publication.BundleID]{&t.firstOriginal} }},
	{"original_id", "", "", func(t *feedRow, _ dialect) any { return orZeroNumber[publication.BundleID]{&t.original} }},
	{"node_id", "", "", func(t *feedRow, _ dialect) any { return orZeroNumber[publication.NodeID]{&t.node} }},
	{"type", "", "", func(t *feedRow, _ dialect) any { return orZeroNumber[publication.Type]{&t.division} }},
	{"", "", "tags", func(t *feedRow, d dialect) any { return d.list(&t.tags) }},
	{"", "", "images", func(t *feedRow, d dialect) any { return d.list(&t.images) }},
	{"", "", "address", func(t *feedRow, _ dialect) any { return orZeroText[string]{&t.address} }},
	{"", "", "lat", func(t *feedRow, _ dialect) any { return &t.lat }},
	{"", "", "lng", func(t *feedRow, _ dialect) any { return &t.lng }},
	{"", "", "closed", func(t *feedRow, _ dialect) any { return &t.closed }},
	{"", "", "starts", func(t *feedRow, _ dialect) any { return &t.starts }},
	{"", "", "ends", func(t *feedRow, _ dialect) any { return &t.ends }},
}

// pageShape describes how to read a page of listings of some kinds: the columns and joins
// of the statement, and the scan targets.
type pageShape struct {
	columns, joins string
	kinds          []feed.Kind
	into           []func(*feedRow, dialect) any
}

// pageShapeOf returns the shape of a page of listings, called page, of the kinds.
func pageShapeOf(kinds ...feed.Kind) pageShape {
	s := pageShape{kinds: kinds}
	columns := []string{"page.id"}
	if len(kinds) > 1 {
		columns = append(columns, "page.kind")
	}
	for _, c := range recordColumns {
		var of []string
		for _, kind := range kinds {
			if name := c.of(kind); name != "" {
				of = append(of, recordTables[kind].alias+"."+name)
			}
		}
		if len(of) == 0 {
			continue
		}
		column := of[0]
		if len(of) > 1 {
			column = "COALESCE(" + strings.Join(of, ", ") + ")"
		}
		columns, s.into = append(columns, column), append(s.into, c.into)
	}
	for _, kind := range kinds {
		t, id := recordTables[kind], "page.id"
		if len(kinds) > 1 { // so that a table is searched only for its own kind
			id = "CASE WHEN page.kind = '" + string(kind) + "' THEN page.id END"
		}
		s.joins += " LEFT JOIN " + t.name + " " + t.alias + " ON " + t.alias + ".id = " + id
	}
	s.columns = strings.Join(columns, ", ")
	return s
}

// targets returns the scan targets of the columns.
func (s pageShape) targets(t *feedRow, d dialect) []any {
	into := []any{&t.id}
	if len(s.kinds) > 1 {
		into = append(into, &t.kind)
	}
	for _, target := range s.into {
		into = append(into, target(t, d))
	}
	return into
}

// record returns the record of the row.
func (t *feedRow) record() (feed.Listable, error) {
	content := publication.Content{
		Title: t.title, Summary: t.text, Cover: t.cover.Picture, Author: t.author, Language: t.language,
		Category: t.category, Published: true, Created: t.created.Time, Updated: t.updated.Time,
	}
	switch t.kind {
	case feed.Publication:
		return publication.Publication{
			ID: publication.ID(t.id), Node: t.node, Type: t.division, Content: content,
			Bundle: publication.Bundle{ID: t.bundle, FirstOriginal: t.firstOriginal, Original: t.original},
		}, nil
	case feed.Node:
		return publication.Node{ID: publication.NodeID(t.id), Bundle: t.bundle, Content: content}, nil
	case feed.Demand:
		return t.demand(), nil
	}
	return nil, fmt.Errorf("listed %s %d has an unknown kind", t.kind, t.id)
}

func (t *feedRow) demand() demand.Demand {
	d := demand.Demand{
		ID: demand.ID(t.id), Title: t.title, Description: t.text, Tags: orNil(t.tags), Cover: t.cover.Picture,
		Images: orNil(t.images), Author: t.author, Address: t.address, Category: t.category,
		Closed: t.closed.Time, Start: t.starts.Time, End: t.ends.Time,
		Published: true, Created: t.created.Time, Updated: t.updated.Time,
	}
	if t.lat != nil && t.lng != nil {
		d.Place = &geo.Point{Lat: *t.lat, Lng: *t.lng}
	}
	return d
}

// orNil returns the list, or nil if it is empty.
func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}
