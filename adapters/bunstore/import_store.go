package bunstore

import (
	"context"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/imported"
	"plaza/domain/media"
)

// ImportStore implements imported.Store. The table import_lines is that of older releases, whose
// lines waited there for the records that they need. Imports leave it alone, an erasure deletes what
// is left there of a person, and a later release drops it.
type ImportStore struct{ s *Store }

// Imports returns the store of imports.
func (s *Store) Imports() ImportStore { return ImportStore{s} }

var _ imported.Store = ImportStore{}

// importLock is the name of the lock that admits one batch at a time, so that the records that
// a batch has read do not change before it is stored. Servers of older releases lock the same
// name.
const importLock = "deliveries"

// importCalls is how many times the limit of a call a batch may take: it has thousands
// of rows, and an interrupted batch is applied again.
const importCalls = 6

// Apply retries when a concurrent writer has added a record that the batch adds.
func (v ImportStore) Apply(ctx context.Context, b imported.Batch) (outcomes []imported.Outcome, err error) {
	for range engine.Attempts {
		err = v.s.writeWithin(ctx, importCalls*v.s.Limit, nil, func(ctx context.Context, tx *listedTransaction) (err error) {
			outcomes, err = v.s.applyBatch(ctx, tx, b)
			return err
		})
		if err == nil || !v.s.Dialect.IsDuplicate(err, "", "") {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return outcomes, nil
}

// applyBatch stores the ready records, kind by kind: none depends on a later kind.
func (s *Store) applyBatch(ctx context.Context, tx *listedTransaction, b imported.Batch) ([]imported.Outcome, error) {
	if err := s.Dialect.Lock(ctx, tx, importLock); err != nil {
		return nil, err
	}
	if err := s.Dialect.PrepareBulk(ctx, tx, importCalls*s.Limit); err != nil {
		return nil, err
	}
	t := newBatchApply(s, tx, b)
	if err := t.lookUp(ctx); err != nil {
		return nil, err
	}
	ready := t.plan()
	for _, store := range []func(context.Context, map[imported.Kind][]int) error{
		t.users, t.categories, t.bundlesAndPublications, t.nodes, t.demands, t.howToRecords, t.news,
	} {
		if err := store(ctx, ready); err != nil {
			return nil, err
		}
	}
	if err := t.insertListings(ctx); err != nil {
		return nil, err
	}
	return t.outcomes, t.run(ctx, []engine.Step{{Statement: s.steps.saveProgress, Args: []any{b.Import, b.Progress}}})
}

func (v ImportStore) Progress(ctx context.Context, name string) (progress []byte, err error) {
	err = v.s.Read(ctx, func(ctx context.Context) error {
		progress = nil
		return v.s.ScanRows(ctx, v.s.steps.loadProgress, []any{name}, func(scan func(...any) error) error { return scan(&progress) })
	})
	return progress, err
}

func (v ImportStore) Finish(ctx context.Context, name string) error {
	return v.s.writeAll(ctx, []engine.Step{{Statement: v.s.steps.finish, Args: []any{name}}})
}

func (v ImportStore) Complete(ctx context.Context, c imported.Completion) error {
	d := v.s.Dialect
	return v.s.writeAll(ctx, []engine.Step{{Statement: v.s.steps.complete, Args: []any{d.Instant(c.Began), d.Instant(c.Ended)}}})
}

func (v ImportStore) Cover(ctx context.Context, d imported.Digest) (p media.Picture, is bool, err error) {
	err = v.s.Read(ctx, func(ctx context.Context) error {
		is = false
		return v.s.ScanRows(ctx, v.s.steps.cover, []any{d[:]}, func(scan func(...any) error) error {
			is = true
			return scanPicture(&p, scan)
		})
	})
	return p, is, err
}

func (v ImportStore) RememberCover(ctx context.Context, d imported.Digest, p media.Picture) (kept media.Picture, err error) {
	text, err := engine.Cover(p).Text()
	if err != nil {
		return media.Picture{}, err
	}
	err = v.s.writeAll(ctx, []engine.Step{
		{Statement: v.s.steps.insertCover, Args: []any{d[:], text}},
		{Statement: v.s.steps.cover, Args: []any{d[:]}, Row: func(scan func(...any) error) error { return scanPicture(&kept, scan) }},
	})
	return kept, err
}

func scanPicture(p *media.Picture, scan func(...any) error) error {
	return scan((*engine.Cover)(p))
}

func (v ImportStore) Known(ctx context.Context, refs []imported.Ref) (known map[imported.Ref]bool, err error) {
	err = v.s.Read(ctx, func(ctx context.Context) error {
		t := newBatchApply(v.s, nil, imported.Batch{})
		var n references
		n.need(refs)
		err := v.s.Dialect.Query(ctx, t.lookups(n)...)
		known = t.known()
		return err
	})
	return known, err
}
