package ports

import (
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/imported"
	"plaza/domain/page"
)

var importsRuns = []promise{
	{"Runs returns the runs that BeginRun has stored, the last first, as EndRun has ended them", runsListed},
	{"BeginRun stores an unfinished run", runBegun},
	{"RejectsOf returns the rejects of the run in their order, or ErrNoRun", runsRejects},
}

func (w *fixtures) runs(r page.Request) page.Page[imported.Run] {
	w.Helper()
	p, err := w.Imports.Runs(w.Context(), r)
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
	_, err = w.Imports.Runs(w.Context(), third)
	assert.True(w, fault.Is(err, fault.NotFound))
}

func runBegun(w *fixtures) {
	id, err := w.Imports.BeginRun(w.Context(), noon, []string{"a.jsonl"})
	require.NoError(w, err)
	assert.Equal(w, []imported.Run{
		{ID: id, State: imported.RunUnfinished, Began: noon, RunCounts: imported.RunCounts{Files: []string{"a.jsonl"}}},
	}, w.runs(page.Request{}).Items)
	rejects, err := w.Imports.RejectsOf(w.Context(), id)
	require.NoError(w, err)
	assert.Empty(w, rejects)
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
