package bunstore

import (
	"context"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/publication"
)

type bundleRow struct {
	bun.BaseModel   `bun:"table:bundles,alias:b"`
	ID              publication.BundleID `bun:",pk"`
	FirstOriginalID publication.BundleID `bun:",nullzero"`
	OriginalID      publication.BundleID `bun:",nullzero"`
}

func (r bundleRow) bundle() publication.Bundle {
	return publication.Bundle{ID: r.ID, FirstOriginal: r.FirstOriginalID, Original: r.OriginalID}
}

const (
	// updateBundle changes the bundle $1: $2 first original, $3 original.
	updateBundle = `
		UPDATE bundles SET first_original_id = $2, original_id = $3
		WHERE id = $1`

	// updatePublication changes the publication $1: $2 title, $3 cover, $4 author, $5 category, $6 whether it is published, $7
	// deleted, $8 created, $9 updated, $10 bundle, $11 summary, $12 language, $13 and $14 of the bundle, $15 node, $16 type.
	updatePublication = `
		UPDATE publications SET title = $2, cover = $3, author_id = $4, category_id = $5, published = $6, deleted = $7,
			created = $8, updated = $9, bundle_id = $10, summary = $11, language = $12,
			first_original_id = $13, original_id = $14, node_id = $15, type = $16
		WHERE id = $1`
)

// bundleRecords stores bundles, which publications name.
func (t *batchApply) bundleRecords(ctx context.Context) error {
	return storeRecords(ctx, t, imported.Bundle, updateBundle, func(r imported.BundleRecord) bundleRow {
		t.bundles[r.ID] = r.Bundle
		return bundleRow{ID: r.ID, FirstOriginalID: r.FirstOriginal, OriginalID: r.Original}
	})
}

// publicationRecords stores publications, and changes those of changed bundles.
func (t *batchApply) publicationRecords(ctx context.Context) error {
	err := storeRecords(ctx, t, imported.Publication, updatePublication, func(r imported.PublicationRecord) publicationRow {
		r.Author, r.Bundle = t.users[r.By].ID, t.bundle(r.Bundle.ID)
		return publicationRowOf(r.Publication)
	})
	if err != nil {
		return err
	}
	var rows []publicationRow
	changed := engine.Mapped(t.stored(imported.Bundle), func(i int) int64 { return t.batch.Records[i].Ref().Number() })
	if err := t.tx.NewSelect().Model(&rows).Where("bundle_id IN (?)", bun.List(changed)).Scan(ctx); err != nil {
		return err
	}
	for _, row := range rows {
		old, next := row.publication(), row.publication()
		if next.Bundle = t.bundle(row.BundleID); next.Bundle == old.Bundle {
			continue // of the batch
		}
		t.tx.Add(engine.Step{Statement: updatePublication, Args: engine.Values(t.db, publicationRowOf(next))})
		t.replace(replacement{row.at(), old, next})
	}
	return t.relistOrigins(ctx)
}

// relistOrigins updates the origin listings of the replaced publications, and of the translations of bundles whose visibility
// changes.
func (t *batchApply) relistOrigins(ctx context.Context) error {
	if len(t.replaced) == 0 {
		return nil
	}
	before, after, err := t.visibility(ctx)
	if err != nil {
		return err
	}
	own := make(map[int64]bool, len(t.replaced))
	for _, r := range t.replaced {
		own[r.at.id] = true
		next := r.next.(publication.Publication)
		var was feed.Listable
		if old, is := r.old.(publication.Publication); is {
			was = origin{old, before[old.Bundle.FirstOriginal]}
		}
		t.relist(item{origins, r.at.id}, was, origin{next, after[next.Bundle.FirstOriginal]})
	}
	var changed []publication.BundleID
	for bundle := range after {
		if before[bundle] != after[bundle] {
			changed = append(changed, bundle)
		}
	}
	var translations []publicationRow
	err = t.tx.NewSelect().Model(&translations).Where("first_original_id IN (?)", bun.List(changed)).
		Where("published AND NOT deleted").Scan(ctx)
	for _, row := range translations {
		p, first := row.publication(), row.FirstOriginalID
		was, is := listed(origin{p, before[first]}), listed(origin{p, after[first]})
		if !own[row.ID] && (was == nil) != (is == nil) {
			t.changes.replace(item{origins, row.ID}, was, is)
		}
	}
	return err
}

// visibility reports which bundles of the publications are visible before and after they are replaced. after has an entry
// for each bundle.
func (t *batchApply) visibility(ctx context.Context) (before, after map[publication.BundleID]bool, err error) {
	before, after = map[publication.BundleID]bool{}, map[publication.BundleID]bool{}
	var replaced []int64
	for _, r := range t.replaced {
		for _, record := range []feed.Listable{r.old, r.next} {
			if p, is := record.(publication.Publication); is {
				after[p.Bundle.ID], after[p.Bundle.FirstOriginal] = false, false
			}
		}
		replaced = append(replaced, r.at.id)
	}
	delete(after, 0)
	var visible []publication.BundleID
	err = t.tx.NewSelect().Model((*publicationRow)(nil)).ColumnExpr("DISTINCT bundle_id").
		Where("bundle_id IN (?)", bun.List(slices.Collect(maps.Keys(after)))).
		Where("published AND NOT deleted").Where("id NOT IN (?)", bun.List(replaced)).Scan(ctx, &visible)
	for _, id := range visible {
		before[id], after[id] = true, true
	}
	for _, r := range t.replaced {
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
