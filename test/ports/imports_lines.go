package ports

import (
	"fmt"
	"slices"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/publication"
)

var intakeNeeds = []promise{
	{"what a record needs may come after it in the delivery, or before", needsTogether},
	{"a record whose needs are not there waits, and says what it lacks", needsMissing},
	{"categories whose parents would form a cycle wait", circles},
	{"what waits for itself waits", needsItself},
}

func needsTogether(w *fixtures) {
	c := w.crawler("a")
	records := []imported.Record{
		guide("garden", 2, 1), wish(1), part(1, func(n *publication.Node) { n.Bundle, n.Category = 2, 3 }), text(2),
		binding(2, 1, 1), binding(1, 1, 0), shelf(3, 2), shelf(2, 1), shelf(1, 0), person(writer, 1), clipping("1"),
	}
	assert.Equal(w, all(len(records), imported.New), c.brings(records...))
	assert.Equal(w, all(len(records), imported.Same), c.brings(records...))
	assert.Empty(w, c.waits())
	w.sound()
}

func needsMissing(w *fixtures) {
	c := w.crawler("a")
	records := []imported.Record{
		guide("garden", 2, 1), wish(1), part(1, func(n *publication.Node) { n.Bundle, n.Category = 2, 3 }), text(2), binding(2, 1, 3), shelf(3, 2),
	}
	d := imported.Batch{Lines: c.lines(records...)}
	receipt := c.take(d)
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
	assert.Equal(w, []int64{1, 2, 3, 4, 5, 6}, c.waits())

	assert.Equal(w, all(4, imported.New), c.brings(person(writer, 1), shelf(2, 0), binding(1, 0, 0), binding(3, 0, 0)))
	assert.Empty(w, w.listed(), "nobody gives it again")
	assert.Equal(w, all(6, imported.New), fatesOf(c.take(d)))
	assert.Empty(w, c.waits())
	assert.Len(w, w.listed(), 3)
	w.sound()
}

func circles(w *fixtures) {
	c := w.crawler("a")
	assert.Equal(w, []imported.Status{imported.New, imported.Waits, imported.Waits, imported.Waits}, c.brings(shelf(1, 0), shelf(2, 3), shelf(3, 2), shelf(4, 3)))
	assert.Equal(w, all(3, imported.New), c.brings(shelf(2, 1), shelf(3, 2), shelf(4, 3)))
	d := imported.Batch{Lines: c.lines(shelf(1, 4), part(1, func(n *publication.Node) { n.Category = 1 }), person(writer, 1))}
	receipt := c.take(d)
	assert.Equal(w, []imported.Status{imported.Waits, imported.New, imported.New}, fatesOf(receipt))
	assert.Equal(w, fault.Fields{"parent": {"The parents form a cycle."}}, receipt.Outcomes[0].Wrong)
	assert.Zero(w, w.categoriesAt(1)[1].Parent)
	assert.Equal(w, all(2, imported.Changed), c.brings(shelf(1, 2), shelf(2, 0)), "turned around in one step")
	assert.Equal(w, feed.CategoryID(2), w.categoriesAt(1)[1].Parent)
}

func needsItself(w *fixtures) {
	c := w.crawler("a")
	assert.Equal(w, all(3, imported.Waits), c.brings(binding(1, 2, 0), binding(2, 3, 0), binding(3, 1, 0)))
	assert.Equal(w, all(3, imported.New), c.brings(binding(1, 1, 0), binding(2, 3, 0), binding(3, 1, 0)))
	assert.Equal(w, all(1, imported.Changed), c.brings(binding(1, 2, 0)), "it is stored already, so nothing waits")
}

var intakeLines = []promise{
	{"a line that was waiting and is stored now waits no longer", lineStored},
	{"a line that was given up waits no longer", lineGivenUp},
	{"Waiting returns the lines in the order of their numbers, with higher numbers than after, at most so many lines, and none behind so many bytes", waitingPages},
	{"nor does one of any file that has a record of a Ref that is stored now, and was given before", lineReplaced},
	{"one that was given later waits on", lineLater},
	{"a line that is given again and waits keeps its place", lineKeepsItsPlace},
	{"Finish forgets the file's progress and whatever waits of it", finish},
}

func lineStored(w *fixtures) {
	c, other := w.crawler("a"), w.crawler("b")
	d := imported.Batch{Lines: c.lines(wish(1), shelf(2, 1))}
	assert.Equal(w, all(2, imported.Waits), fatesOf(c.take(d)))
	assert.Equal(w, all(1, imported.Waits), other.brings(shelf(4, 3)))
	assert.Equal(w, []imported.Status{imported.Waits, imported.Waits}, fatesOf(c.take(d)), "still")
	assert.Equal(w, []int64{1, 2}, c.waits(), "once each")
	c.brings(shelf(1, 0))
	receipt := c.take(d)
	assert.Equal(w, []imported.Status{imported.Waits, imported.New}, fatesOf(receipt))
	assert.Zero(w, receipt.Replaced, "nothing was replaced")
	assert.Equal(w, []int64{1}, c.waits())
	assert.Equal(w, []int64{1}, other.waits())
}

func lineGivenUp(w *fixtures) {
	c, other := w.crawler("a"), w.crawler("b")
	c.brings(wish(1), wish(2), wish(3))
	other.brings(wish(1))
	receipt := c.take(imported.Batch{Abandoned: []int64{1, 3, 99}, Lines: c.lines(wish(1))})
	assert.Zero(w, receipt.Replaced)
	assert.Equal(w, []int64{2, 4}, c.waits())
	assert.Equal(w, []int64{1}, other.waits())
}

func waitingPages(w *fixtures) {
	c, other := w.crawler("a"), w.crawler("b")
	lines := c.lines(wish(1), wish(2), wish(3), wish(4), wish(5))
	lines[3].Raw = []byte("\x00\xff\xfe{\"id\": 1}\r" + broad(1000))
	lines[4].Raw = nil
	c.take(imported.Batch{Lines: lines[2:]})
	c.take(imported.Batch{Lines: lines[:2]})
	other.brings(wish(1), wish(2))
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

// titled is a wish with the title.
func titledWish(title string) imported.DemandRecord {
	r := wish(1)
	r.Title = title
	return r
}

func (w *fixtures) wishes() []string {
	w.Helper()
	titles := []string{}
	for _, p := range w.requests(0) {
		l, _ := p.Listing()
		titles = append(titles, fmt.Sprint(l.ID, " ", titleOf(p)))
	}
	return titles
}

func lineReplaced(w *fixtures) {
	c, other := w.crawler("a"), w.crawler("b")
	elder := imported.Batch{Lines: other.lines(titledWish("eldest"))}
	other.take(elder)
	c.brings(titledWish("elder"), wish(2))
	c.brings(person(writer, 1))
	receipt := c.take(imported.Batch{Lines: c.lines(titledWish("young"))})
	assert.Equal(w, 2, receipt.Replaced)
	assert.Equal(w, []int64{2}, c.waits())
	assert.Empty(w, other.waits())
	assert.Equal(w, []string{"1 young"}, w.wishes())

	d := imported.Batch{Lines: c.lines(text(1))}
	c.take(d)
	c.brings(binding(1, 0, 0))
	c.brings(text(1))
	assert.Equal(w, []int64{2}, c.waits())
	c.take(imported.Batch{Lines: c.lines(text(7))})
	assert.Len(w, c.waits(), 2)
	c.brings(text(1)) // which changes nothing
	assert.Len(w, c.waits(), 2)
}

func lineLater(w *fixtures) {
	c, other := w.crawler("a"), w.crawler("b")
	elder := imported.Batch{Lines: c.lines(titledWish("elder"))}
	younger := imported.Batch{Lines: other.lines(titledWish("younger"))}
	c.take(elder)
	other.take(younger)
	c.brings(person(writer, 1))
	receipt := c.take(elder)
	assert.Zero(w, receipt.Replaced)
	assert.Equal(w, []int64{1}, other.waits())
	assert.Equal(w, []string{"1 elder"}, w.wishes())
	assert.Equal(w, all(1, imported.Changed), fatesOf(other.take(younger)))
	assert.Equal(w, []string{"1 younger"}, w.wishes())
}

func lineKeepsItsPlace(w *fixtures) {
	c, other := w.crawler("a"), w.crawler("b")
	elder := imported.Batch{Lines: c.lines(titledWish("elder"))}
	younger := imported.Batch{Lines: other.lines(titledWish("younger"))}
	c.take(elder)
	other.take(younger)
	assert.Equal(w, all(1, imported.Waits), fatesOf(c.take(elder)), "it is no younger for that")
	c.brings(person(writer, 1))
	receipt := other.take(younger)
	assert.Equal(w, 1, receipt.Replaced)
	assert.Empty(w, c.waits())
	assert.Equal(w, []string{"1 younger"}, w.wishes())

	c.brings(imported.DemandRecord{Demand: titledWish("waits").Demand, By: "nobody"})
	receipt = other.take(imported.Batch{Lines: other.lines(titledWish("younger"))})
	assert.Equal(w, all(1, imported.Same), fatesOf(receipt), "also what changes nothing was the last word")
	assert.Equal(w, 1, receipt.Replaced)
	assert.Empty(w, c.waits())
}

func finish(w *fixtures) {
	c, other := w.crawler("a"), w.crawler("b")
	for _, c := range []*crawler{c, other} {
		c.take(imported.Batch{Lines: c.lines(wish(1), wish(2)), Progress: []byte("far")})
	}
	third := w.crawler("c")
	third.take(imported.Batch{Lines: third.lines(wish(3)), Progress: []byte("far")})
	require.NoError(w, w.Imports.Finish(w.Context(), "a", "nothing", "c"))
	require.NoError(w, w.Imports.Finish(w.Context()))
	assert.Empty(w, c.waits())
	assert.Empty(w, third.waits())
	assert.Nil(w, third.progress())
	assert.Equal(w, []int64{1, 2}, other.waits())
	assert.Nil(w, c.progress())
	assert.Equal(w, "far", string(other.progress()))
}

func (c *crawler) progress() []byte {
	c.Helper()
	p, err := c.Imports.Progress(c.Context(), c.file)
	require.NoError(c, err)
	return slices.Clone(p)
}
