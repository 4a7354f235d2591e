// Package imports stores imported records in batches.
package imports

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	feedstore "plaza/adapters/bunstore/feed"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/media"
	"plaza/domain/page"
)

// Store implements imported.Store.
type Store struct{ DB *engine.DB }

// importCalls is how many times the limit of a call a batch may take: it has thousands
// of rows, and an interrupted batch is applied again.
const importCalls = 6

// saveProgress stores the progress $2 of the import $1.
const saveProgress = `
	INSERT INTO imports (file, progress) VALUES ($1, $2)
	ON CONFLICT (file) DO UPDATE SET progress = EXCLUDED.progress`

// Apply retries when a concurrent writer has added a record that the batch adds.
func (v Store) Apply(ctx context.Context, b imported.Batch) (outcomes []imported.Outcome, err error) {
	for range engine.Attempts {
		err = v.DB.Within(importCalls*v.DB.Limit).Write(ctx, func(tx *engine.Tx) error {
			t := &batchApply{db: v.DB, tx: tx, batch: b, ready: map[imported.Kind][]int{}, listable: map[int]feed.Listable{}}
			err := t.apply()
			outcomes = t.outcomes
			return err
		})
		if err == nil || !v.DB.Dialect.IsDuplicate(err, "", "") {
			break
		}
	}
	return outcomes, err
}

// apply stores the ready records, kind by kind: none depends on a later kind. What searches find of them is made while a
// database server stores them.
func (t *batchApply) apply() error {
	t.entering.Go(t.makeEntries)
	defer t.entering.Wait()
	t.tx.Lock(feedstore.RecordsLock)
	if err := t.db.Dialect.PrepareBulk(t.tx.Context(), t.tx, importCalls*t.db.Limit); err != nil {
		return err
	}
	needs := imported.NeedsOf(t.batch.Records)
	t.tx.Add(t.reads(t.db, t.batch.Records, needs)...)
	if err := t.tx.Send(); err != nil {
		return err
	}
	var all []int
	all, t.outcomes = imported.Decide(t.batch.Records, t.accountsOf, t.known(needs), t.parents)
	for _, i := range all {
		kind := t.batch.Records[i].Ref().Kind
		t.ready[kind] = append(t.ready[kind], i)
	}
	for _, store := range []func() error{
		t.userRecords, t.categoryRecords, t.bundleRecords, t.publicationRecords, t.nodeRecords, t.demandRecords, t.texts, t.words,
		t.howToRecords, t.newsRecords,
	} {
		if err := store(); err != nil {
			return err
		}
	}
	if len(t.former) > 0 {
		feedstore.DiscardCovers(t.db, t.tx, t.former)
	}
	t.tx.Queue(saveProgress, t.batch.Import, t.batch.Progress)
	return t.Write(t.db, t.tx)
}

func (v Store) Progress(ctx context.Context, name string) (progress []byte, err error) {
	err = v.DB.ReadRow(ctx, "SELECT progress FROM imports WHERE file = $1", []any{name}, &progress)
	return progress, err
}

func (v Store) Finish(ctx context.Context, name string) error {
	return v.DB.Exec(ctx, "DELETE FROM imports WHERE file = $1", name)
}

// completeImport records that an import began at $1 and ended at $2.
const completeImport = `
	INSERT INTO import_completion AS c (id, began, ended) VALUES (1, $1, $2)
	ON CONFLICT (id) DO UPDATE SET began = EXCLUDED.began, ended = EXCLUDED.ended WHERE c.ended < EXCLUDED.ended`

func (v Store) Complete(ctx context.Context, c imported.Completion) error {
	return v.DB.Exec(ctx, completeImport, c.Began, c.Ended)
}

const (
	// importCover finds the picture for the digest $1, and that it has one.
	importCover = `
		SELECT picture, TRUE FROM import_covers WHERE digest = $1`

	// rememberCover stores the picture $2 for the digest $1.
	rememberCover = `
		INSERT INTO import_covers (digest, picture) VALUES ($1, $2)
		ON CONFLICT (digest) DO NOTHING`
)

func (v Store) Cover(ctx context.Context, d imported.Digest) (kept media.Picture, found bool, err error) {
	err = v.DB.ReadRow(ctx, importCover, []any{d[:]}, (*engine.Cover)(&kept), &found)
	return kept, found, err
}

func (v Store) RememberCover(ctx context.Context, d imported.Digest, p media.Picture) (kept media.Picture, err error) {
	err = v.DB.Write(ctx, func(tx *engine.Tx) error {
		tx.Queue(rememberCover, d, p)
		tx.Queue(importCover, d).Into((*engine.Cover)(&kept), new(bool))
		return nil
	})
	return kept, err
}

func (v Store) Known(ctx context.Context, refs []imported.Ref) (map[imported.Ref]bool, error) {
	var stored importState
	err := v.DB.ReadRows(ctx, func() {}, stored.reads(v.DB, nil, refs)...)
	return stored.known(refs), err
}

// importRunRow is a run of an import without its rejects.
type importRunRow struct {
	bun.BaseModel `bun:"table:import_runs,alias:r"`
	ID            imported.RunID `bun:",pk,autoincrement"`
	State         imported.RunState
	Unfinished    bool
	Began         engine.Time
	Ended         engine.Time // of an unfinished one when it began
	Counts        imported.RunCounts
	engine.PageRow
}

func (r importRunRow) run() imported.Run {
	run := imported.Run{ID: r.ID, State: r.State, Began: r.Began.Time, Ended: r.Ended.Time, RunCounts: r.Counts}
	if r.Unfinished {
		run.State, run.Ended = imported.RunUnfinished, time.Time{}
	}
	return run
}

// rejectsRow is a run with its rejects.
type rejectsRow struct {
	importRunRow `bun:",extend"`
	Rejects      []imported.RejectedLine
}

const (
	// insertRun adds a run: $1 state, $2 began, $3 counts.
	insertRun = `
		INSERT INTO import_runs (state, unfinished, began, ended, counts, rejects) VALUES ($1, TRUE, $2, $2, $3, '[]')
		RETURNING id`

	// endRun ends the run $1: $2 state, $3 ended, $4 counts, $5 rejects.
	endRun = `
		UPDATE import_runs SET state = $2, unfinished = FALSE, ended = $3, counts = $4, rejects = $5 WHERE id = $1`
)

// BeginRun stores the run as an interrupted one, until it ends.
func (v Store) BeginRun(ctx context.Context, began time.Time, files []string) (id imported.RunID, err error) {
	err = v.DB.Write(ctx, func(tx *engine.Tx) error {
		tx.Queue(insertRun, imported.RunInterrupted, began, engine.AsJSON{Of: imported.RunCounts{Files: files}}).Into((*int64)(&id))
		return nil
	})
	return id, err
}

func (v Store) EndRun(ctx context.Context, r imported.Run, rejects []imported.RejectedLine) error {
	some := engine.Filled(rejects[:min(len(rejects), imported.MaxRejects)])
	return v.DB.Exec(ctx, endRun, r.ID, r.State, r.Ended, engine.AsJSON{Of: r.RunCounts}, engine.AsJSON{Of: some})
}

func (v Store) Runs(ctx context.Context, f imported.RunFilter, p page.Request) (page.Page[imported.Run], error) {
	rows, err := engine.ListPage[importRunRow](ctx, v.DB, p, func(query *bun.SelectQuery) *bun.SelectQuery {
		switch f.State {
		case "":
		case imported.RunUnfinished:
			query = query.Where("unfinished")
		default:
			query = query.Where("NOT unfinished AND state = ?", f.State)
		}
		if f.IsRejecting {
			query = query.Where("rejects <> '[]'")
		}
		return engine.Within(query, "began", f.Span)
	}, engine.LatestID(f.Span, func(r importRunRow) int64 { return int64(r.ID) }))
	return page.Map(rows, importRunRow.run), err
}

func (v Store) RejectsOf(ctx context.Context, id imported.RunID) ([]imported.RejectedLine, error) {
	row, err := engine.SelectOne[rejectsRow](ctx, v.DB, imported.ErrNoRun, "id = ?", id)
	return row.Rejects, err
}
