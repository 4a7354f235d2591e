package bunstore

import (
	"fmt"
	"slices"
	"strings"

	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// thing is a row of a page of the feed: a listing with all that is shown of what
// it lists. What a kind does not have stays zero.
type thing struct {
	kind     feed.Kind
	id       int64
	category feed.CategoryID
	created  moment
	updated  moment
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
	closed        moment
	starts, ends  moment
}

// thingTable is where things of a kind are kept, and its alias in hot reads.
type thingTable struct{ name, alias string }

var thingTables = map[feed.Kind]thingTable{
	feed.Publication: {"publications", "p"}, feed.Node: {"nodes", "n"}, feed.Demand: {"demands", "d"},
}

// thingColumn is a column that is shown, as it is called in the table of each
// kind that has it.
type thingColumn struct {
	publication, node, demand string
	into                      func(*thing, dialect) any
}

func (c thingColumn) of(kind feed.Kind) string {
	return map[feed.Kind]string{
		feed.Publication: c.publication, feed.Node: c.node, feed.Demand: c.demand,
	}[kind]
}

var thingColumns = []thingColumn{
	{"title", "title", "title", func(t *thing, _ dialect) any { return &t.title }},
	{"summary", "summary", "description", func(t *thing, _ dialect) any { return &t.text }},
	{"cover", "cover", "cover", func(t *thing, _ dialect) any { return &t.cover }},
	{"author_id", "author_id", "author_id", func(t *thing, _ dialect) any { return &t.author }},
	{"language", "language", "", func(t *thing, _ dialect) any { return orZeroText[string]{&t.language} }},
	{"bundle_id", "bundle_id", "", func(t *thing, _ dialect) any { return orZeroNumber[publication.BundleID]{&t.bundle} }},
	{"first_original_id", "", "", func(t *thing, _ dialect) any { return orZeroNumber[publication.BundleID]{&t.firstOriginal} }},
	{"original_id", "", "", func(t *thing, _ dialect) any { return orZeroNumber[publication.BundleID]{&t.original} }},
	{"node_id", "", "", func(t *thing, _ dialect) any { return orZeroNumber[publication.NodeID]{&t.node} }},
	{"type", "", "", func(t *thing, _ dialect) any { return orZeroNumber[publication.Type]{&t.division} }},
	{"", "", "tags", func(t *thing, d dialect) any { return d.list(&t.tags) }},
	{"", "", "images", func(t *thing, d dialect) any { return d.list(&t.images) }},
	{"", "", "address", func(t *thing, _ dialect) any { return orZeroText[string]{&t.address} }},
	{"", "", "closed", func(t *thing, _ dialect) any { return &t.closed }},
	{"", "", "starts", func(t *thing, _ dialect) any { return &t.starts }},
	{"", "", "ends", func(t *thing, _ dialect) any { return &t.ends }},
}

// listingColumns come first on every page.
const listingColumns = "page.kind, page.id, page.category_id, page.created, page.updated, page.lat, page.lng"

// thingsOf are the columns and joins that show what a page of listings, called
// page, lists of the kinds.
func thingsOf(kinds ...feed.Kind) (columns, joins string) {
	all := []string{listingColumns}
	for _, c := range thingColumns {
		var of []string
		for _, kind := range kinds {
			if name := c.of(kind); name != "" {
				of = append(of, thingTables[kind].alias+"."+name)
			}
		}
		switch len(of) {
		case 0:
		case 1:
			all = append(all, of[0])
		default:
			all = append(all, "COALESCE("+strings.Join(of, ", ")+")")
		}
	}
	for _, kind := range kinds {
		t, id := thingTables[kind], "page.id"
		if len(kinds) > 1 { // so that a table is only asked for what is of its kind
			id = "CASE WHEN page.kind = '" + string(kind) + "' THEN page.id END"
		}
		joins += " LEFT JOIN " + t.name + " " + t.alias + " ON " + t.alias + ".id = " + id
	}
	return strings.Join(all, ", "), joins
}

// destinations are where a row of the columns of thingsOf is scanned into.
func (t *thing) destinations(d dialect, kinds ...feed.Kind) []any {
	into := []any{
		&t.kind, &t.id, &t.category,
		&t.created, &t.updated, &t.lat, &t.lng,
	}
	for _, c := range thingColumns {
		if slices.ContainsFunc(kinds, func(kind feed.Kind) bool { return c.of(kind) != "" }) {
			into = append(into, c.into(t, d))
		}
	}
	return into
}

// thing is what the row shows.
func (t *thing) thing() (feed.Thing, error) {
	content := publication.Content{
		Title: t.title, Summary: t.text, Cover: t.cover.Picture, Author: t.author, Language: t.language,
		Category: t.category, Published: true, Created: t.created.Time, Updated: t.updated.Time,
	}
	switch t.kind {
	case feed.Publication, origins:
		return publication.Publication{
			ID: publication.ID(t.id), Node: t.node, Type: t.division, Content: content,
			Bundle: publication.Bundle{ID: t.bundle, FirstOriginal: t.firstOriginal, Original: t.original},
		}, nil
	case feed.Node:
		return publication.Node{ID: publication.NodeID(t.id), Bundle: t.bundle, Content: content}, nil
	case feed.Demand:
		return t.demand(), nil
	}
	return nil, fmt.Errorf("%s %d is listed, and nothing is known of its kind", t.kind, t.id)
}

func (t *thing) demand() demand.Demand {
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

// orNil is the list, but nil without anything in it.
func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}
