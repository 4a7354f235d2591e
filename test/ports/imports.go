package ports

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/media"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// Imports is the suite of imported.Imports, and of the feed that it keeps.
func Imports(t *testing.T, open Open) {
	for _, part := range [][]promise{intakeKinds, intakePeople, intakeBundles, intakeNeeds, intakeLines, intakeSteps, intakeChance} {
		open.keeps(t, part)
	}
}

// crawler brings records in. Its lines have the numbers after those that it brought
// before.
type crawler struct {
	*fixtures
	file   string
	number int64
}

func (w *fixtures) crawler(file string) *crawler { return &crawler{fixtures: w, file: file} }

// lines are the records, one in each.
func (c *crawler) lines(records ...imported.Record) []imported.Line {
	lines := make([]imported.Line, len(records))
	for i, r := range records {
		c.number++
		lines[i] = imported.Line{Number: c.number, Raw: fmt.Appendf(nil, "%s, line %d: %v", c.file, c.number, r.Ref()), Record: r}
	}
	return lines
}

func (c *crawler) take(d imported.Batch) imported.BatchResult {
	c.Helper()
	d.File = c.file
	receipt, err := c.Imports.Apply(c.Context(), d)
	require.NoError(c, err)
	require.Len(c, receipt.Outcomes, len(d.Lines))
	return receipt
}

// brings gives lines of the records to Take, and returns the fates.
func (c *crawler) brings(records ...imported.Record) []imported.Status {
	c.Helper()
	return fatesOf(c.take(imported.Batch{Lines: c.lines(records...)}))
}

func fatesOf(r imported.BatchResult) []imported.Status {
	fates := make([]imported.Status, len(r.Outcomes))
	for i, o := range r.Outcomes {
		fates[i] = o.Status
	}
	return fates
}

// all are so many of the same fate.
func all(n int, fate imported.Status) []imported.Status {
	fates := make([]imported.Status, n)
	for i := range fates {
		fates[i] = fate
	}
	return fates
}

// waits are the numbers of the file's lines that wait.
func (c *crawler) waits() []int64 {
	c.Helper()
	lines, err := c.Imports.Waiting(c.Context(), c.file, 0, 1000, 1<<30)
	require.NoError(c, err)
	numbers := []int64{}
	for _, l := range lines {
		numbers = append(numbers, l.Number)
	}
	return numbers
}

func (w *fixtures) knows(refs ...imported.Ref) map[imported.Ref]bool {
	w.Helper()
	known, err := w.Imports.Known(w.Context(), refs)
	require.NoError(w, err)
	return known
}

// sound asserts that whatever is derived is what it must be.
func (w *fixtures) sound() {
	w.Helper()
	w.assertCounted()
	if w.Check != nil {
		w.Check(w.T)
	}
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

// person is somebody with the phone of the number.
func person(source string, number int) imported.UserRecord {
	return imported.UserRecord{Source: source, Phone: phone(number), Member: user.Member{
		Firstname: "Nº", Lastname: source, Expertise: "Writing", Location: "Sevilla", Timezone: "Europe/Madrid", Joined: noon,
	}}
}

func shelf(id, parent feed.CategoryID) imported.CategoryRecord {
	return imported.CategoryRecord{Category: feed.Category{ID: id, Parent: parent, Name: fmt.Sprint("Nº ", id), Slug: fmt.Sprint("n", id)}}
}

func binding(id, firstOriginal, original publication.BundleID) imported.BundleRecord {
	return imported.BundleRecord{Bundle: publication.Bundle{ID: id, FirstOriginal: firstOriginal, Original: original}}
}

// text is a publication of the bundle of the same number.
func text(id publication.ID, edits ...func(*publication.Publication)) imported.PublicationRecord {
	return imported.PublicationRecord{Publication: article(0, id, edits...), By: writer}
}

func part(id publication.NodeID, edits ...func(*publication.Node)) imported.NodeRecord {
	n := node(content(0), id)
	for _, edit := range edits {
		edit(&n)
	}
	return imported.NodeRecord{Node: n, By: writer}
}

func wish(id demand.ID, edits ...func(*demand.Demand)) imported.DemandRecord {
	return imported.DemandRecord{Demand: request(0, id, edits...), By: writer}
}

func guide(category string, bundles ...publication.BundleID) imported.HowToRecord {
	return imported.HowToRecord{HowTo: howTo(category, 0, noon, bundles...), By: writer}
}

func clipping(source string, edits ...func(*event.News)) imported.NewsRecord {
	n := event.News{SiteName: "Plaza Mayor", URL: "https://example.org/1", Title: source, Released: pi, HTML: "<p>New</p>"}
	for _, edit := range edits {
		edit(&n)
	}
	return imported.NewsRecord{Source: source, News: n}
}

var intakeCalls = []call{
	{"Intake.Take", func(ctx context.Context, s Stores) error {
		_, err := s.Imports.Apply(ctx, imported.Batch{File: "new", Progress: []byte("new"), Lines: []imported.Line{
			{Number: 1, Record: shelf(newcomer, 0)}, {Number: 2, Record: shelf(newcomer+1, newcomer+2)},
		}})
		return err
	}},
	{"Intake.Progress", func(ctx context.Context, s Stores) error {
		_, err := s.Imports.Progress(ctx, "new")
		return err
	}},
	{"Intake.Waiting", func(ctx context.Context, s Stores) error {
		_, err := s.Imports.Waiting(ctx, "new", 0, 1, 1)
		return err
	}},
	{"Intake.Finish", func(ctx context.Context, s Stores) error { return s.Imports.Finish(ctx, "standing") }},
	{"Intake.Known", func(ctx context.Context, s Stores) error {
		_, err := s.Imports.Known(ctx, []imported.Ref{imported.NumberRef(imported.Category, feed.CategoryID(1))})
		return err
	}},
	{"Intake.Cover", func(ctx context.Context, s Stores) error {
		_, _, err := s.Imports.Cover(ctx, imported.Digest{1})
		return err
	}},
	{"Intake.RememberCover", func(ctx context.Context, s Stores) error {
		_, err := s.Imports.RememberCover(ctx, imported.Digest{1}, media.Picture{Key: "public/new"})
		return err
	}},
}

var intakePeople = []promise{
	{"a new Person has an account that no password opens", newPerson},
	{"a Person who comes again is changed, or the same", personAgain},
	{"a Person whose phone an account has becomes that account, whose names change and nothing else", personAdopts},
	{"one whose phone another Person has is refused on username", personTaken},
	{"one who comes again with another phone is refused on username", personMoved},
	{"what one who was refused has written waits", writtenByRefused},
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

func newPerson(w *fixtures) {
	p := person("O'Brien \\ \"%_\" "+broad(50), 1)
	p.Joined = noon.AddDate(-3, 0, 0)
	assert.Equal(w, all(2, imported.New), w.crawler("a").brings(p, person("another", 2)))
	id := w.uid(p.Phone)
	assert.Positive(w, id)
	a := w.account(id)
	assert.Empty(w, a.Scopes)
	a.Scopes = nil
	assert.Equal(w, access.Account{User: id, Phone: p.Phone}, a)
	assert.Equal(w, as(id, p), w.member(id))
	assert.Equal(w, map[imported.Ref]bool{p.Ref(): true}, w.knows(p.Ref(), imported.Ref{Kind: imported.User, ID: "nobody"}))
}

func personAgain(w *fixtures) {
	p := person("a", 1)
	c := w.crawler("a")
	c.brings(p)
	id := w.uid(p.Phone)
	require.NoError(w, w.Accounts.Change(w.Context(), id, func(a *access.Account) error {
		a.SetPassword("hash")
		a.Scopes, a.Staff, a.Disabled = access.DefaultScopes(), true, true
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
		assert.Equal(w, all(1, imported.Same), c.brings(p))
		edit(&p)
		assert.Equal(w, all(1, imported.Changed), c.brings(p))
		assert.Equal(w, as(id, p), w.member(id))
	}
	assert.Equal(w, all(1, imported.Same), c.brings(p))
	assert.Equal(w, before, w.account(id))
}

func personAdopts(w *fixtures) {
	id := w.newUser()
	require.NoError(w, w.Accounts.Change(w.Context(), id, func(a *access.Account) error {
		a.SetPassword("another")
		a.Staff = true
		return nil
	}))
	account, want := w.account(id), w.member(id)
	p := person("a", 1)
	want.Firstname, want.Lastname = p.Firstname, p.Lastname
	c := w.crawler("a")
	assert.Equal(w, all(1, imported.New), c.brings(p))
	assert.Equal(w, want, w.member(id))
	assert.Equal(w, account, w.account(id))
	assert.Equal(w, all(1, imported.Same), c.brings(p))
	p.Firstname, p.Location = "Another", "elsewhere"
	assert.Equal(w, all(1, imported.Changed), c.brings(p))
	want.Firstname = "Another"
	assert.Equal(w, want, w.member(id))
	p.Location = "and elsewhere"
	assert.Equal(w, all(1, imported.Same), c.brings(p))

	assert.Equal(w, []imported.Status{imported.Refused}, c.brings(person("b", 1)), "it is a Person's by now")
}

func (c *crawler) refused(p imported.UserRecord) {
	c.Helper()
	receipt := c.take(imported.Batch{Lines: c.lines(p)})
	require.Equal(c, imported.Refused, receipt.Outcomes[0].Status)
	assert.NotEmpty(c, receipt.Outcomes[0].Wrong["username"])
	assert.Len(c, receipt.Outcomes[0].Wrong, 1)
	assert.Contains(c, c.waits(), c.number, "it is kept aside")
}

func personTaken(w *fixtures) {
	c := w.crawler("a")
	c.brings(person("a", 1))
	c.refused(person("b", 1))
	assert.Empty(w, w.knows(person("b", 1).Ref()))
	assert.Equal(w, []imported.Status{imported.New, imported.Refused, imported.New}, c.brings(person("c", 3), person("d", 3), person("e", 4)))
	assert.Equal(w, "c", w.member(w.uid(phone(3))).Lastname)
}

func personMoved(w *fixtures) {
	c := w.crawler("a")
	p := person("a", 1)
	c.brings(p)
	id := w.uid(phone(1))
	p.Phone, p.Firstname = phone(2), "Another"
	c.refused(p)
	assert.Equal(w, as(id, person("a", 1)), w.member(id))
	_, err := w.Accounts.ByPhone(w.Context(), phone(2))
	assert.ErrorIs(w, err, access.ErrNoAccount)
	assert.Equal(w, []imported.Status{imported.Refused, imported.New}, c.brings(p, person("b", 2)), "the phone is still free")
	assert.Equal(w, []imported.Status{imported.New}, c.brings(imported.DemandRecord{Demand: request(0, 1), By: "a"}), "they are still there")
}

func writtenByRefused(w *fixtures) {
	c := w.crawler("a")
	c.brings(person("a", 1))
	d := imported.Batch{Lines: c.lines(person("b", 1), imported.DemandRecord{Demand: request(0, 1), By: "b"}, imported.DemandRecord{Demand: request(0, 2), By: "a"})}
	receipt := c.take(d)
	assert.Equal(w, []imported.Status{imported.Refused, imported.Waits, imported.New}, fatesOf(receipt))
	assert.NotEmpty(w, receipt.Outcomes[1].Wrong["author"])
	assert.Equal(w, []int64{2, 3}, c.waits())
	require.NoError(w, w.Accounts.Change(w.Context(), w.uid(phone(1)), func(a *access.Account) error {
		a.Phone = phone(9)
		return nil
	}))
	d.Lines = d.Lines[:2]
	assert.Equal(w, all(2, imported.New), fatesOf(c.take(d)), "nobody has the phone any more")
	assert.Empty(w, c.waits())
	w.sound()
}
