package bunstore

import (
	"context"
	"maps"
	"slices"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/publication"
)

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
	return all, t.run(ctx, steps)
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
	return t.run(ctx, appendRead(t, nil, t.s.steps.translations, changed, func(scan func(...any) error) error {
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
	}))
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
	err = t.run(ctx, []engine.Step{{
		Statement: t.s.steps.visibleBundles, Args: []any{t.s.Dialect.ListOf(bundles), t.s.Dialect.ListOf(engine.Filled(stored))},
		Row: func(scan func(...any) error) error {
			var id publication.BundleID
			err := scan(&id)
			before[id], after[id] = true, true
			return err
		},
	}})
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
