package bunstore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/user"
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

// nilIfEmpty returns the list, or nil if it is empty.
func nilIfEmpty[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
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
		for _, name := range t.Names() {
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
func (s pageShape) reader(d engine.Dialect, total *int) func(engine.Scanner) (feed.Item, error) {
	first := min(len(s.kinds), 2) // index of the first column of the record
	var author user.Member
	var authorTargets []any
	if s.hasAuthors() {
		authorTargets = memberTargets(&author, d)
	}
	width := first + len(s.names) + len(authorTargets)
	read := map[feed.Kind]func(engine.Scanner) (feed.Item, error){}
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
		read[kind] = func(scan engine.Scanner) (feed.Item, error) {
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
	return func(scan engine.Scanner) (feed.Item, error) {
		if err := scan(kindOnly...); err != nil {
			return feed.Item{}, err
		}
		if read[kind] == nil {
			return feed.Item{}, fmt.Errorf("%s has no pages", kind)
		}
		return read[kind](scan)
	}
}

// Publications implements publication.Repository.
type Publications struct{ s *Store }

// Publications returns the repository of publications and nodes.
func (s *Store) Publications() Publications { return Publications{s} }

func (v Publications) List(ctx context.Context, q publication.Query) (page.Page[publication.Publication], error) {
	statement, args := v.s.hotReads.latest, []any{int64(q.Page.Size()), int64(q.Page.Offset())}
	if q.OriginOnly {
		statement = v.s.hotReads.latestOrigins
	}
	if q.Category != nil {
		statement, args = v.s.hotReads.latestOf, append(args, int64(*q.Category))
		if q.OriginOnly {
			statement = v.s.hotReads.latestOriginsOf
		}
	}
	p, err := v.s.feedPage(ctx, statement, args, pageShapes[feed.Publication], q.Page)
	return page.Map(p, func(i feed.Item) publication.Publication { return i.Listable.(publication.Publication) }), err
}

// HowTos implements publication.HowTos.
type HowTos struct{ s *Store }

// HowTos returns the repository of imported how-tos.
func (s *Store) HowTos() HowTos { return HowTos{s} }

var howToTable = engine.Table[publication.HowTo]{Name: "howtos", Keys: 2, Columns: engine.Columns[publication.HowTo]{
	engine.Plain("category", func(h *publication.HowTo) *string { return &h.Category }),
	engine.Plain("robot_id", func(h *publication.HowTo) *int64 { return (*int64)(&h.Robot) }),
	engine.List("bundles", func(h *publication.HowTo) *[]publication.BundleID { return &h.Bundles }),
	engine.Instant("created", func(h *publication.HowTo) *time.Time { return &h.Created }),
	engine.Instant("updated", func(h *publication.HowTo) *time.Time { return &h.Updated }),
}}

func (v HowTos) List(ctx context.Context, categories []string, r page.Request) (page.Page[publication.HowTo], error) {
	where, args := "", []any{int64(r.Size()), int64(r.Offset())}
	if len(categories) > 0 {
		where, args = " WHERE "+v.s.Dialect.Among("category", "$3"), append(args, v.s.Dialect.ListOf(categories))
	}
	statement := "SELECT (SELECT COUNT(*) FROM howtos" + where + "), " + howToTable.List() + " FROM howtos" + where +
		" ORDER BY created DESC, category, robot_id LIMIT CAST($1 AS bigint) OFFSET CAST($2 AS bigint)"
	return engine.ReadPage(ctx, v.s.DB, r, statement, args, func(total *int) func(engine.Scanner) (publication.HowTo, error) {
		return func(scan engine.Scanner) (h publication.HowTo, err error) {
			err = scan(howToTable.Targets(&h, v.s.Dialect, total)...)
			return h, err
		}
	})
}

// textTables are the tables of the texts of publications and nodes. Only an opened item and an export read them.
var textTables = map[feed.Kind]string{feed.Publication: "publication_texts", feed.Node: "node_texts"}

// textOf returns the expression of the text of a row of the kind's table; empty without one.
func textOf(kind feed.Kind) string {
	return "COALESCE((SELECT t.html FROM " + textTables[kind] + " t WHERE t.id = " + recordTables[kind].tableName() + ".id), '')"
}

// Card reads the item and its translations in one round trip.
func (v Feed) Card(ctx context.Context, kind feed.Kind, id int64) (feed.Card, error) {
	if _, known := v.s.hotReads.card[kind]; !known {
		kind, id = feed.Publication, 0 // no item has the number 0, and none of another kind can be opened
	}
	var cards []feed.Card
	var translations []feed.Translation
	err := v.s.Read(ctx, func(ctx context.Context) error {
		cards, translations = nil, nil
		steps := []engine.Step{{Statement: v.s.hotReads.card[kind], Args: []any{id}, Row: engine.Collect(&cards, cardReader(kind, v.s.Dialect))}}
		if others, has := v.s.hotReads.cardTranslations[kind]; has {
			steps = append(steps, engine.Step{Statement: others, Args: []any{id}, Row: engine.Collect(&translations, scanTranslation)})
		}
		return v.s.Dialect.Query(ctx, steps...)
	})
	switch {
	case err != nil:
		return feed.Card{}, err
	case len(cards) == 0:
		return feed.Card{}, feed.ErrNoItem
	}
	cards[0].Translations = translations
	return cards[0], nil
}

// cardReader returns a function that scans a row of cardStatement.
func cardReader(kind feed.Kind, d engine.Dialect) func(engine.Scanner) (feed.Card, error) {
	var total int
	item := pageShapes[kind].reader(d, &total)
	return func(scan engine.Scanner) (c feed.Card, err error) {
		c.Item, err = item(func(targets ...any) error {
			return scan(append(targets[:len(targets):len(targets)], (*string)(&c.HTML))...)
		})
		return c, err
	}
}

func scanTranslation(scan engine.Scanner) (t feed.Translation, err error) {
	err = scan(&t.ID, &t.Language, &t.Title)
	return t, err
}

// cardStatement returns the query for the listed item of the kind with the ID $1, as on a page of one item, and its
// text.
func cardStatement(kind feed.Kind) string {
	shape, text, joins := pageShapes[kind], "''", ""
	if table, has := textTables[kind]; has {
		text, joins = "COALESCE(t.html, '')", " LEFT JOIN "+table+" t ON t.id = page.id"
	}
	return "WITH page AS (SELECT id FROM feed_listings WHERE kind = '" + string(kind) + "' AND id = $1) SELECT CAST(1 AS bigint), " +
		shape.columns + ", " + text + " FROM page" + shape.joins + joins
}

// The original of the bundle of the publication, or the node, with the ID $1.
const (
	originalOfPublication = "SELECT COALESCE(first_original_id, bundle_id) AS id FROM publications WHERE id = $1"
	originalOfNode        = "SELECT COALESCE(b.first_original_id, b.id) AS id FROM nodes n JOIN bundles b ON b.id = n.bundle_id WHERE n.id = $1"
)

// cardTranslations returns the query for the visible publications of the original. The condition leaves out others.
func cardTranslations(d engine.Dialect, original, condition string) string {
	by := func(column string) string {
		return "SELECT p.id, p.language, p.title FROM original o " +
			d.LookUp("publications p", "p."+column+" = o.id AND p.published AND NOT p.deleted"+condition)
	}
	return "WITH original AS MATERIALIZED (" + original + ") SELECT id, language, title FROM (" + by("bundle_id") + " UNION " + by("first_original_id") +
		fmt.Sprintf(") t ORDER BY id LIMIT %d", feed.MaxTranslations)
}

// addCards builds the reads of opened items.
func (s *feedStatements) addCards(d engine.Dialect) {
	s.card = map[feed.Kind]string{}
	for _, kind := range feed.ItemKinds() {
		s.card[kind] = cardStatement(kind)
	}
	s.cardTranslations = map[feed.Kind]string{
		feed.Publication: cardTranslations(d, originalOfPublication, " AND p.id <> $1"),
		feed.Node:        cardTranslations(d, originalOfNode, ""),
	}
}
