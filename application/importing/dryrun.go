package importing

import (
	"context"
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
	stored, _, err := i.ports.Feed.Metas(context.WithoutCancel(ctx), feed.Selection{})
	if err != nil {
		return Summary{}, err
	}
	store := &dryRun{i.ports.Store, map[imported.Ref]bool{}, make(map[feed.CategoryID]feed.CategoryID, len(stored))}
	for _, c := range stored {
		store.tree[c.ID] = c.Parent
	}
	ports := i.ports
	ports.Store, ports.Pictures = store, discardedMedia{i.ports.Pictures}
	dry := slices.Clone(sources)
	for n := range dry {
		dry[n].Rejects = func(int64) (imported.Rejects, error) { return discardedRejects{}, nil }
	}
	return (&Importer{ports}).Import(ctx, dry, w)
}

// dryRun is a store that holds references in memory.
type dryRun struct {
	imported.Store
	seen map[imported.Ref]bool
	tree map[feed.CategoryID]feed.CategoryID
}

func (r *dryRun) Apply(ctx context.Context, b imported.Batch) ([]imported.Outcome, error) {
	needs := imported.NeedsOf(b.Records)
	known, err := r.Known(ctx, needs)
	if err != nil {
		return nil, err
	}
	for _, ref := range needs {
		known[ref] = known[ref] || r.seen[ref]
	}
	ready, outcomes := imported.Decide(b.Records, nil, known, r.tree)
	for _, n := range ready {
		if ref := b.Records[n].Ref(); slices.Contains(referredKinds, ref.Kind) {
			r.seen[ref] = true
		}
		if category, is := b.Records[n].(imported.CategoryRecord); is {
			r.tree[category.ID] = category.Parent
		}
	}
	return outcomes, nil
}

// A dry run is no run, and does not resume.
func (*dryRun) BeginRun(context.Context, time.Time, []string) (imported.RunID, error) { return 0, nil }
func (*dryRun) EndRun(context.Context, imported.Run, []imported.RejectedLine) error   { return nil }
func (*dryRun) Progress(context.Context, string) ([]byte, error)                      { return nil, nil }
func (*dryRun) Finish(context.Context, string) error                                  { return nil }
func (*dryRun) Complete(context.Context, imported.Completion) error                   { return nil }
func (*dryRun) RememberCover(_ context.Context, _ imported.Digest, p media.Picture) (media.Picture, error) {
	return p, nil
}

type discardedMedia struct{ media.Store }

func (discardedMedia) Put(context.Context, media.Key, []byte) error { return nil }
func (discardedMedia) Remove(context.Context, media.Key) error      { return nil }

type discardedRejects struct{}

func (discardedRejects) Keep([]imported.Reject) error { return nil }
func (discardedRejects) Length() int64                { return 0 }
func (discardedRejects) Close() error                 { return nil }
