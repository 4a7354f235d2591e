package feed

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
	"plaza/domain/markup"
	"plaza/domain/publication"
	"plaza/domain/search"
	"plaza/domain/user"
)

// putEntry stores an entry of the index of search: $1 kind, $2 id, $3 created, $4 author, $5 is private, $6 words with blanks between
// them. On SQLite an entry that was created at the same moment as another comes behind all of the second that follows.
var putEntry = engine.Text{
	Postgres: `
	INSERT INTO search_entries (kind, id, created, author_id, private, words)
		VALUES ($1, $2, $3, $4, $5, array_to_tsvector(string_to_array($6, ' ')))
	ON CONFLICT (kind, id) DO UPDATE SET created = EXCLUDED.created, author_id = EXCLUDED.author_id, private = EXCLUDED.private,
		words = EXCLUDED.words`,

	SQLite: `
	INSERT INTO search_entries AS s (place, kind, id, created, author_id, private, words) VALUES (
		CASE WHEN EXISTS (SELECT 1 FROM search_entries o WHERE o.place = $3 * 32 + 1)
			THEN (SELECT MAX(o.place) + 1 FROM search_entries o WHERE o.place BETWEEN $3 * 32 + 1 AND $3 * 32 + 32000000)
			ELSE $3 * 32 + 1 END,
		$1, $2, $3, $4, $5, $6)
	ON CONFLICT (kind, id) DO UPDATE SET created = EXCLUDED.created, author_id = EXCLUDED.author_id, private = EXCLUDED.private,
		words = EXCLUDED.words, place = CASE s.created WHEN EXCLUDED.created THEN s.place ELSE EXCLUDED.place END`,
}

// putEntries is putEntry for many: $1 are kinds, $2 ids, $3 creations in microseconds since 1970, $4 authors, $5 are private, $6 words.
// A statement for each takes twice as long. SQLite, where no statement has a way to go, has none. An interval is multiplied as a float,
// which has no microseconds of far years: those of a day it has.
var putEntries = engine.Text{Postgres: `
	INSERT INTO search_entries (kind, id, created, author_id, private, words)
	SELECT e.kind, e.id, TIMESTAMPTZ 'epoch' + e.micros / 86400000000 * INTERVAL '24 hours' + e.micros % 86400000000 * INTERVAL '1 microsecond',
		e.author, e.private,
		array_to_tsvector(string_to_array(e.words, ' '))
	FROM unnest(CAST($1 AS text[]), CAST($2 AS bigint[]), CAST($3 AS bigint[]), CAST($4 AS bigint[]), CAST($5 AS boolean[]),
		CAST($6 AS text[])) AS e (kind, id, micros, author, private, words)
	ON CONFLICT (kind, id) DO UPDATE SET created = EXCLUDED.created, author_id = EXCLUDED.author_id, private = EXCLUDED.private,
		words = EXCLUDED.words`}

// Index queues what stores the entries. Nil is none.
func Index(db *engine.DB, tx *engine.Tx, entries []*search.Entry) {
	entries = slices.DeleteFunc(entries, func(e *search.Entry) bool { return e == nil })
	statement := db.Pick(putEntries)
	if statement == "" || len(entries) == 0 {
		for _, e := range entries {
			Reindex(db, tx, nil, e)
		}
		return
	}
	tx.Queue(statement, engine.Mapped(entries, func(e *search.Entry) feed.Kind { return e.Kind }),
		engine.Mapped(entries, func(e *search.Entry) int64 { return e.ID }),
		engine.Mapped(entries, func(e *search.Entry) int64 { return e.Created.UnixMicro() }),
		engine.Mapped(entries, func(e *search.Entry) user.ID { return e.Author }),
		engine.Mapped(entries, func(e *search.Entry) bool { return e.IsPrivate }),
		engine.Mapped(entries, func(e *search.Entry) string { return strings.Join(e.Words, " ") }))
}

// Reindex queues the statement that replaces the old entry in the index of search by the next one, unless that is the same; nil
// means no entry.
func Reindex(db *engine.DB, tx *engine.Tx, old, next *search.Entry) {
	switch {
	case search.IsSame(old, next):
	case next == nil:
		Unindex(tx, old.Kind, old.ID)
	default:
		tx.Queue(db.Pick(putEntry), next.Kind, next.ID, next.Created, next.Author, next.IsPrivate, strings.Join(next.Words, " "))
	}
}

// Unindex queues the statement that removes the entry from the index of search.
func Unindex(tx *engine.Tx, kind feed.Kind, id int64) {
	tx.Queue("DELETE FROM search_entries WHERE kind = $1 AND id = $2", kind, id)
}

// Texts returns the texts of those of the publications or nodes that have one, by id.
func Texts(ctx context.Context, query *bun.SelectQuery, kind feed.Kind, ids ...int64) (map[int64]markup.HTML, error) {
	table := map[feed.Kind]string{feed.Publication: "publication_texts", feed.Node: "node_texts"}[kind]
	found := map[int64]markup.HTML{}
	if table == "" {
		return found, nil
	}
	var rows []struct {
		ID   int64
		HTML markup.HTML `bun:"html"`
	}
	err := query.Table(table).Column("id", "html").Where("id ?", engine.AnyOf(ids)).Scan(ctx, &rows)
	for _, row := range rows {
		found[row.ID] = row.HTML
	}
	return found, err
}

// ofOriginals selects the visible publications with the originals, by ascending id.
func ofOriginals(query *bun.SelectQuery, originals []publication.BundleID) *bun.SelectQuery {
	all := engine.AnyOf(originals)
	return query.Where("published AND NOT deleted AND NOT hidden").Where("bundle_id ? OR first_original_id ?", all, all).Order("id")
}

// Names returns the function that returns the names of those of the records that are publications or nodes (SRC-01): the titles of
// the visible publications with the same original, as many as a card shows.
func Names(ctx context.Context, query func() *bun.SelectQuery, records []feed.Listable) (func(feed.Listable) []string, error) {
	originals := map[publication.BundleID]publication.BundleID{} // of bundles
	for _, r := range records {
		originals[publication.BundleOf(r)] = 0
	}
	var bundles []struct{ ID, Original publication.BundleID }
	err := query().Table("bundles").Column("id").ColumnExpr("COALESCE(first_original_id, id) AS original").
		Where("id ?", engine.AnyOf(slices.Collect(maps.Keys(originals)))).Scan(ctx, &bundles)
	if err != nil {
		return nil, err
	}
	for _, b := range bundles {
		originals[b.ID] = b.Original
	}
	var rows []PublicationRow
	err = ofOriginals(query().Model(&rows).Column("bundle_id", "first_original_id", "title"), slices.Collect(maps.Values(originals))).Scan(ctx)
	names := map[publication.BundleID][]string{} // by originals
	for _, p := range rows {
		for _, original := range slices.Compact([]publication.BundleID{p.BundleID, p.FirstOriginalID}) {
			if has := names[original]; len(has) <= feed.MaxTranslations { // and its own title
				names[original] = append(has, p.Title)
			}
		}
	}
	delete(names, 0)
	return func(thing feed.Listable) []string { return names[originals[publication.BundleOf(thing)]] }, err
}

// IndexedRecord is a publication, a node or a demand with its entry, which lacks the titles of its translations.
type IndexedRecord struct {
	Record feed.Listable
	Entry  *search.Entry
}

// ReindexTranslations queues what stores the entries of the records, and of all other visible publications and nodes whose original is
// one of these, or was or is that of a replaced publication.
func (b *Replacements) ReindexTranslations(db *engine.DB, tx *engine.Tx, records []IndexedRecord, originals ...publication.BundleID) error {
	for _, r := range b.publications {
		originals = append(originals, r.old.Bundle.ID, r.old.Bundle.FirstOriginal, r.next.Bundle.ID, r.next.Bundle.FirstOriginal)
	}
	slices.Sort(originals)
	others, err := otherTranslations(tx, records, slices.Compact(originals))
	if err != nil {
		return err
	}
	records = append(records, others...)
	names, err := Names(tx.Context(), tx.NewSelect, engine.Mapped(records, func(r IndexedRecord) feed.Listable { return r.Record }))
	if err != nil {
		return err
	}
	Index(db, tx, engine.Mapped(records, func(r IndexedRecord) *search.Entry { return r.Entry.Named(names(r.Record)...) }))
	return nil
}

// otherTranslations returns the visible publications and nodes with the originals that are not among the records.
func otherTranslations(tx *engine.Tx, records []IndexedRecord, originals []publication.BundleID) (others []IndexedRecord, err error) {
	known, all := map[feed.Kind][]int64{}, engine.AnyOf(originals)
	for _, r := range records {
		l, _ := r.Record.Listing()
		known[l.Kind] = append(known[l.Kind], l.ID)
	}
	for kind, read := range map[feed.Kind]func() ([]StoredRecord, error){
		feed.Publication: func() ([]StoredRecord, error) {
			return SelectRecords[PublicationRow](tx.Context(), ofOriginals(tx.NewSelect(), originals).
				Where("NOT id ?", engine.AnyOf(known[feed.Publication])))
		},
		feed.Node: func() ([]StoredRecord, error) {
			return SelectRecords[NodeRow](tx.Context(), tx.NewSelect().Where("published AND NOT deleted AND NOT hidden").
				Where("bundle_id IN (SELECT id FROM bundles WHERE id ? OR first_original_id ?)", all, all).
				Where("NOT id ?", engine.AnyOf(known[feed.Node])))
		},
	} {
		stored, err := read()
		if err != nil {
			return nil, err
		}
		texts, err := Texts(tx.Context(), tx.NewSelect(), kind, engine.Mapped(stored, func(r StoredRecord) int64 { return r.ID })...)
		if err != nil {
			return nil, err
		}
		for _, r := range stored {
			others = append(others, IndexedRecord{r.Record, search.EntryOf(r.Record, texts[r.ID])})
		}
	}
	return others, nil
}

// entryRow is an entry of the index of search.
type entryRow struct {
	bun.BaseModel `bun:"table:search_entries,alias:s"`
	Kind          feed.Kind `bun:",pk"`
	ID            int64     `bun:",pk"`
	Created       engine.Time
	AuthorID      user.ID
	IsPrivate     bool `bun:"private"`
	Words         string
}

// Entries returns the entries of those with the ids that have one, and the texts of publications and nodes, by id.
func Entries(ctx context.Context, db *engine.DB, query func() *bun.SelectQuery, kind feed.Kind, ids []int64) (
	entries map[int64]*search.Entry, texts map[int64]markup.HTML, err error,
) {
	var rows []entryRow
	words := db.Pick(engine.Text{Postgres: "array_to_string(tsvector_to_array(words), ' ')", SQLite: "words"})
	err = query().Model(&rows).Column("kind", "id", "created", "author_id", "private").ColumnExpr("? AS words", bun.Safe(words)).
		Where("kind = ? AND id ?", kind, engine.AnyOf(ids)).Scan(ctx)
	entries = make(map[int64]*search.Entry, len(rows))
	for _, r := range rows {
		has := strings.Fields(r.Words)
		slices.Sort(has) // a database may have them in another order
		entries[r.ID] = &search.Entry{Kind: r.Kind, ID: r.ID, Created: r.Created.Time, Author: r.AuthorID, IsPrivate: r.IsPrivate, Words: has}
	}
	if err == nil {
		texts, err = Texts(ctx, query(), kind, ids...)
	}
	return entries, texts, err
}
