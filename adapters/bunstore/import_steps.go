package bunstore

import (
	"slices"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// importSteps are the statements of imports: what they read, and what they write.
type importSteps struct {
	// Stored state that a batch refers to.
	userIDs    string // $1 sources
	accounts   string // $1 sources
	holders    string // $1 telephones
	categories string // $1 ids
	tree       string
	bundles    string               // $1 ids
	records    map[feed.Kind]string // $1 ids
	howTos     string               // $1 categories, $2 sources of robots
	news       string               // $1 sources

	// Publications affected by changed bundles.
	publicationsOf string // $1 bundles
	visibleBundles string // $1 bundles, $2 excluded publications
	translations   string // $1 bundles

	// Changes of stored rows.
	updateUser     string // $1 source, then the columns
	adopt          string // $1 id, $2 source, $3 firstname, $4 lastname
	updateCategory string
	updateBundle   string
	updateRecord   map[feed.Kind]string
	updateHowTo    string
	updateNews     string
	putText        map[feed.Kind]string // $1 id, $2 html; returns the id of a changed text
	removeTexts    map[feed.Kind]string // $1 ids; returns those that had a text

	saveProgress string // $1 import, $2 progress
}

func newImportSteps(d engine.Dialect) importSteps {
	accounts := "SELECT id, " + accountColumns.List() + " FROM users WHERE "
	s := importSteps{
		userIDs:    "SELECT source, id FROM users WHERE " + d.Among("source", "$1") + " AND " + notErased,
		accounts:   accounts + d.Among("source", "$1"),
		holders:    accounts + d.Among(telephone, "$1"),
		categories: categoryTable.Among(d, "id", "$1"),
		tree:       "SELECT " + categoryTable.List() + " FROM categories",
		bundles:    bundleTable.Among(d, "id", "$1"),
		howTos: "SELECT u.source, " + howToTable.Of("h") + " FROM howtos h JOIN users u ON u.id = h.robot_id WHERE " +
			d.Among("h.category", "$1") + " AND " + d.Among("u.source", "$2"),
		news: newsTable.Among(d, "source", "$1"),

		publicationsOf: publicationTable.Among(d, "bundle_id", "$1"),
		visibleBundles: "SELECT DISTINCT bundle_id FROM publications WHERE " + d.Among("bundle_id", "$1") +
			" AND published AND NOT deleted AND NOT (" + d.Among("id", "$2") + ")",
		translations: publicationTable.Among(d, "first_original_id", "$1") + " AND published AND NOT deleted",

		updateUser:     "UPDATE users SET " + memberColumns.Set(2) + " WHERE source = $1",
		adopt:          "UPDATE users SET source = $2, adopted = true, firstname = $3, lastname = $4 WHERE id = $1",
		updateCategory: categoryTable.Update(", version = version + 1"),
		updateBundle:   bundleTable.Update(""), updateHowTo: howToTable.Update(""), updateNews: newsTable.Update(""),
		records: map[feed.Kind]string{}, updateRecord: map[feed.Kind]string{},

		saveProgress: "INSERT INTO imports (file, progress) VALUES ($1, $2) ON CONFLICT (file) DO UPDATE SET progress = EXCLUDED.progress",
	}
	for kind, t := range recordTables {
		s.records[kind], s.updateRecord[kind] = t.Among(d, "id", "$1"), t.Update("")
	}
	s.addTexts(d)
	return s
}

// listedKinds are the kinds of imported records that are listed.
var listedKinds = map[imported.Kind]feed.Kind{imported.Publication: feed.Publication, imported.Node: feed.Node, imported.Demand: feed.Demand}

var bundleTable = engine.Table[publication.Bundle]{Name: "bundles", Keys: 1, Columns: engine.Columns[publication.Bundle]{
	engine.Plain("id", func(b *publication.Bundle) *int64 { return (*int64)(&b.ID) }),
	engine.Optional("first_original_id", func(b *publication.Bundle) *int64 { return (*int64)(&b.FirstOriginal) }),
	engine.Optional("original_id", func(b *publication.Bundle) *int64 { return (*int64)(&b.Original) }),
}}

// account is a stored account, or a new one.
type account struct {
	source  string // empty unless imported
	phone   string
	parsed  user.Phone // the phone, of a stored account
	adopted bool
	user.Member
}

// accountColumns are the columns that imports read and add. accountBlanks are those that
// they add with the same value.
var (
	accountColumns = append(engine.Columns[account]{
		engine.Optional("source", func(a *account) *string { return &a.source }),
		engine.Plain("phone", func(a *account) *string { return &a.phone }),
		engine.Plain("adopted", func(a *account) *bool { return &a.adopted }),
	}, profileColumns(func(a *account) *user.Member { return &a.Member })...)
	accountBlanks = engine.Columns[account]{
		engine.Plain("password_hash", func(*account) *string { return new(string) }),
		engine.List("scopes", func(*account) *[]string { return new([]string) }),
		engine.Plain("staff", func(*account) *bool { return new(bool) }),
		engine.Plain("disabled", func(*account) *bool { return new(bool) }),
		engine.Plain("generation", func(*account) *int64 { return new(int64) }),
		engine.Plain("names_indexed", func(*account) *bool { return new(true) }),
	}
	newAccounts = engine.Table[account]{Name: "users", Keys: 1, Columns: slices.Concat(accountColumns, accountBlanks)}
)

// profileColumns are the columns of users that members see and imports change.
func profileColumns[R any](of func(*R) *user.Member) engine.Columns[R] {
	return engine.Columns[R]{
		engine.Plain("firstname", func(r *R) *string { return &of(r).Firstname }),
		engine.Plain("lastname", func(r *R) *string { return &of(r).Lastname }),
		engine.Plain("expertise", func(r *R) *string { return &of(r).Expertise }),
		engine.Plain("location", func(r *R) *string { return &of(r).Location }),
		engine.Plain("timezone", func(r *R) *string { return &of(r).Timezone }),
		engine.Instant("joined", func(r *R) *time.Time { return &of(r).Joined }),
	}
}

// memberColumns are those of profileColumns for a member alone.
var memberColumns = profileColumns(func(m *user.Member) *user.Member { return m })

// tableChanges are rows that a batch adds to a table, and steps that change others.
type tableChanges struct {
	added   [][]any
	changed []engine.Step
}

// put adds the row with the values, or changes it by the statement if it exists.
func (c *tableChanges) put(values []any, exists bool, update string) {
	if exists {
		c.changed = append(c.changed, engine.Step{Statement: update, Args: values})
	} else {
		c.added = append(c.added, values)
	}
}
