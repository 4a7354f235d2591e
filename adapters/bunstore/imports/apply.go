package imports

import (
	"reflect"
	"slices"
	"sync"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/diary"
	feedstore "plaza/adapters/bunstore/feed"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/markup"
	"plaza/domain/publication"
	"plaza/domain/search"
	"plaza/domain/user"
)

// batchApply applies a batch.
type batchApply struct {
	importState
	feedstore.Replacements
	db       *engine.DB
	tx       *engine.Tx
	batch    imported.Batch
	outcomes []imported.Outcome
	former   []string                // covers of replaced records, which no record may have any more
	ready    map[imported.Kind][]int // the indexes of the records that can be stored, each after those that it needs
	listable map[int]feed.Listable   // what of the ready records the feed lists, by their indexes
	entries  []*search.Entry         // what searches find of the records; nil: nothing
	entering sync.WaitGroup          // makes the entries
}

// storeRecords stores the ready records of the kind, each as the row that rowOf returns. It adds rows that are not stored yet, and
// changes others, unless they are the same. What is listed it lists.
func storeRecords[Record imported.Record, Row any](t *batchApply, kind imported.Kind, rowOf func(Record) Row) error {
	rows := make([]Row, len(t.ready[kind]))
	for n, i := range t.ready[kind] {
		rows[n] = rowOf(t.batch.Records[i].(Record))
	}
	stored, err := engine.Stored(t.tx, rows)
	if err != nil {
		return err
	}
	var added, changed []Row
	for n, i := range t.ready[kind] {
		row := &rows[n]
		old, has := stored[engine.KeyOf(t.db, row)]
		if has {
			t.former = append(t.former, feedstore.KeepHidden(row, &old)...)
		}
		if listed, is := any(*row).(feedstore.RecordRow); is {
			t.listable[i] = listed.Record()
		}
		switch {
		case !has:
			added = append(added, *row)
			t.replace(old, *row)
		case !reflect.DeepEqual(engine.Values(t.db, &old), engine.Values(t.db, row)):
			t.outcomes[i].Status = imported.Changed
			changed = append(changed, *row)
			t.replace(old, *row)
		default:
			t.outcomes[i].Status = imported.Same
		}
	}
	if err := engine.Insert(t.tx, added); err != nil {
		return err
	}
	engine.Update(t.tx, changed...)
	return nil
}

// replace lists the next row, if it is of a kind that the feed lists, in place of the old one.
func (t *batchApply) replace(old, next any) {
	if next, is := next.(feedstore.RecordRow); is {
		t.Replace(old.(feedstore.RecordRow).Record(), next.Record())
	}
}

// stored returns the indexes of the records of the kind that were new or have changed.
func (t *batchApply) stored(kind imported.Kind) []int {
	return slices.DeleteFunc(slices.Clone(t.ready[kind]), func(i int) bool { return t.outcomes[i].Status == imported.Same })
}

const (
	// updateUser changes what members see of the user $1: $2 first name, $3 last name, $4 expertise, $5 location, $6 timezone, $7
	// joined.
	updateUser = `
		UPDATE users SET firstname = $2, lastname = $3, expertise = $4, location = $5, timezone = $6, joined = $7
		WHERE id = $1 AND phone NOT LIKE 'erased-%'`

	// adoptUser makes the account $1 that of the user with the id $2 at the source: $3 first name, $4 last name.
	adoptUser = `
		UPDATE users SET source = $2, adopted = true, firstname = $3, lastname = $4
		WHERE id = $1 AND phone NOT LIKE 'erased-%'`
)

// userRecords stores users. One who had an account before gets new names only, and one whose profile is hidden nothing.
func (t *batchApply) userRecords() error {
	var added []importedUser
	var members []user.Member
	var sources []string
	for _, i := range t.ready[imported.User] {
		p := t.batch.Records[i].(imported.UserRecord)
		own, has := t.users[p.Source]
		holder, held := t.holders[p.Phone.E164()]
		next := p.Member
		if own.Adopted {
			next = own.member()
			next.Firstname, next.Lastname = p.Firstname, p.Lastname
		}
		switch next.ID = own.ID; {
		case has && (own.IsHidden || reflect.DeepEqual(next, own.member())):
			t.outcomes[i].Status = imported.Same
			continue
		case has:
			t.outcomes[i].Status = imported.Changed
			t.tx.Queue(updateUser, own.ID, next.Firstname, next.Lastname, next.Expertise, next.Location, next.Timezone, next.Joined)
		case held:
			if next.ID, t.users[p.Source] = holder.ID, holder; holder.IsHidden {
				next = holder.member()
			}
			t.tx.Queue(adoptUser, holder.ID, p.Source, next.Firstname, next.Lastname)
		default:
			added = append(added, importedUser{
				AccountRow: people.AccountRow{Phone: p.Phone.String()}, Firstname: next.Firstname, Lastname: next.Lastname,
				Expertise: next.Expertise, Location: next.Location, Timezone: next.Timezone, Joined: engine.At(next.Joined), Source: p.Source,
			})
		}
		members, sources = append(members, next), append(sources, p.Source)
	}
	if err := engine.Insert(t.tx, added); err != nil {
		return err
	}
	t.tx.Add(t.readUsers(t.db, sources, nil))
	if err := t.tx.Send(); err != nil {
		return err
	}
	var named []user.Member
	for i, m := range members {
		if u := t.users[sources[i]]; u.Source != "" && !u.phone.IsErased() { // else it was erased since it was found
			m.ID = u.ID
			named = append(named, m)
		}
	}
	return people.ReplacePrefixes(t.tx, named...)
}

func (t *batchApply) categoryRecords() error {
	err := storeRecords(t, imported.Category, func(r imported.CategoryRecord) feedstore.CategoryRow {
		return feedstore.CategoryRow{ID: r.ID, ParentID: r.Parent, Name: r.Name, Slug: r.Slug}
	})
	if len(t.stored(imported.Category)) > 0 {
		t.Changes.Total(feedstore.CategoryTree, 0)
	}
	return err
}

func (t *batchApply) nodeRecords() error {
	return storeRecords(t, imported.Node, func(r imported.NodeRecord) feedstore.NodeRow {
		r.Author = t.users[r.By].ID
		return feedstore.NodeRow{ContentFields: feedstore.ContentFieldsOf(int64(r.ID), r.Bundle, r.Content)}
	})
}

func (t *batchApply) demandRecords() error {
	return storeRecords(t, imported.Demand, func(r imported.DemandRecord) feedstore.DemandRow {
		r.Author = t.users[r.By].ID
		return feedstore.DemandRowOf(r.Demand)
	})
}

func (t *batchApply) howToRecords() error {
	return storeRecords(t, imported.HowTo, func(r imported.HowToRecord) feedstore.HowToRow {
		return feedstore.HowToRow{
			Category: r.Category, RobotID: t.users[r.By].ID,
			Bundles: engine.Mapped(r.Bundles, func(id publication.BundleID) int64 { return int64(id) }),
			Created: engine.At(r.Created), Updated: engine.At(r.Updated),
		}
	})
}

// newsRecordRow is a row of imported news, which has its id at the source.
type newsRecordRow struct {
	bun.BaseModel `bun:"table:news"`
	Source        string `bun:",pk"`
	diary.NewsFields
}

func (t *batchApply) newsRecords() error {
	return storeRecords(t, imported.News, func(r imported.NewsRecord) newsRecordRow {
		return newsRecordRow{Source: r.Source, NewsFields: diary.NewsFields{
			SiteName: r.SiteName, SiteLogo: r.SiteLogo, URL: r.URL, Title: r.Title, Released: engine.Date{Date: r.Released},
			HTML: r.HTML, Category: r.Category, City: r.City, District: r.District, Province: r.Province, Country: r.Country,
		}}
	})
}

const (
	// putPublicationText changes the text of the publication $1 to $2, and returns a row if that is another one.
	putPublicationText = `
		INSERT INTO publication_texts AS t (id, html) VALUES ($1, $2)
		ON CONFLICT (id) DO UPDATE SET html = EXCLUDED.html WHERE t.html <> EXCLUDED.html
		RETURNING id`

	// putNodeText is putPublicationText for nodes.
	putNodeText = `
		INSERT INTO node_texts AS t (id, html) VALUES ($1, $2)
		ON CONFLICT (id) DO UPDATE SET html = EXCLUDED.html WHERE t.html <> EXCLUDED.html
		RETURNING id`
)

// texts stores the texts of the publications and nodes, which are stored already, and removes those of records that
// have none. The database compares the texts, so that none of them is read. A record of which only the text
// has changed is a changed one.
func (t *batchApply) texts() error {
	for _, of := range []struct {
		kind               imported.Kind
		table, put, remove string // remove returns a row if there was a text
	}{
		{imported.Publication, "publication_texts", putPublicationText, "DELETE FROM publication_texts WHERE id = $1 RETURNING id"},
		{imported.Node, "node_texts", putNodeText, "DELETE FROM node_texts WHERE id = $1 RETURNING id"},
	} {
		var added [][]any
		for _, i := range t.ready[of.kind] {
			id, html := t.batch.Records[i].Ref().Number(), htmlOf(t.batch.Records[i])
			changed := func(func(...any) error) error {
				t.outcomes[i].Status = imported.Changed
				return nil
			}
			switch isNew := t.outcomes[i].Status == imported.New; {
			case isNew && html != "":
				added = append(added, []any{id, string(html)})
			case html != "":
				t.tx.Queue(of.put, id, html).Row = changed
			case !isNew:
				t.tx.Queue(of.remove, id).Row = changed
			}
		}
		if len(added) == 0 {
			continue
		}
		if err := t.tx.Copy(of.table, []string{"id", "html"}, added); err != nil {
			return err
		}
	}
	return nil
}

// words stores what the listed records that were new or have changed, or whose texts or bundles have, are found by, and the
// publications and nodes with the same originals.
func (t *batchApply) words() error {
	if err := t.tx.Send(); err != nil {
		return err
	}
	t.entering.Wait()
	var originals []publication.BundleID
	var records []feedstore.IndexedRecord
	for i, outcome := range t.outcomes {
		if outcome.Status == imported.Same {
			continue
		}
		if b, is := t.batch.Records[i].(imported.BundleRecord); is {
			originals = append(originals, t.bundle(b.ID).FirstOriginalID())
		}
		if record := t.listable[i]; record != nil {
			indexed := feedstore.IndexedRecord{Record: record}
			if _, isListed := record.Listing(); isListed { // no longer after staff have hidden it
				indexed.Entry = t.entries[i]
			}
			records = append(records, indexed)
			originals = append(originals, t.bundle(publication.BundleOf(record)).FirstOriginalID())
		}
	}
	return t.ReindexTranslations(t.db, t.tx, records, originals...)
}

// makeEntries makes the entries, which lack the titles of the translations.
func (t *batchApply) makeEntries() {
	t.entries = make([]*search.Entry, len(t.batch.Records))
	for i, record := range t.batch.Records {
		switch r := record.(type) {
		case imported.PublicationRecord:
			t.entries[i] = search.EntryOf(r.Publication, r.HTML)
		case imported.NodeRecord:
			t.entries[i] = search.EntryOf(r.Node, r.HTML)
		case imported.DemandRecord:
			t.entries[i] = search.EntryOf(r.Demand, "")
		}
	}
}

func htmlOf(record imported.Record) markup.HTML {
	switch r := record.(type) {
	case imported.PublicationRecord:
		return r.HTML
	case imported.NodeRecord:
		return r.HTML
	}
	return ""
}

// bundleRecords stores bundles, which publications name.
func (t *batchApply) bundleRecords() error {
	return storeRecords(t, imported.Bundle, func(r imported.BundleRecord) bundleRow {
		t.bundles[r.ID] = r.Bundle
		return bundleRow{ID: r.ID, FirstOriginalID: r.FirstOriginal, OriginalID: r.Original}
	})
}

// publicationRecords stores publications, and changes those of changed bundles.
func (t *batchApply) publicationRecords() error {
	err := storeRecords(t, imported.Publication, func(r imported.PublicationRecord) feedstore.PublicationRow {
		r.Author, r.Bundle = t.users[r.By].ID, t.bundle(r.Bundle.ID)
		return feedstore.PublicationRowOf(r.Publication)
	})
	if err != nil {
		return err
	}
	var rows []feedstore.PublicationRow
	changed := engine.Mapped(t.stored(imported.Bundle), func(i int) int64 { return t.batch.Records[i].Ref().Number() })
	if err := t.tx.NewSelect().Model(&rows).Where("bundle_id ?", engine.AnyOf(changed)).Scan(t.tx.Context()); err != nil {
		return err
	}
	for _, row := range rows {
		old, next := row.Publication(), row.Publication()
		if next.Bundle = t.bundle(row.BundleID); next.Bundle == old.Bundle {
			continue // of the batch
		}
		engine.Update(t.tx, feedstore.PublicationRowOf(next))
		t.Replace(old, next)
	}
	return t.RelistOrigins(t.tx)
}
