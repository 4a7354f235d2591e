package imports

import (
	"github.com/uptrace/bun"

	feedstore "plaza/adapters/bunstore/feed"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/imported"
)

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
func (t *batchApply) bundleRecords() error {
	return storeRecords(t, imported.Bundle, updateBundle, func(r imported.BundleRecord) bundleRow {
		t.bundles[r.ID] = r.Bundle
		return bundleRow{ID: r.ID, FirstOriginalID: r.FirstOriginal, OriginalID: r.Original}
	})
}

// publicationRecords stores publications, and changes those of changed bundles.
func (t *batchApply) publicationRecords() error {
	err := storeRecords(t, imported.Publication, updatePublication, func(r imported.PublicationRecord) feedstore.PublicationRow {
		r.Author, r.Bundle = t.users[r.By].ID, t.bundle(r.Bundle.ID)
		return feedstore.PublicationRowOf(r.Publication)
	})
	if err != nil {
		return err
	}
	var rows []feedstore.PublicationRow
	changed := engine.Mapped(t.stored(imported.Bundle), func(i int) int64 { return t.batch.Records[i].Ref().Number() })
	if err := t.tx.NewSelect().Model(&rows).Where("bundle_id IN (?)", bun.List(changed)).Scan(t.tx.Context()); err != nil {
		return err
	}
	for _, row := range rows {
		old, next := row.Publication(), row.Publication()
		if next.Bundle = t.bundle(row.BundleID); next.Bundle == old.Bundle {
			continue // of the batch
		}
		t.tx.Add(engine.Step{Statement: updatePublication, Args: engine.Values(t.db, feedstore.PublicationRowOf(next))})
		t.Replace(old, next)
	}
	return t.RelistOrigins(t.tx)
}
