package bunstore

import (
	"context"
	"math"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/imported"
	"plaza/domain/media"
)

// ImportStore implements imported.Store.
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
func (v ImportStore) Apply(ctx context.Context, d imported.Batch) (result imported.BatchResult, err error) {
	for range engine.Attempts {
		err = v.s.writeWithin(ctx, importCalls*v.s.Limit, nil, func(ctx context.Context, tx *listedTransaction) (err error) {
			result, err = v.s.applyBatch(ctx, tx, d)
			return err
		})
		if err == nil || !v.s.Dialect.IsDuplicate(err, "", "") {
			break
		}
	}
	if err != nil {
		return imported.BatchResult{}, err
	}
	return result, nil
}

// applyBatch stores the ready records, kind by kind: none depends on a later kind.
func (s *Store) applyBatch(ctx context.Context, tx *listedTransaction, d imported.Batch) (imported.BatchResult, error) {
	if err := s.Dialect.Lock(ctx, tx, importLock); err != nil {
		return imported.BatchResult{}, err
	}
	if err := s.Dialect.PrepareBulk(ctx, tx, importCalls*s.Limit); err != nil {
		return imported.BatchResult{}, err
	}
	t := newBatchApply(s, tx, d)
	if err := t.lookUp(ctx); err != nil {
		return imported.BatchResult{}, err
	}
	ready := t.plan()
	for _, store := range []func(context.Context, map[imported.Kind][]int) error{
		t.users, t.categories, t.bundlesAndPublications, t.nodes, t.demands, t.howToRecords, t.news,
	} {
		if err := store(ctx, ready); err != nil {
			return imported.BatchResult{}, err
		}
	}
	if err := t.insertListings(ctx); err != nil {
		return imported.BatchResult{}, err
	}
	replaced, err := t.saveLines(ctx)
	return imported.BatchResult{Outcomes: t.outcomes, Replaced: replaced}, err
}

func (v ImportStore) Progress(ctx context.Context, file string) (progress []byte, err error) {
	err = v.s.Read(ctx, func(ctx context.Context) error {
		progress = nil
		return v.s.ScanRows(ctx, v.s.steps.loadProgress, []any{file}, func(scan func(...any) error) error { return scan(&progress) })
	})
	return progress, err
}

func (v ImportStore) Waiting(ctx context.Context, file string, after int64, most, bytes int) ([]imported.Line, error) {
	args := []any{file, after, int64(max(most, 0)), int64(bytes)}
	return engine.ReadAll(ctx, v.s.DB, v.s.steps.waiting, args, func(scan engine.Scanner) (l imported.Line, err error) {
		err = scan(&l.Number, &l.Raw)
		return l, err
	})
}

func (v ImportStore) Finish(ctx context.Context, files ...string) error {
	var steps []engine.Step
	for _, file := range files {
		for _, statement := range v.s.steps.finish {
			steps = append(steps, engine.Step{Statement: statement, Args: []any{file}})
		}
	}
	return v.s.writeAll(ctx, steps)
}

func (v ImportStore) Complete(ctx context.Context, c imported.Completion) error {
	d := v.s.Dialect
	return v.s.writeAll(ctx, []engine.Step{{Statement: v.s.steps.complete, Args: []any{d.Instant(engine.Time{Time: c.Began}), d.Instant(engine.Time{Time: c.Ended})}}})
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
		known = map[imported.Ref]bool{}
		return v.s.Dialect.Query(ctx, v.s.knownReads(refs, known)...)
	})
	return known, err
}

// knownReads returns the reads that add the stored refs to known.
func (s *Store) knownReads(refs []imported.Ref, known map[imported.Ref]bool) (reads []engine.Step) {
	ids, sources := map[imported.Kind][]int64{}, map[imported.Kind][]string{}
	var categories, robots []string
	asked := map[imported.Ref]bool{}
	for _, ref := range engine.Distinct(refs) {
		asked[ref] = true
		switch ref.Kind {
		case imported.User, imported.News:
			sources[ref.Kind] = append(sources[ref.Kind], ref.ID)
		case imported.HowTo:
			if category, robot, is := ref.HowTo(); is {
				categories, robots = append(categories, category), append(robots, robot)
			}
		default:
			if id := ref.Number(); id != 0 {
				ids[ref.Kind] = append(ids[ref.Kind], id)
			}
		}
	}
	note := func(ref imported.Ref) {
		if asked[ref] {
			known[ref] = true
		}
	}
	for kind, statement := range s.steps.known {
		var wanted any = ids[kind]
		if len(sources[kind]) > 0 {
			wanted = sources[kind]
		} else if len(ids[kind]) == 0 {
			continue
		}
		reads = append(reads, engine.Step{Statement: statement, Args: []any{s.Dialect.ListOf(wanted)}, Row: func(scan func(...any) error) error {
			var id string
			err := scan(&id)
			note(imported.Ref{Kind: kind, ID: id})
			return err
		}})
	}
	if len(robots) > 0 {
		reads = append(reads, s.howTosOf(categories, robots, func(g imported.HowToRecord) { note(g.Ref()) }))
	}
	return reads
}

// saveLines stores the waiting lines, deletes the others, and returns how many of the
// deleted ones were replaced.
func (t *batchApply) saveLines(ctx context.Context) (replaced int, err error) {
	places := make(map[int64]int, len(t.batch.Lines))
	for i, line := range t.batch.Lines {
		places[line.Number] = i
	}
	waited := map[int]int64{} // lines that waited before, by their index
	for _, w := range t.waiting {
		if i, is := places[w.number]; is && w.file == t.batch.File {
			waited[i] = w.id
		}
	}
	stored := map[imported.Ref]int64{} // arrival; every waiting line arrived before now
	var added [][]any
	var steps []engine.Step
	var gone []int64
	for i, line := range t.batch.Lines {
		ref := line.Record.Ref()
		id, known := waited[i]
		waits := !t.outcomes[i].IsStored()
		switch {
		case waits && known:
			steps = append(steps, engine.Step{Statement: t.s.steps.updateLine, Args: []any{id, string(ref.Kind), ref.ID, engine.Filled(line.Raw)}})
		case waits:
			added = append(added, []any{t.batch.File, line.Number, string(ref.Kind), ref.ID, engine.Filled(line.Raw)})
		case known:
			gone = append(gone, id)
			stored[ref] = id
		default:
			stored[ref] = math.MaxInt64
		}
	}
	for _, id := range t.replaced(stored, waited) {
		replaced++
		gone = append(gone, id)
	}
	steps = appendRead(t, steps, t.s.steps.deleteLines, gone, nil)
	steps = append(steps, engine.Step{Statement: t.s.steps.saveProgress, Args: []any{t.batch.File, t.batch.Progress}})
	if err := t.add(ctx, "import_lines", lineColumns, added); err != nil {
		return 0, err
	}
	return replaced, t.run(ctx, steps)
}

// replaced returns the lines outside of the batch that have a record which is stored
// now, and arrived before it.
func (t *batchApply) replaced(stored map[imported.Ref]int64, own map[int]int64) []int64 {
	counted := make(map[int64]bool, len(own))
	for _, id := range own {
		counted[id] = true
	}
	var ids []int64
	for _, w := range t.waiting {
		if arrived, is := stored[w.ref]; is && w.id < arrived && !counted[w.id] {
			counted[w.id] = true // a line may be found twice
			ids = append(ids, w.id)
		}
	}
	return ids
}
