package bunstore

import (
	"context"
	"fmt"
	"plaza/adapters/bunstore/diary"
	feedstore "plaza/adapters/bunstore/feed"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
)

// checkSource reads the records of a kind of listings.
type checkSource struct {
	kind feed.Kind
	read func(ctx context.Context, query *bun.SelectQuery) ([]feedstore.StoredRecord, error)
	// lock keeps other transactions from changing the record, and what it is listed by. Without lock, reading the row locks it.
	lock func(tx *engine.Tx, id int64)
}

var checkSources = []checkSource{
	{kind: feed.Publication, read: feedstore.SelectRecords[feedstore.PublicationRow]},
	{kind: feed.Node, read: feedstore.SelectRecords[feedstore.NodeRow]},
	{kind: feed.Demand, read: feedstore.SelectRecords[feedstore.DemandRow]},
	{kind: feedstore.Origins, read: selectOrigins, lock: func(tx *engine.Tx, _ int64) { tx.Lock(feedstore.RecordsLock) }},
	{kind: feed.Event, read: selectEvents, lock: func(tx *engine.Tx, id int64) { tx.Queue(diary.LockEvent, id) }},
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
	return feedstore.SelectRecords[originRow](ctx, query.ColumnExpr("?TableColumns").ColumnExpr(
		"EXISTS (SELECT 1 FROM publications f WHERE f.bundle_id = p.first_original_id AND f.published AND NOT f.deleted) AS original_visible"))
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

// listings compares all records with their listings in the feed.
func (c check) listings(ctx context.Context) error {
	for _, source := range checkSources {
		for after := int64(0); after >= 0; {
			batch, err := c.mismatched(ctx, source, &after)
			if err != nil {
				return err
			}
			for _, id := range batch {
				if err := c.recheck(ctx, source, id); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// mismatched returns the IDs in a batch whose listings look wrong, and advances after;
// past the last batch, after is negative.
func (c check) mismatched(ctx context.Context, source checkSource, after *int64) (ids []int64, err error) {
	var records []feedstore.StoredRecord
	err = c.Read(ctx, func(ctx context.Context) (err error) {
		records, err = source.read(ctx, c.Reader.NewSelect().Where("id > ?", *after).Order("id").Limit(checkBatch))
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(records) == 0 {
		*after = -1
		return nil, nil
	}
	last := records[len(records)-1].ID
	listings, err := engine.SelectAll[feedstore.ListingRow](ctx, c.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.Where("kind = ? AND id > ? AND id <= ?", source.kind, *after, last)
	})
	if err != nil {
		return nil, err
	}
	stored := map[int64]*feed.Listing{}
	for _, row := range listings {
		stored[row.ID] = new(row.Listing())
	}
	for _, t := range records {
		if t.Broken != nil || !feedstore.IsSame(feedstore.Listed(t.Record), stored[t.ID]) {
			ids = append(ids, t.ID)
		}
	}
	*after = last
	return ids, nil
}

// recheck locks the record and checks it again.
func (c check) recheck(ctx context.Context, source checkSource, id int64) error {
	var broken error
	err := c.inspect(ctx, func(ctx context.Context, tx *engine.Tx) (string, error) {
		query := c.Selecting(tx)
		if source.lock != nil {
			source.lock(tx, id)
			query = tx.NewSelect()
		}
		found, err := source.read(ctx, query.Where("id = ?", id))
		if err != nil || len(found) == 0 { // removed meanwhile
			return "", err
		}
		t, at := found[0], feedstore.Item{Kind: source.kind, ID: id}
		if broken = t.Broken; broken != nil {
			return "", nil
		}
		var rows []feedstore.ListingRow
		if err := tx.NewSelect().Model(&rows).Where("kind = ? AND id = ?", at.Kind, id).Scan(ctx); err != nil {
			return "", err
		}
		var was *feed.Listing
		if len(rows) > 0 {
			was = new(rows[0].Listing())
		}
		if feedstore.IsSame(feedstore.Listed(t.Record), was) {
			return "", nil
		}
		feedstore.RepairListing(c.DB, tx, at, was, t.Record)
		return fmt.Sprintf("listing of %s %d is wrong", source.kind, id), nil
	})
	if err == nil && broken != nil {
		c.found(Finding{What: fmt.Sprintf("%s %d can't be read: %v", source.kind, id, broken)})
	}
	return err
}

// recordsOf are the tables of the records of each kind of listings.
var recordsOf = map[feed.Kind]string{
	feed.Publication: "publications", feed.Node: "nodes", feed.Demand: "demands", feedstore.Origins: "publications", feed.Event: "events",
}

// removeOrphans finds listings whose records do not exist.
func (c check) removeOrphans(ctx context.Context) error {
	for kind, table := range recordsOf {
		orphans, err := engine.SelectAll[feedstore.ListingRow](ctx, c.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
			return query.Where("l.kind = ?", kind).Where("NOT EXISTS (SELECT 1 FROM ? t WHERE t.id = l.id)", bun.Ident(table)).Order("id")
		})
		if err != nil {
			return err
		}
		for _, row := range orphans {
			err := c.inspect(ctx, func(_ context.Context, tx *engine.Tx) (string, error) {
				feedstore.RepairListing(c.DB, tx, feedstore.Item{Kind: kind, ID: row.ID}, new(row.Listing()), nil)
				return fmt.Sprintf("listed %s %d does not exist", kind, row.ID), nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
