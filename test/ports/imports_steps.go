package ports

import (
	"context"
	"fmt"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/imported"
	"plaza/domain/media"
	"plaza/domain/page"
)

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
	c.Helper()
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
	w.Helper()
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
