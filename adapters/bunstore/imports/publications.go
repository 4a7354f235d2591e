package imports

import (
	feedstore "plaza/adapters/bunstore/feed"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/imported"
)

// bundleRecords stores bundles, which publications name.
func (t *batchApply) bundleRecords() error {
	return storeRecords(t, imported.Bundle, func(r imported.BundleRecord) bundleRow {
		t.bundles[r.ID] = r.Bundle
		return bundleRow{ID: r.ID, FirstOriginalID: r.FirstOriginal, OriginalID: r.Original}
	})
}

// publicationRecords stores publications, and changes those of changed bundles.
func (t *batchApply) publicationRecords() error {
	err := storeRecords(t, imported.Publication, func(r imported.PublicationRecord) feedstore.PublicationRow {
		r.Author, r.Bundle = t.users[r.By].ID, t.bundle(r.Bundle.ID)
		return feedstore.PublicationRowOf(r.Publication)
	})
	if err != nil {
		return err
	}
	var rows []feedstore.PublicationRow
	changed := engine.Mapped(t.stored(imported.Bundle), func(i int) int64 { return t.batch.Records[i].Ref().Number() })
	if err := t.tx.NewSelect().Model(&rows).Where("bundle_id ?", engine.AnyOf(changed)).Scan(t.tx.Context()); err != nil {
		return err
	}
	for _, row := range rows {
		old, next := row.Publication(), row.Publication()
		if next.Bundle = t.bundle(row.BundleID); next.Bundle == old.Bundle {
			continue // of the batch
		}
		engine.Update(t.tx, feedstore.PublicationRowOf(next))
		t.Replace(old, next)
	}
	return t.RelistOrigins(t.tx)
}
