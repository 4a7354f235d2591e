package bunstore

import (
	"cmp"
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/diary"
	feedstore "plaza/adapters/bunstore/feed"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
	"plaza/domain/search"
)

// checkSource reads the records of a kind of listings.
type checkSource struct {
	kind  feed.Kind
	table string
	read  func(ctx context.Context, query *bun.SelectQuery) ([]feedstore.StoredRecord, error)
	// lock keeps other transactions from changing the records, and what they are listed by.
	lock func(tx *engine.Tx, ids []int64)
}

var checkSources = []checkSource{
	{feed.Publication, "publications", feedstore.SelectRecords[feedstore.PublicationRow], lockRecords},
	{feed.Node, "nodes", feedstore.SelectRecords[feedstore.NodeRow], lockRecords},
	{feed.Demand, "demands", feedstore.SelectRecords[feedstore.DemandRow], lockRecords},
	{feedstore.Origins, "publications", selectOrigins, lockRecords},
	{feed.Event, "events", selectEvents, lockEvents},
}

func lockRecords(tx *engine.Tx, _ []int64) { tx.Lock(feedstore.RecordsLock) }

func lockEvents(tx *engine.Tx, ids []int64) {
	for _, id := range ids {
		tx.Queue(diary.LockEvent, id)
	}
}

// originRow is a publication with what decides whether it is an origin.
type originRow struct {
	feedstore.PublicationRow `bun:",extend"`
	OriginalVisible          bool `bun:",scanonly"`
}

func (r originRow) Record() feed.Listable {
	return feedstore.Origin{Publication: r.Publication(), OriginalVisible: r.OriginalVisible}
}

func selectOrigins(ctx context.Context, query *bun.SelectQuery) ([]feedstore.StoredRecord, error) {
	return feedstore.SelectRecords[originRow](ctx, query.ColumnExpr("?TableColumns").ColumnExpr(`EXISTS (
		SELECT 1 FROM publications f
		WHERE f.bundle_id = p.first_original_id AND f.published AND NOT f.deleted AND NOT f.hidden) AS original_visible`))
}

// selectEvents reads events with their plates.
func selectEvents(ctx context.Context, query *bun.SelectQuery) (all []feedstore.StoredRecord, err error) {
	var rows []diary.EventRow
	err = query.Model(&rows).ModelTableExpr("event_entries AS e").ColumnExpr("?TableColumns").Column("plates").Scan(ctx)
	for _, row := range rows {
		entry, broken := row.Entry()
		all = append(all, feedstore.StoredRecord{ID: int64(row.ID), Record: entry.Event, Broken: broken})
	}
	return all, err
}

// mismatch is a record that can't be read, or is not listed as it should be, or not found by the words that it has.
type mismatch struct {
	feedstore.StoredRecord
	listed        *feed.Listing
	entry, should *search.Entry // in the index of search, as it is and as it should be
}

// mismatches compares records with their listings, and with their entries in the index of search. It returns the last record's ID, or
// 0 without records.
func (c check) mismatches(
	ctx context.Context, s checkSource, records *bun.SelectQuery, query func() *bun.SelectQuery,
) (wrong []mismatch, last int64, err error) {
	all, err := s.read(ctx, records)
	if err != nil || len(all) == 0 {
		return nil, 0, err
	}
	var rows []feedstore.ListingRow
	ids := engine.Mapped(all, func(r feedstore.StoredRecord) int64 { return r.ID })
	err = query().Model(&rows).Where("kind = ? AND id ?", s.kind, engine.AnyOf(ids)).Scan(ctx)
	listed := map[int64]*feed.Listing{}
	for _, row := range rows {
		listed[row.ID] = new(row.Listing())
	}
	if err != nil {
		return nil, 0, err
	}
	entries, texts, err := feedstore.Entries(ctx, c.DB, query, s.kind, ids)
	if err != nil {
		return nil, 0, err
	}
	names, err := feedstore.Names(ctx, query, engine.Mapped(all, func(r feedstore.StoredRecord) feed.Listable { return r.Record }))
	for _, r := range all {
		of := mismatch{StoredRecord: r, listed: listed[r.ID], entry: entries[r.ID]}
		if r.Broken == nil && s.kind != feedstore.Origins {
			of.should = search.EntryOf(r.Record, texts[r.ID]).Named(names(r.Record)...)
		}
		if r.Broken != nil || !feedstore.IsSame(feedstore.Listed(r.Record), of.listed) || !search.IsSame(of.entry, of.should) {
			wrong = append(wrong, of)
		}
	}
	return wrong, all[len(all)-1].ID, err
}

// listings compares all records with their listings in the feed, and finds listings whose records do not exist.
func (c check) listings(ctx context.Context) error {
	for _, source := range checkSources {
		if c.unfoundOnly && source.kind == feedstore.Origins {
			continue // no search finds origins: publications are found
		}
		for after, last := int64(0), int64(-1); last != 0; after = last {
			var wrong []mismatch
			err := c.ReadLong(ctx, func(ctx context.Context, db bun.IDB) (err error) {
				batch := db.NewSelect().Where("id > ?", after).Order("id").Limit(checkBatch)
				if c.unfoundOnly {
					batch = batch.Where("NOT EXISTS (SELECT 1 FROM search_entries s WHERE s.kind = ? AND s.id = ?TableAlias.id)", source.kind)
				}
				wrong, last, err = c.mismatches(ctx, source, batch, db.NewSelect)
				return err
			})
			if err != nil {
				return err
			}
			if err := c.relist(ctx, source, wrong); err != nil {
				return err
			}
		}
		if c.unfoundOnly {
			continue
		}
		err := c.remove(ctx, "search_entries", "id", "found "+string(source.kind)+" %d does not exist",
			"n.kind = ? AND NOT EXISTS (SELECT 1 FROM ? AS t WHERE t.id = n.id)", source.kind, bun.Ident(source.table))
		if err := cmp.Or(err, c.orphans(ctx, source)); err != nil {
			return err
		}
	}
	return nil
}

// relist locks the records, checks them again, and mends how they are listed and found, in one transaction. One that can't be read is
// only reported.
func (c check) relist(ctx context.Context, source checkSource, wrong []mismatch) error {
	var ids []int64
	for _, of := range wrong {
		if of.Broken == nil {
			ids = append(ids, of.ID)
		} else {
			c.found(Finding{What: fmt.Sprintf("%s %d can't be read: %v", source.kind, of.ID, of.Broken)})
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return c.attempt(ctx, func(tx *engine.Tx) (found []string, err error) {
		source.lock(tx, ids)
		wrong, _, err := c.mismatches(tx.Context(), source, tx.NewSelect().Where("id ?", engine.AnyOf(ids)).Order("id"), tx.NewSelect)
		var listings feedstore.ListingChanges
		var entries []*search.Entry
		for _, of := range wrong {
			what, right := "words that find %s %d are wrong", feedstore.Listed(of.Record)
			switch {
			case of.Broken != nil: // since then
				continue
			case !feedstore.IsSame(right, of.listed) && !c.unfoundOnly:
				what = "listing of %s %d is wrong"
				listings.Repair(of.listed, right)
			}
			if entries = append(entries, of.should); of.should == nil {
				feedstore.Reindex(c.DB, tx, of.entry, nil)
			}
			found = append(found, fmt.Sprintf(what, source.kind, of.ID))
		}
		feedstore.Index(c.DB, tx, entries)
		feedstore.WriteListings(c.DB, tx, listings)
		return found, err
	})
}

// orphans finds listings whose records do not exist.
func (c check) orphans(ctx context.Context, source checkSource) error {
	var orphans []feedstore.ListingRow
	err := c.ReadLong(ctx, func(ctx context.Context, db bun.IDB) error {
		return db.NewSelect().Model(&orphans).Where("l.kind = ?", source.kind).
			Where("NOT EXISTS (SELECT 1 FROM ? t WHERE t.id = l.id)", bun.Ident(source.table)).Order("id").Scan(ctx)
	})
	if err != nil {
		return err
	}
	return inspect(ctx, c, orphans, func(tx *engine.Tx, row feedstore.ListingRow) (string, error) {
		var listings feedstore.ListingChanges
		listings.Repair(new(row.Listing()), nil)
		feedstore.WriteListings(c.DB, tx, listings)
		return fmt.Sprintf("listed %s %d does not exist", source.kind, row.ID), nil
	})
}

// counters compares all counters with the listings.
func (c check) counters(ctx context.Context) error {
	var wrong []feedstore.CounterKey
	err := c.ReadLong(ctx, func(ctx context.Context, db bun.IDB) error {
		return db.NewRaw(feedstore.WrongCounters).Scan(ctx, &wrong)
	})
	if err != nil {
		return err
	}
	return inspect(ctx, c, wrong, func(tx *engine.Tx, of feedstore.CounterKey) (string, error) { return feedstore.Recount(c.DB, tx, of) })
}

// totals compares the totals of each kind with the listings.
func (c check) totals(ctx context.Context) error {
	kinds := append(feed.ItemKinds(), feedstore.Origins)
	return inspect(ctx, c, kinds, func(tx *engine.Tx, kind feed.Kind) (string, error) { return feedstore.RecountTotal(c.DB, tx, kind) })
}

// Search implements search.Index.
type Search struct{ diary.Search }

// Fill goes through what has no entry, batch by batch, so that a server that is stopped goes on with the rest.
func (v Search) Fill(ctx context.Context) error {
	return check{DB: v.DB.Within(checkLimit), repair: true, unfoundOnly: true, found: func(Finding) {}}.listings(ctx)
}
