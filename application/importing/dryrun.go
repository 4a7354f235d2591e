package importing

import (
	"context"
	"maps"
	"slices"

	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/media"
)

// DryRun checks the sources as Import does, but stores neither records nor rejects. Records
// that are stored already count as new. DryRun does not find conflicts that only the store
// detects, such as a phone number in use. It holds the references of all records and the
// waiting lines in memory.
func (i *Importer) DryRun(ctx context.Context, sources []Source, w Watcher) (Summary, error) {
	ports := i.ports
	ports.Store = &dryRun{
		Store: i.ports.Store, feed: i.ports.Feed, seen: map[imported.Ref]bool{}, waiting: map[string][]imported.Line{},
	}
	ports.Pictures = discardedMedia{i.ports.Pictures}
	dry := slices.Clone(sources)
	for n := range dry {
		dry[n].Rejects = func(int64) (imported.Rejects, error) { return &discardedRejects{}, nil }
	}
	return (&Importer{ports}).Import(ctx, dry, w)
}

// dryRun is a store that holds references and waiting lines in memory.
type dryRun struct {
	imported.Store
	feed    feed.Reader
	seen    map[imported.Ref]bool
	tree    map[feed.CategoryID]feed.CategoryID
	waiting map[string][]imported.Line // by file, in ascending order of their numbers
}

func (r *dryRun) Apply(ctx context.Context, d imported.Batch) (imported.BatchResult, error) {
	batch := make([]imported.Record, len(d.Lines))
	for n, line := range d.Lines {
		batch[n] = line.Record
	}
	known, err := r.Known(ctx, imported.NeedsOf(batch))
	if err != nil {
		return imported.BatchResult{}, err
	}
	if err := r.loadTree(ctx); err != nil {
		return imported.BatchResult{}, err
	}
	plan := imported.PlanOf(batch, known, r.tree)
	result := imported.BatchResult{Outcomes: make([]imported.Outcome, len(batch))}
	gone := slices.Clone(d.Abandoned)
	for _, n := range plan.Ready {
		r.remember(batch[n])
		gone = append(gone, d.Lines[n].Number)
	}
	r.forget(d.File, gone)
	for n, wrong := range plan.Missing {
		result.Outcomes[n] = imported.Outcome{Status: imported.Waits, Wrong: wrong}
		r.keep(d.File, d.Lines[n])
	}
	return result, nil
}

// Complete does nothing: nothing was imported.
func (r *dryRun) Complete(context.Context, imported.Completion) error { return nil }

func (r *dryRun) loadTree(ctx context.Context) error {
	if r.tree != nil {
		return nil
	}
	stored, _, err := r.feed.Metas(ctx, feed.Selection{})
	r.tree = make(map[feed.CategoryID]feed.CategoryID, len(stored))
	for _, c := range stored {
		r.tree[c.ID] = c.Parent
	}
	return err
}

func (r *dryRun) remember(record imported.Record) {
	r.seen[record.Ref()] = true
	if category, is := record.(imported.CategoryRecord); is {
		r.tree[category.ID] = category.Parent
	}
}

func (r *dryRun) keep(file string, line imported.Line) {
	at, is := slices.BinarySearchFunc(r.waiting[file], line, byNumber)
	if !is {
		line.Record = nil
		r.waiting[file] = slices.Insert(r.waiting[file], at, line)
	}
}

func (r *dryRun) forget(file string, numbers []int64) {
	if len(r.waiting[file]) == 0 {
		return
	}
	slices.Sort(numbers)
	r.waiting[file] = slices.DeleteFunc(r.waiting[file], func(l imported.Line) bool {
		_, is := slices.BinarySearch(numbers, l.Number)
		return is
	})
}

func byNumber(a, b imported.Line) int { return int(a.Number - b.Number) }

func (r *dryRun) Progress(context.Context, string) ([]byte, error) { return nil, nil }

func (r *dryRun) Waiting(_ context.Context, file string, after int64, most, bytes int) ([]imported.Line, error) {
	lines := r.waiting[file]
	at, _ := slices.BinarySearchFunc(lines, imported.Line{Number: after + 1}, byNumber)
	end := at
	for ; end < min(at+most, len(lines)) && bytes > 0; end++ {
		bytes -= len(lines[end].Raw)
	}
	return slices.Clone(lines[at:end]), nil
}

func (r *dryRun) Finish(context.Context, ...string) error { return nil }

func (r *dryRun) Known(ctx context.Context, refs []imported.Ref) (map[imported.Ref]bool, error) {
	known := map[imported.Ref]bool{}
	var others []imported.Ref
	for _, ref := range refs {
		if r.seen[ref] {
			known[ref] = true
		} else {
			others = append(others, ref)
		}
	}
	stored, err := r.Store.Known(ctx, others)
	maps.Copy(known, stored)
	return known, err
}

func (r *dryRun) RememberCover(_ context.Context, _ imported.Digest, p media.Picture) (media.Picture, error) {
	return p, nil
}

// discardedMedia is a media store that stores nothing.
type discardedMedia struct{ media.Store }

func (discardedMedia) Put(context.Context, media.Upload, media.Audience) (media.Key, error) {
	return media.KeyAt(media.Everyone, "dry-run"), nil
}

func (discardedMedia) Remove(context.Context, media.Key) error { return nil }

// discardedRejects discards rejects.
type discardedRejects struct{}

func (*discardedRejects) Keep(context.Context, []imported.Reject) error { return nil }
func (*discardedRejects) Length() int64                                 { return 0 }
func (*discardedRejects) Close() error                                  { return nil }
