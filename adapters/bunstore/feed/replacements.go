package feed

import (
	"cmp"
	"maps"
	"slices"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
	"plaza/domain/publication"
)

// RecordsLock is the name of the lock that admits one writer of records at a time, so that those that it has read do not
// change before it stores others in their place.
const RecordsLock = "imports"

// Replacements are records that are stored in place of others, with what they change in the feed.
type Replacements struct {
	publications []replacement
	listings     []ListingRow // new ones
	Changes      ListingChanges
}

// replacement replaces an old publication by the next; old is zero for a new one.
type replacement struct{ old, next publication.Publication }

// Replace lists the next record in place of the old one. The old one of a new record is zero, and no record comes after
// one that is not a publication and goes.
func (b *Replacements) Replace(old, next feed.Listable) {
	if p, is := next.(publication.Publication); is {
		b.publications = append(b.publications, replacement{old.(publication.Publication), p})
	}
	b.relist(old, next)
}

// relist replaces the listing of the old record. Write adds new listings.
func (b *Replacements) relist(old, next feed.Listable) {
	was, is := Listed(old), Listed(next)
	if was != nil || is == nil {
		b.Changes.Replace(was, is)
		return
	}
	b.Changes.add(is)
	b.listings = append(b.listings, listingRowOf(is))
}

// Write adds the new listings, sorted so that neighbours in most indexes come together, and queues the other changes of the feed.
func (b *Replacements) Write(db *engine.DB, tx *engine.Tx) error {
	slices.SortFunc(b.listings, func(a, b ListingRow) int {
		return cmp.Or(cmp.Compare(a.CategoryID, b.CategoryID), cmp.Compare(a.Kind, b.Kind), b.Created.Compare(a.Created.Time),
			cmp.Compare(a.ID, b.ID))
	})
	if err := engine.Insert(tx, b.listings); err != nil {
		return err
	}
	WriteListings(db, tx, b.Changes)
	return nil
}

// RelistOrigins updates the origin listings of the replaced publications, and of the translations of bundles whose visibility
// changes.
func (b *Replacements) RelistOrigins(tx *engine.Tx) error {
	if len(b.publications) == 0 {
		return nil
	}
	before, after, err := b.visibility(tx)
	if err != nil {
		return err
	}
	own := make(map[int64]bool, len(b.publications))
	for _, r := range b.publications {
		own[int64(r.next.ID)] = true
		b.relist(Origin{r.old, before[r.old.Bundle.FirstOriginal]}, Origin{r.next, after[r.next.Bundle.FirstOriginal]})
	}
	var changed []publication.BundleID
	for bundle := range after {
		if before[bundle] != after[bundle] {
			changed = append(changed, bundle)
		}
	}
	var translations []PublicationRow
	err = tx.NewSelect().Model(&translations).Where("first_original_id ?", engine.AnyOf(changed)).
		Where("published AND NOT deleted AND NOT hidden").Scan(tx.Context())
	for _, row := range translations {
		p, first := row.Publication(), row.FirstOriginalID
		was, is := Listed(Origin{p, before[first]}), Listed(Origin{p, after[first]})
		if !own[row.ID] && (was == nil) != (is == nil) {
			b.Changes.Replace(was, is)
		}
	}
	return err
}

// visibility reports which bundles of the publications are visible before and after they are replaced. after has an entry
// for each bundle.
func (b *Replacements) visibility(tx *engine.Tx) (before, after map[publication.BundleID]bool, err error) {
	before, after = map[publication.BundleID]bool{}, map[publication.BundleID]bool{}
	var replaced []int64
	for _, r := range b.publications {
		for _, p := range []publication.Publication{r.old, r.next} {
			after[p.Bundle.ID], after[p.Bundle.FirstOriginal] = false, false
		}
		replaced = append(replaced, int64(r.next.ID))
	}
	delete(after, 0)
	var visible []publication.BundleID
	err = tx.NewSelect().Model((*PublicationRow)(nil)).ColumnExpr("DISTINCT bundle_id").
		Where("bundle_id ?", engine.AnyOf(slices.Collect(maps.Keys(after)))).
		Where("published AND NOT deleted AND NOT hidden").Where("NOT id ?", engine.AnyOf(replaced)).Scan(tx.Context(), &visible)
	for _, id := range visible {
		before[id], after[id] = true, true
	}
	for _, r := range b.publications {
		if r.old.IsVisible() {
			before[r.old.Bundle.ID] = true
		}
		if r.next.IsVisible() {
			after[r.next.Bundle.ID] = true
		}
	}
	delete(before, 0)
	delete(after, 0)
	return before, after, err
}
