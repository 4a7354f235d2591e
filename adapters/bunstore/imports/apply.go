package imports

import (
	"reflect"
	"slices"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/diary"
	feedstore "plaza/adapters/bunstore/feed"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/imported"
	"plaza/domain/markup"
	"plaza/domain/publication"
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
	ready    map[imported.Kind][]int // the indexes of the records that can be stored, each after those that it needs
}

// storeRecords stores the ready records of the kind, each as the row that rowOf returns. It adds rows that are not stored yet, and
// changes others, unless they are the same, by the statement, whose parameters are the columns of the model. What is listed
// it lists.
func storeRecords[Record imported.Record, Row any](t *batchApply, kind imported.Kind, update string, rowOf func(Record) Row) error {
	rows := make([]Row, len(t.ready[kind]))
	for n, i := range t.ready[kind] {
		rows[n] = rowOf(t.batch.Records[i].(Record))
	}
	stored, err := engine.Stored(t.tx, rows)
	if err != nil {
		return err
	}
	var added []Row
	var changed [][]any
	for n, i := range t.ready[kind] {
		old, has := stored[engine.KeyOf(t.db, rows[n])]
		if !has {
			added = append(added, rows[n])
		} else if values := engine.Values(t.db, rows[n]); reflect.DeepEqual(engine.Values(t.db, old), values) {
			t.outcomes[i].Status = imported.Same
			continue
		} else {
			t.outcomes[i].Status = imported.Changed
			changed = append(changed, values)
		}
		if next, is := any(rows[n]).(feedstore.RecordRow); is {
			t.Replace(any(old).(feedstore.RecordRow).Record(), next.Record())
		}
	}
	if err := engine.Insert(t.tx, added); err != nil {
		return err
	}
	for _, values := range changed {
		t.tx.Add(engine.Step{Statement: update, Args: values})
	}
	return nil
}

// stored returns the indexes of the records of the kind that were new or have changed.
func (t *batchApply) stored(kind imported.Kind) []int {
	return slices.DeleteFunc(slices.Clone(t.ready[kind]), func(i int) bool { return t.outcomes[i].Status == imported.Same })
}

const (
	// updateUser changes what members see of the user $1.
	updateUser = `
		UPDATE users SET firstname = $2, lastname = $3, expertise = $4, location = $5, timezone = $6, joined = $7
		WHERE id = $1`

	// adoptUser makes the account $1 that of the user with the id $2 at the source: $3 first name, $4 last name.
	adoptUser = `
		UPDATE users SET source = $2, adopted = true, firstname = $3, lastname = $4
		WHERE id = $1`
)

// userRecords stores users. One who had an account before gets new names only.
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
		case has && reflect.DeepEqual(next, own.member()):
			t.outcomes[i].Status = imported.Same
			continue
		case has:
			t.outcomes[i].Status = imported.Changed
			t.tx.Queue(updateUser, own.ID, next.Firstname, next.Lastname, next.Expertise, next.Location, next.Timezone, next.Joined)
		case held:
			next.ID, t.users[p.Source] = holder.ID, holder
			t.tx.Queue(adoptUser, holder.ID, p.Source, p.Firstname, p.Lastname)
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
	if err := t.tx.Run(t.tx.Context(), t.readUsers(t.db, sources, nil)); err != nil {
		return err
	}
	for i, source := range sources {
		members[i].ID = t.users[source].ID
	}
	return people.ReplacePrefixes(t.tx, members...)
}

// updateCategory changes the category $1: $2 parent, $3 name, $4 slug.
const updateCategory = `
	UPDATE categories SET parent_id = $2, name = $3, slug = $4
	WHERE id = $1`

func (t *batchApply) categoryRecords() error {
	err := storeRecords(t, imported.Category, updateCategory, func(r imported.CategoryRecord) feedstore.CategoryRow {
		return feedstore.CategoryRow{ID: r.ID, ParentID: r.Parent, Name: r.Name, Slug: r.Slug}
	})
	if len(t.stored(imported.Category)) > 0 {
		t.Changes.Total(feedstore.CategoryTree, 0)
	}
	return err
}

// updateNode changes the node $1: $2 title, $3 cover, $4 author, $5 category, $6 whether it is published, $7 deleted, $8 created,
// $9 updated, $10 bundle, $11 summary, $12 language.
const updateNode = `
	UPDATE nodes SET title = $2, cover = $3, author_id = $4, category_id = $5, published = $6, deleted = $7, created = $8, updated = $9,
		bundle_id = $10, summary = $11, language = $12
	WHERE id = $1`

func (t *batchApply) nodeRecords() error {
	return storeRecords(t, imported.Node, updateNode, func(r imported.NodeRecord) feedstore.NodeRow {
		r.Author = t.users[r.By].ID
		return feedstore.NodeRow{ContentFields: feedstore.ContentFieldsOf(int64(r.ID), r.Bundle, r.Content)}
	})
}

// updateDemand changes the demand $1: $2 title, $3 cover, $4 author, $5 category, $6 whether it is published, $7 deleted, $8
// created, $9 updated, $10 description, $11 tags, $12 images, $13 address, $14 latitude, $15 longitude, $16 closed, $17 start, $18 end.
const updateDemand = `
	UPDATE demands SET title = $2, cover = $3, author_id = $4, category_id = $5, published = $6, deleted = $7, created = $8, updated = $9,
		description = $10, tags = $11, images = $12, address = $13, lat = $14, lng = $15, closed = $16, starts = $17, ends = $18
	WHERE id = $1`

func (t *batchApply) demandRecords() error {
	return storeRecords(t, imported.Demand, updateDemand, func(r imported.DemandRecord) feedstore.DemandRow {
		r.Author = t.users[r.By].ID
		return feedstore.DemandRowOf(r.Demand)
	})
}

// updateHowTo changes the how-to of the robot $2 in the category $1: $3 bundles, $4 created, $5 updated.
const updateHowTo = `
	UPDATE howtos SET bundles = $3, created = $4, updated = $5
	WHERE category = $1 AND robot_id = $2`

func (t *batchApply) howToRecords() error {
	return storeRecords(t, imported.HowTo, updateHowTo, func(r imported.HowToRecord) feedstore.HowToRow {
		return feedstore.HowToRow{
			Category: r.Category, RobotID: t.users[r.By].ID,
			Bundles: engine.Mapped(r.Bundles, func(id publication.BundleID) int64 { return int64(id) }),
			Created: engine.At(r.Created), Updated: engine.At(r.Updated),
		}
	})
}

// updateNews changes the news with the id $1 at the source: $2 and $3 name and logo of the site, $4 address, $5 title, $6 day, $7 HTML,
// $8 category, $9 city, $10 district, $11 province, $12 country.
const updateNews = `
	UPDATE news SET site_name = $2, site_logo = $3, url = $4, title = $5, released = $6, html = $7,
		category = $8, city = $9, district = $10, province = $11, country = $12
	WHERE source = $1`

// newsRecordRow is a row of imported news, which has its id at the source.
type newsRecordRow struct {
	bun.BaseModel `bun:"table:news"`
	Source        string `bun:",pk"`
	diary.NewsFields
}

func (t *batchApply) newsRecords() error {
	return storeRecords(t, imported.News, updateNews, func(r imported.NewsRecord) newsRecordRow {
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

func htmlOf(record imported.Record) markup.HTML {
	switch r := record.(type) {
	case imported.PublicationRecord:
		return r.HTML
	case imported.NodeRecord:
		return r.HTML
	}
	return ""
}
