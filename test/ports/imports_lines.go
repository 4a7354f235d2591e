package ports

import (
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/page"
	"plaza/domain/publication"
)

func needsMissing(w *fixtures) {
	c := w.importer("a")
	records := []imported.Record{
		howToRecord("garden", 2, 1), demandRecord(1), nodeRecord(1, func(n *publication.Node) { n.Bundle, n.Category = 2, 3 }), publicationRecord(2), bundleRecord(2, 1, 3), categoryRecord(3, 2),
	}
	d := imported.Batch{Lines: c.lines(records...)}
	receipt := c.apply(d)
	var missing []fault.Fields
	for _, o := range receipt.Outcomes {
		assert.Equal(w, imported.Waits, o.Status)
		missing = append(missing, o.Wrong)
	}
	want := imported.PlanOf(records, nil, nil).Missing
	for i, wrong := range missing {
		assert.NotEmpty(w, wrong)
		assert.Equal(w, want[i], wrong)
	}
	assert.Empty(w, w.listed())
	assert.Equal(w, []int64{1, 2, 3, 4, 5, 6}, c.waiting())

	assert.Equal(w, repeated(4, imported.New), c.importAll(userRecord(writer, 1), categoryRecord(2, 0), bundleRecord(1, 0, 0), bundleRecord(3, 0, 0)))
	assert.Empty(w, w.listed(), "it is not imported again")
	assert.Equal(w, repeated(6, imported.New), statusesOf(c.apply(d)))
	assert.Empty(w, c.waiting())
	assert.Len(w, w.listed(), 3)
	w.checkAgrees()
}

var importsLines = []promise{
	{"a record whose needs are not there waits, and says what it lacks", needsMissing},
	{"origins hold when many publications of a bundle come and go at once", originsCrowd},
	{"a line that was given up waits no longer", lineAbandoned},
	{"Waiting returns the lines in the order of their numbers, with higher numbers than after, at most so many lines, and none behind so many bytes", waitingPages},
	{"a line of any file waits no longer when a later line of its Ref is stored", lineReplaced},
	{"one that was given later waits on", lineLater},
	{"a line that is given again and waits keeps its place", lineKeepsItsPlace},
	{"Finish removes the file's progress and its waiting lines", finish},
}

func lineAbandoned(w *fixtures) {
	c, other := w.importer("a"), w.importer("b")
	c.importAll(demandRecord(1), demandRecord(2), demandRecord(3))
	other.importAll(demandRecord(1))
	receipt := c.apply(imported.Batch{Abandoned: []int64{1, 3, 99}, Lines: c.lines(demandRecord(1))})
	assert.Zero(w, receipt.Replaced)
	assert.Equal(w, []int64{2, 4}, c.waiting())
	assert.Equal(w, []int64{1}, other.waiting())
}

func waitingPages(w *fixtures) {
	c, other := w.importer("a"), w.importer("b")
	lines := c.lines(demandRecord(1), demandRecord(2), demandRecord(3), demandRecord(4), demandRecord(5))
	lines[3].Raw = []byte("\x00\xff\xfe{\"id\": 1}\r" + broad(1000))
	lines[4].Raw = nil
	c.apply(imported.Batch{Lines: lines[2:]})
	c.apply(imported.Batch{Lines: lines[:2]})
	other.importAll(demandRecord(1), demandRecord(2))
	const any = 1 << 20
	first := len(lines[0].Raw)
	for _, ask := range []struct {
		after        int64
		lines, bytes int
		want         []imported.Line
	}{
		{0, 10, any, lines}, {0, 5, any, lines}, {0, 2, any, lines[:2]}, {2, 2, any, lines[2:4]}, {4, 2, any, lines[4:]},
		{5, 2, any, nil}, {0, 0, any, nil}, {1 << 62, 1, any, nil},
		{0, 10, 0, nil}, {0, 10, first, lines[:1]}, {0, 10, first + 1, lines[:2]}, {0, 1, first + 1, lines[:1]}, {3, 10, 1000, lines[3:4]},
	} {
		got, err := w.Imports.Waiting(w.Context(), "a", ask.after, ask.lines, ask.bytes)
		require.NoError(w, err)
		require.Len(w, got, len(ask.want))
		for i, l := range got {
			assert.Equal(w, ask.want[i].Number, l.Number)
			assert.Equal(w, string(ask.want[i].Raw), string(l.Raw))
			assert.Nil(w, l.Record)
		}
	}
	none, err := w.Imports.Waiting(w.Context(), "c", 0, 10, 100)
	require.NoError(w, err)
	assert.Empty(w, none)
}

// demandTitled is a demand with the title.
func demandTitled(title string) imported.DemandRecord {
	r := demandRecord(1)
	r.Title = title
	return r
}

func (w *fixtures) demandTitles() []string {
	w.Helper()
	titles := []string{}
	for _, p := range w.requests(0) {
		l, _ := p.Listing()
		titles = append(titles, fmt.Sprint(l.ID, " ", titleOf(p)))
	}
	return titles
}

func lineReplaced(w *fixtures) {
	c, other := w.importer("a"), w.importer("b")
	elder := imported.Batch{Lines: other.lines(demandTitled("eldest"))}
	other.apply(elder)
	c.importAll(demandTitled("elder"), demandRecord(2))
	c.importAll(userRecord(writer, 1))
	receipt := c.apply(imported.Batch{Lines: c.lines(demandTitled("young"))})
	assert.Equal(w, 2, receipt.Replaced)
	assert.Equal(w, []int64{2}, c.waiting())
	assert.Empty(w, other.waiting())
	assert.Equal(w, []string{"1 young"}, w.demandTitles())
}

func lineLater(w *fixtures) {
	c, other := w.importer("a"), w.importer("b")
	elder := imported.Batch{Lines: c.lines(demandTitled("elder"))}
	younger := imported.Batch{Lines: other.lines(demandTitled("younger"))}
	c.apply(elder)
	other.apply(younger)
	c.importAll(userRecord(writer, 1))
	receipt := c.apply(elder)
	assert.Zero(w, receipt.Replaced)
	assert.Equal(w, []int64{1}, other.waiting())
	assert.Equal(w, []string{"1 elder"}, w.demandTitles())
	assert.Equal(w, repeated(1, imported.Changed), statusesOf(other.apply(younger)))
	assert.Equal(w, []string{"1 younger"}, w.demandTitles())
}

func lineKeepsItsPlace(w *fixtures) {
	c, other := w.importer("a"), w.importer("b")
	elder := imported.Batch{Lines: c.lines(demandTitled("elder"))}
	younger := imported.Batch{Lines: other.lines(demandTitled("younger"))}
	c.apply(elder)
	other.apply(younger)
	assert.Equal(w, repeated(1, imported.Waits), statusesOf(c.apply(elder)), "it is no younger for that")
	c.importAll(userRecord(writer, 1))
	receipt := other.apply(younger)
	assert.Equal(w, 1, receipt.Replaced)
	assert.Empty(w, c.waiting())
	assert.Equal(w, []string{"1 younger"}, w.demandTitles())
}

func finish(w *fixtures) {
	c, other := w.importer("a"), w.importer("b")
	for _, c := range []*importer{c, other} {
		c.apply(imported.Batch{Lines: c.lines(demandRecord(1), demandRecord(2)), Progress: []byte("far")})
	}
	third := w.importer("c")
	third.apply(imported.Batch{Lines: third.lines(demandRecord(3)), Progress: []byte("far")})
	require.NoError(w, w.Imports.Finish(w.Context(), "a", "nothing", "c"))
	require.NoError(w, w.Imports.Finish(w.Context()))
	assert.Empty(w, c.waiting())
	assert.Empty(w, third.waiting())
	assert.Nil(w, third.progress())
	assert.Equal(w, []int64{1, 2}, other.waiting())
	assert.Nil(w, c.progress())
	assert.Equal(w, "far", string(other.progress()))
}

func (c *importer) progress() []byte {
	c.Helper()
	p, err := c.Imports.Progress(c.Context(), c.file)
	require.NoError(c, err)
	return slices.Clone(p)
}

func bundleOf(id publication.BundleID) func(*publication.Publication) {
	return func(p *publication.Publication) { p.Bundle.ID = id }
}

func originsCrowd(w *fixtures) {
	const texts = 300 // more than fit on a page, or into a statement
	c := w.importer("a")
	c.settled()
	var some []imported.Record
	for i := range publication.ID(texts) {
		id := i + 1
		bundle := publication.BundleID(1 + i%100)
		if i < 100 {
			first := publication.BundleID(1 + i%10)
			some = append(some, bundleRecord(bundle, first, 0))
		}
		some = append(some, publicationRecord(id, bundleOf(bundle), func(p *publication.Publication) {
			p.Category, p.Updated = feed.CategoryID(i%3), noon.Add(time.Duration(i)*time.Second)
		}))
	}
	slices.Reverse(some)
	assert.Equal(w, repeated(len(some), imported.New), c.importAll(some...))
	assert.Equal(w, 30, w.publications(publication.Query{OriginOnly: true}).Total)
	assert.Equal(w, repeated(len(some), imported.Same), c.importAll(some...))
	w.checkAgrees()
	for i, r := range some {
		if t, is := r.(imported.PublicationRecord); is && t.Bundle.ID <= 5 {
			t.Deleted = true
			some[i] = t
		}
	}
	c.importAll(some...)
	p := w.publications(publication.Query{OriginOnly: true, Page: page.Request{}})
	assert.Equal(w, 5*3+5*9*3, p.Total)
	w.checkAgrees()
}
