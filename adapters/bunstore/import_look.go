package bunstore

import (
	"slices"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/calendar"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/news"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// batchApply applies a batch. It holds the stored state of everything that the batch
// refers to.
type batchApply struct {
	s        *Store
	tx       *listedTransaction
	batch    imported.Batch
	outcomes []imported.Outcome

	uids          map[string]user.ID                // of the authors in the batch
	accounts      map[string]account                // by source
	holders       map[string]account                // by E164
	categoryByID  map[feed.CategoryID]feed.Category // all of them, if the batch has any
	bundles       map[publication.BundleID]publication.Bundle
	records       map[feed.Kind]map[int64]feed.Listable
	howTos        map[imported.Ref]publication.HowTo
	newsBySource  map[string]news.Item
	listings      []*feed.Listing // new listings
	hasCategories bool
}

func newBatchApply(s *Store, tx *listedTransaction, d imported.Batch) *batchApply {
	return &batchApply{
		s: s, tx: tx, batch: d,
		uids: map[string]user.ID{}, accounts: map[string]account{}, holders: map[string]account{},
		categoryByID: map[feed.CategoryID]feed.Category{}, bundles: map[publication.BundleID]publication.Bundle{},
		records: map[feed.Kind]map[int64]feed.Listable{feed.Publication: {}, feed.Node: {}, feed.Demand: {}},
		howTos:  map[imported.Ref]publication.HowTo{}, newsBySource: map[string]news.Item{},
	}
}

// references are all records that a batch refers to, including its own.
type references struct {
	authors, users, phones []string
	categories, bundles    []int64
	records                map[feed.Kind][]int64
	howTos, robots         []string
	news                   []string
}

func referencesIn(batch []imported.Record) references {
	n := references{records: map[feed.Kind][]int64{}}
	for _, record := range batch {
		ref := record.Ref()
		switch r := record.(type) {
		case imported.UserRecord:
			n.users, n.phones = append(n.users, r.Source), append(n.phones, r.Phone.E164())
		case imported.BundleRecord:
			n.bundles = append(n.bundles, int64(r.ID))
		case imported.PublicationRecord, imported.NodeRecord, imported.DemandRecord:
			kind := listedKinds[ref.Kind]
			n.records[kind] = append(n.records[kind], ref.Number())
		case imported.HowToRecord:
			n.howTos, n.robots = append(n.howTos, r.Category), append(n.robots, r.By)
		case imported.NewsRecord:
			n.news = append(n.news, r.Source)
		}
	}
	n.need(imported.NeedsOf(batch))
	return n
}

// need adds the refs of users, categories and bundles.
func (n *references) need(refs []imported.Ref) {
	for _, ref := range refs {
		switch ref.Kind {
		case imported.User:
			n.authors = append(n.authors, ref.ID)
		case imported.Category:
			n.categories = append(n.categories, ref.Number())
		case imported.Bundle:
			n.bundles = append(n.bundles, ref.Number())
		}
	}
}

// lookups returns the reads of the stored state of the references.
func (t *batchApply) lookups(n references) []engine.Step {
	w := t.s.steps
	var steps []engine.Step
	if t.hasCategories = t.anyCategories(); t.hasCategories {
		steps = append(steps, engine.Step{Statement: w.tree, Row: t.scanCategory})
	} else {
		steps = appendRead(t, steps, w.categories, n.categories, t.scanCategory)
	}
	steps = appendRead(t, steps, w.userIDs, n.authors, t.scanUser)
	steps = appendRead(t, steps, w.accounts, n.users, func(scan func(...any) error) error {
		a, err := t.scanAccount(scan)
		t.accounts[a.source] = a
		if !a.parsed.IsErased() {
			t.uids[a.source] = a.ID
		}
		return err
	})
	steps = appendRead(t, steps, w.holders, n.phones, func(scan func(...any) error) error {
		a, err := t.scanAccount(scan)
		t.holders[a.parsed.E164()] = a
		return err
	})
	steps = appendRead(t, steps, w.bundles, engine.Distinct(n.bundles), func(scan func(...any) error) error {
		b, err := bundleTable.Reader(t.s.Dialect)(scan)
		t.bundles[b.ID] = b
		return err
	})
	for kind, ids := range n.records {
		steps = appendRead(t, steps, w.records[kind], ids, func(scan func(...any) error) error {
			id, record, err := scanRecord(kind, scan, t.s.Dialect)
			t.records[kind][id] = record
			return err
		})
	}
	if len(n.howTos) > 0 {
		args := []any{t.s.Dialect.ListOf(engine.Distinct(n.howTos)), t.s.Dialect.ListOf(engine.Distinct(n.robots))}
		steps = append(steps, engine.Step{Statement: w.howTos, Args: args, Row: t.scanHowTo})
	}
	return appendRead(t, steps, w.news, n.news, func(scan func(...any) error) error {
		c, err := newsTable.Reader(t.s.Dialect)(scan)
		t.newsBySource[c.Source] = c.Item
		return err
	})
}

// appendRead appends the read for the values, if there are any.
func appendRead[T any](t *batchApply, steps []engine.Step, statement string, values []T, row func(scan func(...any) error) error) []engine.Step {
	if len(values) == 0 {
		return steps
	}
	return append(steps, engine.Step{Statement: statement, Args: []any{t.s.Dialect.ListOf(values)}, Row: row})
}

func (t *batchApply) scanHowTo(scan func(...any) error) error {
	var h imported.HowToRecord
	err := scan(howToTable.Targets(&h.HowTo, t.s.Dialect, &h.By)...)
	h.Bundles = nilIfEmpty(h.Bundles)
	t.howTos[h.Ref()] = h.HowTo
	return err
}

func (t *batchApply) anyCategories() bool {
	for _, record := range t.batch.Records {
		if _, is := record.(imported.CategoryRecord); is {
			return true
		}
	}
	return false
}

func (t *batchApply) scanCategory(scan func(...any) error) error {
	c, err := categoryTable.Reader(t.s.Dialect)(scan)
	t.categoryByID[c.ID] = c
	return err
}

func (t *batchApply) scanAccount(scan engine.Scanner) (a account, err error) {
	if err := scan(accountColumns.Targets(&a, t.s.Dialect, (*int64)(&a.ID))...); err != nil {
		return account{}, err
	}
	a.parsed, err = phoneOf(a.phone)
	return a, err
}

func (t *batchApply) scanUser(scan func(...any) error) error {
	var source string
	var id user.ID
	err := scan(&source, &id)
	t.uids[source] = id
	return err
}

// plan returns the indexes of the records that can be stored, by kind, each after the
// records that it needs. It sets the outcomes of the other records.
func (t *batchApply) plan() map[imported.Kind][]int {
	tree := map[feed.CategoryID]feed.CategoryID{}
	for id, c := range t.categoryByID {
		tree[id] = c.Parent
	}
	var all []int
	all, t.outcomes = imported.Decide(t.batch.Records, t.accountsOf, t.known(), tree)
	ready := map[imported.Kind][]int{}
	for _, i := range all {
		kind := t.batch.Records[i].Ref().Kind
		ready[kind] = append(ready[kind], i)
	}
	return ready
}

// known returns the refs of the users, categories and bundles that were read.
func (t *batchApply) known() map[imported.Ref]bool {
	known := map[imported.Ref]bool{}
	for source := range t.uids {
		known[imported.Ref{Kind: imported.User, ID: source}] = true
	}
	for id := range t.bundles {
		known[imported.NumberRef(imported.Bundle, id)] = true
	}
	for id := range t.categoryByID {
		known[imported.NumberRef(imported.Category, id)] = true
	}
	return known
}

// accountsOf returns the account of the user and the account that has the user's phone.
func (t *batchApply) accountsOf(p imported.UserRecord) (own, holder *imported.ExistingAccount) {
	if a, is := t.accounts[p.Source]; is {
		own = &imported.ExistingAccount{Source: a.source, Phone: a.parsed}
	}
	if a, is := t.holders[p.Phone.E164()]; is {
		holder = &imported.ExistingAccount{Source: a.source, Phone: a.parsed}
	}
	return own, holder
}

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

// newsColumns are the columns of news, after the ID and the source.
var newsColumns = engine.Columns[imported.NewsRecord]{
	engine.Plain("site_name", func(n *imported.NewsRecord) *string { return &n.SiteName }),
	engine.Plain("site_logo", func(n *imported.NewsRecord) *string { return &n.SiteLogo }),
	engine.Plain("url", func(n *imported.NewsRecord) *string { return &n.URL }),
	engine.Plain("title", func(n *imported.NewsRecord) *string { return &n.Title }),
	engine.Day("released", func(n *imported.NewsRecord) *calendar.Date { return &n.Released }),
	engine.Plain("html", func(n *imported.NewsRecord) *string { return (*string)(&n.HTML) }),
	engine.Plain("category", func(n *imported.NewsRecord) *string { return &n.Category }),
	engine.Plain("city", func(n *imported.NewsRecord) *string { return &n.City }),
	engine.Plain("district", func(n *imported.NewsRecord) *string { return &n.District }),
	engine.Plain("province", func(n *imported.NewsRecord) *string { return &n.Province }),
	engine.Plain("country", func(n *imported.NewsRecord) *string { return &n.Country }),
}

// newsTable is the table of news, which imports find by their source.
var newsTable = engine.Table[imported.NewsRecord]{Name: "news", Keys: 1, Columns: append(engine.Columns[imported.NewsRecord]{
	engine.Plain("source", func(n *imported.NewsRecord) *string { return &n.Source }),
}, newsColumns...)}
