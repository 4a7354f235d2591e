package bunstore

import (
	"context"

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
	for range attempts {
		err = v.s.writeWithin(ctx, importCalls*v.s.limit, nil, func(ctx context.Context, tx *transaction) (err error) {
			result, err = v.s.applyBatch(ctx, tx, d)
			return err
		})
		if err == nil || !v.s.dialect.isDuplicate(err, "", "") {
			break
		}
	}
	if err != nil {
		return imported.BatchResult{}, err
	}
	return result, nil
}

// applyBatch stores the ready records, kind by kind: none depends on a later kind.
func (s *Store) applyBatch(ctx context.Context, tx *transaction, d imported.Batch) (imported.BatchResult, error) {
	if err := s.dialect.lock(ctx, tx, importLock); err != nil {
		return imported.BatchResult{}, err
	}
	if err := s.dialect.prepareBulk(ctx, tx, importCalls*s.limit); err != nil {
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
	err = v.s.read(ctx, func(ctx context.Context) error {
		progress = nil
		return v.s.each(ctx, v.s.sql.loadProgress, []any{file}, func(scan func(...any) error) error { return scan(&progress) })
	})
	return progress, err
}

func (v ImportStore) Waiting(ctx context.Context, file string, after int64, most, bytes int) ([]imported.Line, error) {
	args := []any{file, after, int64(max(most, 0)), int64(bytes)}
	return readAll(ctx, v.s, v.s.sql.waiting, args, func(scan scanner) (l imported.Line, err error) {
		err = scan(&l.Number, &l.Raw)
		return l, err
	})
}

func (v ImportStore) Finish(ctx context.Context, files ...string) error {
	var steps []step
	for _, file := range files {
		for _, statement := range v.s.sql.finish {
			steps = append(steps, step{statement: statement, args: []any{file}})
		}
	}
	return v.s.writeAll(ctx, steps)
}

func (v ImportStore) Complete(ctx context.Context, c imported.Completion) error {
	d := v.s.dialect
	return v.s.writeAll(ctx, []step{{statement: v.s.sql.complete, args: []any{d.instant(dbTime{c.Began}), d.instant(dbTime{c.Ended})}}})
}

func (v ImportStore) Cover(ctx context.Context, d imported.Digest) (p media.Picture, is bool, err error) {
	err = v.s.read(ctx, func(ctx context.Context) error {
		is = false
		return v.s.each(ctx, v.s.sql.cover, []any{d[:]}, func(scan func(...any) error) error {
			is = true
			return scanPicture(&p, scan)
		})
	})
	return p, is, err
}

func (v ImportStore) RememberCover(ctx context.Context, d imported.Digest, p media.Picture) (kept media.Picture, err error) {
	text, err := cover(p).text()
	if err != nil {
		return media.Picture{}, err
	}
	err = v.s.writeAll(ctx, []step{
		{statement: v.s.sql.insertCover, args: []any{d[:], text}},
		{statement: v.s.sql.cover, args: []any{d[:]}, row: func(scan func(...any) error) error { return scanPicture(&kept, scan) }},
	})
	return kept, err
}

func scanPicture(p *media.Picture, scan func(...any) error) error {
	return scan((*cover)(p))
}

func (v ImportStore) Known(ctx context.Context, refs []imported.Ref) (known map[imported.Ref]bool, err error) {
	err = v.s.read(ctx, func(ctx context.Context) error {
		known = map[imported.Ref]bool{}
		return v.s.dialect.query(ctx, v.s.knownReads(refs, known)...)
	})
	return known, err
}

// knownReads returns the reads that add the stored refs to known.
func (s *Store) knownReads(refs []imported.Ref, known map[imported.Ref]bool) (reads []step) {
	ids, sources := map[imported.Kind][]int64{}, map[imported.Kind][]string{}
	var categories, robots []string
	asked := map[imported.Ref]bool{}
	for _, ref := range distinct(refs) {
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
	for kind, statement := range s.sql.known {
		var wanted any = ids[kind]
		if len(sources[kind]) > 0 {
			wanted = sources[kind]
		} else if len(ids[kind]) == 0 {
			continue
		}
		reads = append(reads, step{statement: statement, args: []any{s.dialect.listOf(wanted)}, row: func(scan func(...any) error) error {
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
