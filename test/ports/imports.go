package ports

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/media"
	"plaza/domain/news"
	"plaza/domain/page"
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
	return c.applyAt("", records...)
}

// applyAt applies the records with the progress.
func (c *importer) applyAt(progress string, records ...imported.Record) []imported.Outcome {
	outcomes, err := c.Imports.Apply(c.Context(), imported.Batch{Import: c.name, Records: records, Progress: []byte(progress)})
	require.NoError(c, err)
	require.Len(c, outcomes, len(records))
	return outcomes
}

// importAll applies the records and returns their statuses.
func (c *importer) importAll(records ...imported.Record) []imported.Status {
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
	known, err := w.Imports.Known(w.Context(), refs)
	require.NoError(w, err)
	return known
}

// checkAgrees asserts that derived data is correct.
func (w *fixtures) checkAgrees() {
	w.assertCounted()
	w.consistent()
}

// uid is that of the account with the phone.
func (w *fixtures) uid(p user.Phone) user.ID {
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
	w.changeAccount(id, func(a *access.Account) {
		a.SetPassword("hash")
		a.Scopes, a.Roles, a.Disabled = access.DefaultScopes(), []access.Role{access.Admin}, true
	})
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
	w.changeAccount(id, func(a *access.Account) {
		a.SetPassword("another")
		a.Roles = []access.Role{access.Cashier}
	})
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
	w.changeAccount(w.uid(phone(1)), func(a *access.Account) { a.Phone = phone(9) })
	assert.Equal(w, repeated(2, imported.New), c.importAll(records[:2]...), "the phone is free again")
	w.checkAgrees()
}

var importsSteps = []promise{
	{"Progress returns the progress of the import's latest batch", progress},
	{"Finish removes the progress of the import", finish},
	{"a batch is stored as a whole or not at all", batchFails},
	{"RememberCover remembers the picture, unless there is one already", rememberCover},
	{"of many RememberCovers at once, all return the one that is remembered", rememberCoverAtOnce},
	{"Runs returns the runs that BeginRun has stored, unfinished, the last first, as EndRun has ended them", runsListed},
	{"RejectsOf returns the rejects of the run in their order, or ErrNoRun", runsRejects},
}

// dayOfPi is nowhere, on the day of noon.
var dayOfPi = event.DayInCity{Date: pi}

func progress(w *fixtures) {
	c, other := w.importer("a"), w.importer("O'Brien \\ \"%_\"\n"+broad(100))
	assert.Nil(w, c.progress())
	for _, said := range []string{"far", "\x00\xff\xfe", broad(1000), "further"} {
		c.applyAt(said)
		assert.Equal(w, said, string(c.progress()))
	}
	assert.Nil(w, other.progress())
	other.applyAt("there", categoryRecord(1, 0), categoryRecord(3, 2))
	assert.Equal(w, "there", string(other.progress()))
	_, err := w.Imports.Apply(w.Context(), imported.Batch{Import: c.name})
	require.NoError(w, err)
	assert.Nil(w, c.progress())
}

func finish(w *fixtures) {
	c, other := w.importer("a"), w.importer("b")
	c.applyAt("far")
	other.applyAt("far")
	require.NoError(w, w.Imports.Finish(w.Context(), "a"))
	require.NoError(w, w.Imports.Finish(w.Context(), "nothing"))
	assert.Nil(w, c.progress())
	assert.Equal(w, "far", string(other.progress()))
}

func (c *importer) progress() []byte {
	p, err := c.Imports.Progress(c.Context(), c.name)
	require.NoError(c, err)
	return p
}

func batchFails(w *fixtures) {
	c := w.importer("a")
	c.applyAt("before", categoryRecord(1, 0))
	for _, broken := range []imported.Record{
		categoryRecord(-1, 0), categoryRecord(0, 0), bundleRecord(0, 0, 0), publicationRecord(-1, bundleOf(1)), publicationRecord(0, bundleOf(1)),
		nodeRecord(0), nodeRecord(-1), demandRecord(-1), demandRecord(0),
	} {
		records := []imported.Record{userRecord(writer, 1), categoryRecord(2, 1), bundleRecord(1, 0, 0), publicationRecord(1), nodeRecord(1),
			broken, demandRecord(1), howToRecord("garden"), newsRecord("1"), categoryRecord(5, 4)}
		_, err := w.Imports.Apply(w.Context(), imported.Batch{Import: "a", Records: records, Progress: []byte("after")})
		require.Error(w, err, "%v", broken)
		assert.Equal(w, fault.Internal, fault.KindOf(err))
		for _, record := range records {
			assert.Empty(w, w.knows(record.Ref()))
		}
	}
	assert.Equal(w, "before", string(c.progress()))
	assert.Empty(w, w.listed())
	assert.Empty(w, w.headlines(10, dayOfPi))
	accounts, err := w.Accounts.List(w.Context(), 0, 10)
	require.NoError(w, err)
	assert.Empty(w, accounts)
	w.checkAgrees()
}

func rememberCover(w *fixtures) {
	d := imported.Digest{0, 1, 0xff, 31: 7}
	_, is, err := w.Imports.Cover(w.Context(), d)
	require.NoError(w, err)
	assert.False(w, is)
	want := media.Picture{Key: "public/0a1b2c", Sizes: []media.Size{{Name: "cover_sm", Width: 65_535, Height: 1, Key: "public/0a1b2d"}}}
	for _, c := range []media.Picture{want, {Key: "public/other"}} {
		got, err := w.Imports.RememberCover(w.Context(), d, c)
		require.NoError(w, err)
		assert.Equal(w, want, got)
		got, is, err = w.Imports.Cover(w.Context(), d)
		require.NoError(w, err)
		assert.True(w, is)
		assert.Equal(w, want, got)
	}
	_, is, err = w.Imports.Cover(w.Context(), imported.Digest{})
	require.NoError(w, err)
	assert.False(w, is)
}

func rememberCoverAtOnce(w *fixtures) {
	covers := atOnce(many, func(i int) media.Picture {
		c, err := w.Imports.RememberCover(w.Context(), imported.Digest{1}, media.Picture{Key: media.Key(fmt.Sprint("public/0a1b2c", i))})
		assert.NoError(w, err)
		return c
	})
	for _, c := range covers {
		assert.Equal(w, covers[0], c)
	}
	got, _, err := w.Imports.Cover(context.Background(), imported.Digest{1})
	require.NoError(w, err)
	assert.Equal(w, covers[0], got)
}

func (w *fixtures) runs(r page.Request) page.Page[imported.Run] {
	p, err := w.Imports.Runs(w.Context(), imported.RunFilter{}, r)
	require.NoError(w, err)
	return p
}

func runsListed(w *fixtures) {
	assert.Empty(w, w.runs(page.Request{}).Items)
	var want []imported.Run
	for n, state := range []imported.RunState{imported.RunCompleted, imported.RunInterrupted, imported.RunFailed} {
		r := imported.Run{State: state, Began: noon, Ended: noon.Add(time.Duration(n) * time.Minute), RunCounts: imported.RunCounts{
			Files: []string{"a.jsonl", "王.jsonl.gz"}, Lines: 7, New: 1, Changed: 2, Same: 3, Replaced: 4, Rejected: 5,
		}}
		var err error
		r.ID, err = w.Imports.BeginRun(w.Context(), r.Began, r.Files)
		require.NoError(w, err)
		assert.Equal(w, imported.RunID(n+1), r.ID)
		begun := imported.Run{ID: r.ID, State: imported.RunUnfinished, Began: noon, RunCounts: imported.RunCounts{Files: r.Files}}
		assert.Equal(w, begun, w.runs(page.Request{}).Items[0])
		require.NoError(w, w.Imports.EndRun(w.Context(), r, nil))
		want = append([]imported.Run{r}, want...)
	}
	assertComplete(w, want)
	all := w.runs(page.Request{})
	assert.Equal(w, want, all.Items)
	second, err := page.New(2, 2)
	require.NoError(w, err)
	assert.Equal(w, want[2:], w.runs(second).Items)
	assert.Equal(w, 3, w.runs(second).Total)
	third, err := page.New(3, 2)
	require.NoError(w, err)
	_, err = w.Imports.Runs(w.Context(), imported.RunFilter{}, third)
	assert.True(w, fault.Is(err, fault.NotFound))
}

func runsRejects(w *fixtures) {
	rejects := []imported.RejectedLine{
		{File: "a.jsonl", Line: 3, Reason: "The line is too long."},
		{File: "a.jsonl", Line: 1, Fields: fault.Fields{"title": {"Blank.", "Wrong."}, "html": {"No."}}},
	}
	for len(rejects) < imported.MaxRejects+1 {
		rejects = append(rejects, imported.RejectedLine{File: "b.jsonl", Line: int64(len(rejects)), Reason: "No."})
	}
	for _, of := range [][]imported.RejectedLine{nil, rejects} {
		id, err := w.Imports.BeginRun(w.Context(), noon, nil)
		require.NoError(w, err)
		require.NoError(w, w.Imports.EndRun(w.Context(), imported.Run{ID: id, State: imported.RunFailed, Began: noon, Ended: noon}, of))
	}
	found, err := w.Imports.RejectsOf(w.Context(), 2)
	require.NoError(w, err)
	assert.Equal(w, rejects[:imported.MaxRejects], found)
	found, err = w.Imports.RejectsOf(w.Context(), 1)
	require.NoError(w, err)
	assert.Empty(w, found)
	_, err = w.Imports.RejectsOf(w.Context(), 3)
	assert.ErrorIs(w, err, imported.ErrNoRun)
}
