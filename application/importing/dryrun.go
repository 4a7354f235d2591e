package importing

import (
	"context"
	"maps"
	"slices"
	"time"

	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/media"
)

// DryRun checks the sources as Import does, but stores neither records nor rejects. Records
// that are stored already count as new. DryRun does not find conflicts that only the store
// detects, such as a phone number in use. It holds the references of users, categories and bundles
// in memory.
func (i *Importer) DryRun(ctx context.Context, sources []Source, w Watcher) (Summary, error) {
	ports := i.ports
	ports.Store = &dryRun{Store: i.ports.Store, feed: i.ports.Feed, seen: map[imported.Ref]bool{}}
	ports.Pictures = discardedMedia{i.ports.Pictures}
	dry := slices.Clone(sources)
	for n := range dry {
		dry[n].Rejects = func(int64) (imported.Rejects, error) { return &discardedRejects{}, nil }
	}
	return (&Importer{ports}).Import(ctx, dry, w)
}

// dryRun is a store that holds references in memory.
type dryRun struct {
	imported.Store
	feed feed.Reader
	seen map[imported.Ref]bool
	tree map[feed.CategoryID]feed.CategoryID
}

func (r *dryRun) Apply(ctx context.Context, b imported.Batch) ([]imported.Outcome, error) {
	known, err := r.Known(ctx, imported.NeedsOf(b.Records))
	if err != nil {
		return nil, err
	}
	if err := r.loadTree(ctx); err != nil {
		return nil, err
	}
	plan := imported.PlanOf(b.Records, known, r.tree)
	outcomes := make([]imported.Outcome, len(b.Records))
	for _, n := range plan.Ready {
		r.remember(b.Records[n])
	}
	for n, wrong := range plan.Missing {
		outcomes[n] = imported.Outcome{Status: imported.Waits, Wrong: wrong}
	}
	return outcomes, nil
}

// Complete does nothing: nothing was imported.
func (r *dryRun) Complete(context.Context, imported.Completion) error { return nil }

// BeginRun does nothing: a rehearsal is no run.
func (r *dryRun) BeginRun(context.Context, time.Time, []string) (imported.RunID, error) {
	return 0, nil
}

// EndRun does nothing.
func (r *dryRun) EndRun(context.Context, imported.Run, []imported.RejectedLine) error { return nil }

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
	if ref := record.Ref(); slices.Contains(referredKinds, ref.Kind) {
		r.seen[ref] = true
	}
	if category, is := record.(imported.CategoryRecord); is {
		r.tree[category.ID] = category.Parent
	}
}

func (r *dryRun) Progress(context.Context, string) ([]byte, error) { return nil, nil }

func (r *dryRun) Finish(context.Context, string) error { return nil }

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

func (discardedMedia) Put(context.Context, media.Key, []byte) error { return nil }

func (discardedMedia) Remove(context.Context, media.Key) error { return nil }

// discardedRejects discards rejects.
type discardedRejects struct{}

func (*discardedRejects) Keep(context.Context, []imported.Reject) error { return nil }
func (*discardedRejects) Length() int64                                 { return 0 }
func (*discardedRejects) Close() error                                  { return nil }
