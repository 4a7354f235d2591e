package bunstore

import (
	"context"
	"errors"
	"fmt"
	feedstore "plaza/adapters/bunstore/feed"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
	"plaza/domain/instant"
	"plaza/domain/moderation"
)

// Finding is an inconsistency in the database.
type Finding struct {
	What     string `json:"what"`
	Repaired bool   `json:"repaired"`
}

// checkBatch is the number of rows per batch.
const checkBatch = 500

// checkLimit is how long one statement of a check may take.
const checkLimit = 10 * time.Minute

// check is one run of Check. A row that looks wrong is locked and checked again, so
// that concurrent writes cause no false findings.
type check struct {
	*engine.DB
	repair bool
	found  func(Finding)
}

// Check verifies all derived data (listings, counters and totals) and that stored
// values can be read, and reports what it finds. With repair it rebuilds derived data.
// Servers may keep running.
func (s *Store) Check(ctx context.Context, repair bool, found func(Finding)) error {
	c := check{DB: s.Within(checkLimit), repair: repair, found: found}
	problems, err := s.Integrity(ctx)
	if err != nil {
		return s.Explain(ctx, err)
	}
	for _, p := range problems {
		found(Finding{What: p})
	}
	for _, part := range []func(context.Context) error{
		c.listings, c.removeOrphans, c.counters, c.totals, c.discussions, c.images, c.hidden, c.follows, c.blocks, c.contacts,
		c.notifications, c.ownersSums, c.telephones,
	} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// errDryRun rolls back a repair that was not requested, and a transaction that has repaired nothing.
var errDryRun = errors.New("no repair requested")

// inspect calls fn, which repairs an inconsistency and returns its description, or "" if it has changed nothing.
func (c check) inspect(ctx context.Context, fn func(ctx context.Context, tx *engine.Tx) (what string, err error)) error {
	var what string
	err := c.Write(ctx, func(tx *engine.Tx) (err error) {
		ctx := tx.Context()
		if what, err = fn(ctx, tx); err == nil && (what == "" || !c.repair) {
			err = errDryRun
		}
		return err
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	if err == nil && what != "" {
		c.found(Finding{What: what, Repaired: c.repair})
	}
	return err
}

// totals compares the totals of each kind with the listings.
func (c check) totals(ctx context.Context) error {
	for _, kind := range []feed.Kind{feed.Publication, feed.Node, feed.Demand, feedstore.Origins} {
		err := c.inspect(ctx, func(_ context.Context, tx *engine.Tx) (string, error) { return feedstore.RecountTotal(c.DB, tx, kind) })
		if err != nil {
			return err
		}
	}
	return nil
}

// counters compares all counters with the listings.
func (c check) counters(ctx context.Context) error {
	suspects, err := feedstore.WrongCounters(ctx, c.DB)
	for _, of := range suspects {
		if err == nil {
			err = c.inspect(ctx, func(_ context.Context, tx *engine.Tx) (string, error) { return feedstore.Recount(c.DB, tx, of) })
		}
	}
	return err
}

// hideables are the tables whose rows can be hidden, and the columns that have their owners.
var hideables = []struct {
	kind         moderation.Kind
	table, owner string
}{{moderation.Event, "events", "author_id"}, {moderation.Comment, "comments", "author_id"}, {moderation.Image, "images", "owner_id"}}

// hidden compares what is hidden with the stored hidings. A thing without its hiding stays hidden: it gets one that gives no
// reason, so that staff can restore it. A hiding of something else goes.
func (c check) hidden(ctx context.Context) error {
	for _, of := range hideables {
		table, owner := bun.Ident(of.table), bun.Ident(of.owner)
		all := c.Reader.NewSelect().TableExpr("? AS x", table).Column("x.id").
			Where("x.hidden AND NOT EXISTS (SELECT 1 FROM hidden_things h WHERE h.kind = ? AND h.object_id = x.id)", of.kind)
		err := c.suspects(ctx, all, func(ctx context.Context, id int64) error {
			return c.inspect(ctx, func(ctx context.Context, tx *engine.Tx) (string, error) {
				if err := c.lockRows(ctx, tx, of.table, "id", id); err != nil {
					return "", err
				}
				added, err := engine.Affected(tx.NewRaw(`
					INSERT INTO hidden_things (kind, object_id, owner_id, reason, hidden_at)
					SELECT ?0, x.id, x.?1, '', ?2 FROM ?3 AS x
					WHERE x.id = ?4 AND x.hidden AND NOT EXISTS (SELECT 1 FROM hidden_things h WHERE h.kind = ?0 AND h.object_id = x.id)`,
					of.kind, owner, engine.At(instant.Normalise(time.Now())), table, id).Exec(ctx))
				if err != nil || !added {
					return "", err
				}
				return fmt.Sprintf("%s %d is hidden, and why is not stored", of.kind, id), nil
			})
		})
		if err != nil {
			return err
		}
		err = c.wrongRows(ctx, "hidden_things", "object_id", string(of.kind)+" %d is stored as hidden, and is not",
			"n.kind = ? AND NOT EXISTS (SELECT 1 FROM ? AS x WHERE x.id = n.object_id AND x.hidden AND x.? = n.owner_id)",
			of.kind, table, owner)
		if err != nil {
			return err
		}
	}
	return nil
}
