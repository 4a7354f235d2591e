package ports

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/news"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// Imports is the suite of imported.Imports, and of the feed that it keeps.
func Imports(t *testing.T, open Open) {
	for _, part := range [][]promise{importsKinds, importsUsers, importsNeeds, importsSteps} {
		open.keeps(t, part)
	}
}

// importer brings records in.
type importer struct {
	*fixtures
	name string
}

func (w *fixtures) importer(name string) *importer { return &importer{w, name} }

func (c *importer) apply(records ...imported.Record) []imported.Outcome {
	c.Helper()
	return c.applyAt("", records...)
}

// applyAt applies the records with the progress.
func (c *importer) applyAt(progress string, records ...imported.Record) []imported.Outcome {
	c.Helper()
	outcomes, err := c.Imports.Apply(c.Context(), imported.Batch{Import: c.name, Records: records, Progress: []byte(progress)})
	require.NoError(c, err)
	require.Len(c, outcomes, len(records))
	return outcomes
}

// importAll applies the records and returns their statuses.
func (c *importer) importAll(records ...imported.Record) []imported.Status {
	c.Helper()
	return statusesOf(c.apply(records...))
}

func statusesOf(outcomes []imported.Outcome) []imported.Status {
	fates := make([]imported.Status, len(outcomes))
	for i, o := range outcomes {
		fates[i] = o.Status
	}
	return fates
}

// repeated returns the status that many times.
func repeated(n int, fate imported.Status) []imported.Status {
	fates := make([]imported.Status, n)
	for i := range fates {
		fates[i] = fate
	}
	return fates
}

func (w *fixtures) knows(refs ...imported.Ref) map[imported.Ref]bool {
	w.Helper()
	known, err := w.Imports.Known(w.Context(), refs)
	require.NoError(w, err)
	return known
}

// checkAgrees asserts that derived data is correct.
func (w *fixtures) checkAgrees() {
	w.Helper()
	w.assertCounted()
	w.consistent()
}

// uid is that of the account with the phone.
func (w *fixtures) uid(p user.Phone) user.ID {
	w.Helper()
	a, err := w.Accounts.ByPhone(w.Context(), p)
	require.NoError(w, err)
	return a.User
}

// writer is who wrote what is brought here, unless it says otherwise.
const writer = "writer"

// userRecord is a user with the phone of the number.
func userRecord(source string, number int) imported.UserRecord {
	return imported.UserRecord{Source: source, Phone: phone(number), Member: user.Member{
		Firstname: "Nº", Lastname: source, Expertise: "Writing", Location: "Sevilla", Timezone: "Europe/Madrid", Joined: noon,
	}}
}

func categoryRecord(id, parent feed.CategoryID) imported.CategoryRecord {
	return imported.CategoryRecord{Category: feed.Category{ID: id, Parent: parent, Name: fmt.Sprint("Nº ", id), Slug: fmt.Sprint("n", id)}}
}

func bundleRecord(id, firstOriginal, original publication.BundleID) imported.BundleRecord {
	return imported.BundleRecord{Bundle: publication.Bundle{ID: id, FirstOriginal: firstOriginal, Original: original}}
}

// publicationRecord is a publication of the bundle of the same number.
func publicationRecord(id publication.ID, edits ...func(*publication.Publication)) imported.PublicationRecord {
	return imported.PublicationRecord{Publication: article(0, id, edits...), By: writer}
}

func nodeRecord(id publication.NodeID, edits ...func(*publication.Node)) imported.NodeRecord {
	n := node(content(0), id)
	for _, edit := range edits {
		edit(&n)
	}
	return imported.NodeRecord{Node: n, By: writer}
}

func demandRecord(id demand.ID, edits ...func(*demand.Demand)) imported.DemandRecord {
	return imported.DemandRecord{Demand: request(0, id, edits...), By: writer}
}

func howToRecord(category string, bundles ...publication.BundleID) imported.HowToRecord {
	return imported.HowToRecord{HowTo: howTo(category, 0, noon, bundles...), By: writer}
}

func newsRecord(source string, edits ...func(*news.Item)) imported.NewsRecord {
	n := news.Item{SiteName: "Plaza Mayor", URL: "https://example.org/1", Title: source, Released: pi, HTML: "<p>New</p>"}
	for _, edit := range edits {
		edit(&n)
	}
	return imported.NewsRecord{Source: source, Item: n}
}

var importsUsers = []promise{
	{"a new Person has an account that no password opens", newUserRecord},
	{"a Person who comes again is changed, or the same", userRecordAgain},
	{"a Person whose phone an account has becomes that account, whose names change and nothing else", userRecordOfAccount},
	{"one whose phone another Person has is refused on username", userRecordPhoneTaken},
	{"one who comes again with another phone is refused on username", userRecordOtherPhone},
	{"what one who was refused has written is not stored", writtenByRefused},
}

func (w *fixtures) member(id user.ID) user.Member {
	w.Helper()
	found, err := w.Directory.Members(w.Context(), []user.ID{id})
	require.NoError(w, err)
	require.Len(w, found, 1)
	return found[0]
}

// as is the person as the store keeps them.
func as(id user.ID, p imported.UserRecord) user.Member {
	p.ID = id
	return p.Member
}

func newUserRecord(w *fixtures) {
	p := userRecord("O'Brien \\ \"%_\" "+broad(50), 1)
	p.Joined = noon.AddDate(-3, 0, 0)
	assert.Equal(w, repeated(2, imported.New), w.importer("a").importAll(p, userRecord("another", 2)))
	id := w.uid(p.Phone)
	assert.Positive(w, id)
	a := w.account(id)
	assert.Empty(w, a.Scopes)
	a.Scopes = nil
	assert.Equal(w, access.Account{User: id, Phone: p.Phone}, a)
	assert.Equal(w, as(id, p), w.member(id))
	assert.Equal(w, map[imported.Ref]bool{p.Ref(): true}, w.knows(p.Ref(), imported.Ref{Kind: imported.User, ID: "unknown"}))
}

func userRecordAgain(w *fixtures) {
	p := userRecord("a", 1)
	c := w.importer("a")
	c.importAll(p)
	id := w.uid(p.Phone)
	require.NoError(w, w.Accounts.Change(w.Context(), id, func(a *access.Account) error {
		a.SetPassword("hash")
		a.Scopes, a.Roles, a.Disabled = access.DefaultScopes(), []access.Role{access.Admin}, true
		return nil
	}))
	before := w.account(id)
	for _, edit := range []func(*imported.UserRecord){
		func(p *imported.UserRecord) { p.Firstname = broad(64) },
		func(p *imported.UserRecord) { p.Lastname = "" },
		func(p *imported.UserRecord) { p.Expertise, p.Location = "", "杭州市" },
		func(p *imported.UserRecord) { p.Timezone = "UTC" },
		func(p *imported.UserRecord) { p.Joined = p.Joined.Add(1000) },
	} {
		assert.Equal(w, repeated(1, imported.Same), c.importAll(p))
		edit(&p)
		assert.Equal(w, repeated(1, imported.Changed), c.importAll(p))
		assert.Equal(w, as(id, p), w.member(id))
	}
	assert.Equal(w, repeated(1, imported.Same), c.importAll(p))
	assert.Equal(w, before, w.account(id))
}

func userRecordOfAccount(w *fixtures) {
	id := w.newUser()
	require.NoError(w, w.Accounts.Change(w.Context(), id, func(a *access.Account) error {
		a.SetPassword("another")
		a.Roles = []access.Role{access.Cashier}
		return nil
	}))
	account, want := w.account(id), w.member(id)
	p := userRecord("a", 1)
	want.Firstname, want.Lastname = p.Firstname, p.Lastname
	c := w.importer("a")
	assert.Equal(w, repeated(1, imported.New), c.importAll(p))
	assert.Equal(w, want, w.member(id))
	assert.Equal(w, account, w.account(id))
	assert.Equal(w, repeated(1, imported.Same), c.importAll(p))
	p.Firstname, p.Location = "Another", "elsewhere"
	assert.Equal(w, repeated(1, imported.Changed), c.importAll(p))
	want.Firstname = "Another"
	assert.Equal(w, want, w.member(id))
	p.Location = "and elsewhere"
	assert.Equal(w, repeated(1, imported.Same), c.importAll(p))

	assert.Equal(w, []imported.Status{imported.Refused}, c.importAll(userRecord("b", 1)), "it is a Person's by now")
}

func (c *importer) refused(p imported.UserRecord) {
	c.Helper()
	outcome := c.apply(p)[0]
	require.Equal(c, imported.Refused, outcome.Status)
	assert.NotEmpty(c, outcome.Wrong["username"])
	assert.Len(c, outcome.Wrong, 1)
}

func userRecordPhoneTaken(w *fixtures) {
	c := w.importer("a")
	c.importAll(userRecord("a", 1))
	c.refused(userRecord("b", 1))
	assert.Empty(w, w.knows(userRecord("b", 1).Ref()))
	assert.Equal(w, []imported.Status{imported.New, imported.Refused, imported.New},
		c.importAll(userRecord("c", 3), userRecord("d", 3), userRecord("e", 4)))
	assert.Equal(w, "c", w.member(w.uid(phone(3))).Lastname)
}

func userRecordOtherPhone(w *fixtures) {
	c := w.importer("a")
	p := userRecord("a", 1)
	c.importAll(p)
	id := w.uid(phone(1))
	p.Phone, p.Firstname = phone(2), "Another"
	c.refused(p)
	assert.Equal(w, as(id, userRecord("a", 1)), w.member(id))
	_, err := w.Accounts.ByPhone(w.Context(), phone(2))
	assert.ErrorIs(w, err, access.ErrNoAccount)
	assert.Equal(w, []imported.Status{imported.Refused, imported.New}, c.importAll(p, userRecord("b", 2)), "the phone is still free")
	assert.Equal(w, []imported.Status{imported.New}, c.importAll(imported.DemandRecord{Demand: request(0, 1), By: "a"}),
		"they are still there")
}

func writtenByRefused(w *fixtures) {
	c := w.importer("a")
	c.importAll(userRecord("a", 1))
	records := []imported.Record{userRecord("b", 1), imported.DemandRecord{Demand: request(0, 1), By: "b"},
		imported.DemandRecord{Demand: request(0, 2), By: "a"}}
	outcomes := c.apply(records...)
	assert.Equal(w, []imported.Status{imported.Refused, imported.Waits, imported.New}, statusesOf(outcomes))
	assert.NotEmpty(w, outcomes[1].Wrong["author"])
	require.NoError(w, w.Accounts.Change(w.Context(), w.uid(phone(1)), func(a *access.Account) error {
		a.Phone = phone(9)
		return nil
	}))
	assert.Equal(w, repeated(2, imported.New), c.importAll(records[:2]...), "the phone is free again")
	w.checkAgrees()
}
