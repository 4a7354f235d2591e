package bunstore

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/publication"
)

// ImportStore implements imported.Store. The table import_lines is that of older releases, whose
// lines waited there for the records that they need. Imports leave it alone, an erasure deletes what
// is left there of a person, and a later release drops it.
type ImportStore struct{ s *Store }

// Imports returns the store of imports.
func (s *Store) Imports() ImportStore { return ImportStore{s} }

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
	if err := tx.Run(ctx, t.lookups(referencesIn(b.Records))...); err != nil {
		return nil, err
	}
	ready := t.plan()
	for _, store := range []func(context.Context, map[imported.Kind][]int) error{
		t.users, t.categories, t.bundlesAndPublications, t.nodes, t.demands, t.texts, t.howToRecords, t.news,
	} {
		if err := store(ctx, ready); err != nil {
			return nil, err
		}
	}
	if err := t.insertListings(ctx); err != nil {
		return nil, err
	}
	return t.outcomes, tx.Run(ctx, engine.Step{Statement: s.steps.saveProgress, Args: []any{b.Import, b.Progress}})
}

func (v ImportStore) Progress(ctx context.Context, name string) (progress []byte, err error) {
	err = v.s.ReadRow(ctx, "SELECT progress FROM imports WHERE file = $1", []any{name}, &progress)
	return progress, err
}

func (v ImportStore) Finish(ctx context.Context, name string) error {
	return v.s.exec(ctx, v.s.Writer.NewDelete().Table("imports").Where("file = ?", name))
}

func (v ImportStore) Complete(ctx context.Context, c imported.Completion) error {
	const later = "INSERT INTO import_completion AS c (id, began, ended) VALUES (1, $1, $2)" +
		" ON CONFLICT (id) DO UPDATE SET began = EXCLUDED.began, ended = EXCLUDED.ended WHERE c.ended < EXCLUDED.ended"
	return v.s.writeAll(ctx, []engine.Step{{Statement: later, Args: []any{v.s.Dialect.Instant(c.Began), v.s.Dialect.Instant(c.Ended)}}})
}

const importCover = "SELECT picture FROM import_covers WHERE digest = $1"

func (v ImportStore) Cover(ctx context.Context, d imported.Digest) (media.Picture, bool, error) {
	found, err := engine.ReadAll(ctx, v.s.DB, importCover, []any{d[:]}, scanPicture)
	if err != nil || len(found) == 0 {
		return media.Picture{}, false, err
	}
	return found[0], true, nil
}

func (v ImportStore) RememberCover(ctx context.Context, d imported.Digest, p media.Picture) (media.Picture, error) {
	text, err := engine.Cover(p).Text()
	if err != nil {
		return media.Picture{}, err
	}
	var kept []media.Picture
	err = v.s.writeAll(ctx, []engine.Step{
		{Statement: "INSERT INTO import_covers (digest, picture) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING", Args: []any{d[:], text}},
		{Statement: importCover, Args: []any{d[:]}, Row: engine.Collect(&kept, scanPicture)},
	})
	if err != nil {
		return media.Picture{}, err
	}
	return kept[len(kept)-1], nil
}

func scanPicture(scan engine.Scanner) (p media.Picture, err error) {
	err = scan((*engine.Cover)(&p))
	return p, err
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

// bundlesAndPublications stores the bundles, and then the publications of the batch and
// those affected by the changed bundles.
func (t *batchApply) bundlesAndPublications(ctx context.Context, ready map[imported.Kind][]int) error {
	changed, err := t.storeBundles(ctx, ready[imported.Bundle])
	if err != nil {
		return err
	}
	all, err := t.rebundled(ctx, changed, ready[imported.Publication])
	if err != nil {
		return err
	}
	for _, i := range ready[imported.Publication] {
		r := t.batch.Records[i].(imported.PublicationRecord)
		r.Author, r.Bundle = t.uids[r.By], t.bundle(r.Bundle.ID)
		all = t.replace(all, i, item{feed.Publication, int64(r.ID)}, r.Publication)
	}
	if len(all) == 0 {
		return nil
	}
	if err := t.relistOrigins(ctx, all); err != nil {
		return err
	}
	return t.put(ctx, feed.Publication, all)
}

// bundle returns the current bundle.
func (t *batchApply) bundle(id publication.BundleID) publication.Bundle {
	b := t.bundles[id]
	b.ID = id
	return b
}

// storeBundles stores the bundles and returns the changed ones.
func (t *batchApply) storeBundles(ctx context.Context, ready []int) (changed []publication.BundleID, err error) {
	var c tableChanges
	for _, i := range ready {
		next := t.batch.Records[i].(imported.BundleRecord).Bundle
		old, has := t.bundles[next.ID]
		if t.noteOutcome(i, has, old == next) {
			c.put(bundleTable.Values(&next, t.s.Dialect), has, t.s.steps.updateBundle)
			t.bundles[next.ID] = next
			changed = append(changed, next.ID)
		}
	}
	return changed, t.store(ctx, bundleTable.Name, bundleTable.Names(), c)
}

// rebundled returns the publications that the changed bundles affect, except those at
// the indexes of the batch.
func (t *batchApply) rebundled(ctx context.Context, changed []publication.BundleID, places []int) (all []replacement, err error) {
	coming := map[publication.ID]bool{}
	for _, i := range places {
		coming[t.batch.Records[i].(imported.PublicationRecord).ID] = true
	}
	steps := appendRead(t, nil, t.s.steps.publicationsOf, engine.Numbers(changed), func(scan func(...any) error) error {
		id, record, err := scanRecord(feed.Publication, scan, t.s.Dialect)
		if err != nil {
			return err
		}
		old := record.(publication.Publication)
		next := old
		next.Bundle = t.bundle(old.Bundle.ID)
		if next.Bundle != old.Bundle && !coming[old.ID] {
			all = append(all, replacement{item{feed.Publication, id}, old, next})
		}
		return nil
	})
	return all, t.tx.Run(ctx, steps...)
}

// relistOrigins updates the origin listings of the publications that are about to be
// stored, and of the translations of bundles whose visibility changes.
func (t *batchApply) relistOrigins(ctx context.Context, all []replacement) error {
	before, after, err := t.visibility(ctx, all)
	if err != nil {
		return err
	}
	own := make(map[int64]bool, len(all))
	for _, r := range all {
		own[r.at.id] = true
		next := r.next.(publication.Publication)
		var was feed.Listable
		if old, is := r.old.(publication.Publication); is {
			was = origin{old, before[old.Bundle.FirstOriginal]}
		}
		t.relist(item{origins, r.at.id}, was, origin{next, after[next.Bundle.FirstOriginal]})
	}
	var changed []int64
	for bundle := range after {
		if before[bundle] != after[bundle] {
			changed = append(changed, int64(bundle))
		}
	}
	return t.tx.Run(ctx, appendRead(t, nil, t.s.steps.translations, changed, func(scan func(...any) error) error {
		id, record, err := scanRecord(feed.Publication, scan, t.s.Dialect)
		if err != nil || own[id] {
			return err
		}
		p := record.(publication.Publication)
		first := p.Bundle.FirstOriginal
		was, is := listed(origin{p, before[first]}), listed(origin{p, after[first]})
		if (was == nil) != (is == nil) {
			t.tx.changes.replace(item{origins, id}, was, is)
		}
		return nil
	})...)
}

// visibility reports which bundles of the publications are visible before and after
// they are stored. after has an entry for each bundle.
func (t *batchApply) visibility(ctx context.Context, all []replacement) (before, after map[publication.BundleID]bool, err error) {
	before, after = map[publication.BundleID]bool{}, map[publication.BundleID]bool{}
	var stored []int64
	for _, r := range all {
		for _, record := range []feed.Listable{r.old, r.next} {
			if p, is := record.(publication.Publication); is {
				after[p.Bundle.ID], after[p.Bundle.FirstOriginal] = false, false
			}
		}
		if r.old != nil {
			stored = append(stored, r.at.id)
		}
	}
	delete(after, 0)
	bundles := engine.Numbers(slices.Collect(maps.Keys(after)))
	err = t.tx.Run(ctx, engine.Step{
		Statement: t.s.steps.visibleBundles, Args: []any{t.s.Dialect.ListOf(bundles), t.s.Dialect.ListOf(engine.Filled(stored))},
		Row: func(scan func(...any) error) error {
			var id publication.BundleID
			err := scan(&id)
			before[id], after[id] = true, true
			return err
		},
	})
	for _, r := range all {
		if old, is := r.old.(publication.Publication); is && old.IsVisible() {
			before[old.Bundle.ID] = true
		}
		if next := r.next.(publication.Publication); next.IsVisible() {
			after[next.Bundle.ID] = true
		}
	}
	delete(before, 0)
	delete(after, 0)
	return before, after, err
}

// importRunRow is a run of an import without its rejects.
type importRunRow struct {
	bun.BaseModel `bun:"table:import_runs,alias:r"`
	ID            imported.RunID `bun:",pk,autoincrement"`
	State         imported.RunState
	Unfinished    bool
	Began         engine.Time
	Ended         engine.Time // of an unfinished one when it began
	Counts        string      // JSON of imported.RunCounts
	engine.PageRow
}

// BeginRun stores the run as an interrupted one, until it ends.
func (v ImportStore) BeginRun(ctx context.Context, began time.Time, files []string) (id imported.RunID, err error) {
	counts, err := json.Marshal(imported.RunCounts{Files: files})
	if err != nil {
		return 0, fmt.Errorf("encode run of an import: %w", err)
	}
	at := v.s.Dialect.Instant(began)
	return id, v.s.writeAll(ctx, []engine.Step{{
		Statement: `
			INSERT INTO import_runs (state, unfinished, began, ended, counts, rejects) VALUES ($1, true, $2, $3, $4, '[]')
			RETURNING id`,
		Args: []any{string(imported.RunInterrupted), at, at, string(counts)}, Row: engine.Into((*int64)(&id)),
	}})
}

func (v ImportStore) EndRun(ctx context.Context, r imported.Run, rejects []imported.RejectedLine) error {
	counts, err := json.Marshal(r.RunCounts)
	if err != nil {
		return fmt.Errorf("encode run of an import: %w", err)
	}
	lines, err := json.Marshal(rejects[:min(len(rejects), imported.MaxRejects)])
	if err != nil {
		return fmt.Errorf("encode rejects of an import: %w", err)
	}
	return v.s.writeAll(ctx, []engine.Step{{
		Statement: "UPDATE import_runs SET state = $1, unfinished = false, ended = $2, counts = $3, rejects = $4 WHERE id = $5",
		Args:      []any{string(r.State), v.s.Dialect.Instant(r.Ended), string(counts), string(lines), int64(r.ID)},
	}})
}

func (v ImportStore) Runs(ctx context.Context, p page.Request) (page.Page[imported.Run], error) {
	rows, err := engine.ListPage[importRunRow](ctx, v.s.DB, p, func(query *bun.SelectQuery) *bun.SelectQuery { return query }, "id DESC")
	if err != nil {
		return page.Page[imported.Run]{}, err
	}
	runs := make([]imported.Run, len(rows.Items))
	for i, row := range rows.Items {
		runs[i] = imported.Run{ID: row.ID, State: row.State, Began: row.Began.Time, Ended: row.Ended.Time}
		if row.Unfinished {
			runs[i].State, runs[i].Ended = imported.RunUnfinished, time.Time{}
		}
		if err := json.Unmarshal([]byte(row.Counts), &runs[i].RunCounts); err != nil {
			return page.Page[imported.Run]{}, fmt.Errorf("decode run %d of imports: %w", row.ID, err)
		}
	}
	return page.With(rows, runs), nil
}

func (v ImportStore) RejectsOf(ctx context.Context, id imported.RunID) (rejects []imported.RejectedLine, err error) {
	var stored []string
	stored, err = engine.ReadAll(ctx, v.s.DB, "SELECT rejects FROM import_runs WHERE id = $1", []any{int64(id)},
		func(scan engine.Scanner) (lines string, err error) {
			err = scan(&lines)
			return lines, err
		})
	switch {
	case err != nil:
		return nil, err
	case len(stored) == 0:
		return nil, imported.ErrNoRun
	}
	if err := json.Unmarshal([]byte(stored[0]), &rejects); err != nil {
		return nil, fmt.Errorf("decode rejects of import %d: %w", id, err)
	}
	return rejects, nil
}
