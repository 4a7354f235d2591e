package bunstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
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
	// unfoundOnly makes the check of listings go through records alone that have no entry in the index of search.
	unfoundOnly bool
}

// brokenContent finds what is broken in the file of SQLite, and rows that refer to missing ones. It first reads the index of search,
// which finds nothing: else what the connection has kept of a former state of the index is checked.
var brokenContent = engine.Text{SQLite: `
	SELECT 'words' FROM search_words WHERE search_words MATCH '"words"' AND rowid = 0
	UNION ALL
	SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'
	UNION ALL
	SELECT format('%s %d refers to a missing row of %s', "table", "rowid", parent) FROM pragma_foreign_key_check`}

// Integrity returns the problems that SQLite finds in its file.
func (s *Store) Integrity(ctx context.Context) (found []string, err error) {
	if statement := s.Pick(brokenContent); statement != "" {
		err = s.Reader.NewRaw(statement).Scan(ctx, &found)
	}
	return found, err
}

// Check verifies all derived data (listings, counters and totals) and that stored
// values can be read, and reports what it finds. With repair it rebuilds derived data.
// Servers may keep running.
func (s *Store) Check(ctx context.Context, repair bool, found func(Finding)) error {
	c := check{DB: s.DB.Within(checkLimit), repair: repair, found: found}
	problems, err := s.Integrity(ctx)
	if err != nil {
		return s.Explain(ctx, err)
	}
	for _, p := range problems {
		found(Finding{What: p})
	}
	for _, part := range []func(context.Context) error{
		c.listings, c.counters, c.totals, c.discussions, c.images, c.hidden, c.wrongRows, c.contacts, c.ownersSums, c.telephones, c.names,
	} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// errDryRun rolls back a repair that was not requested, and a transaction that has repaired nothing.
var errDryRun = errors.New("no repair requested")

// attempt calls mend in a transaction. mend repairs inconsistencies and describes each; without any it has changed nothing.
func (c check) attempt(ctx context.Context, mend func(tx *engine.Tx) (found []string, err error)) error {
	var found []string
	err := c.Write(ctx, func(tx *engine.Tx) (err error) {
		if found, err = mend(tx); err == nil && (len(found) == 0 || !c.repair) {
			err = errDryRun
		}
		return err
	})
	if err != nil && !errors.Is(err, errDryRun) {
		return err
	}
	for _, what := range found {
		c.found(Finding{What: what, Repaired: c.repair})
	}
	return nil
}

// inspect attempts to mend each of the suspects. look describes an inconsistency, or returns "" if it has changed nothing.
func inspect[T any](
	ctx context.Context, c check, suspects []T, look func(tx *engine.Tx, suspect T) (what string, err error),
) error {
	for _, suspect := range suspects {
		err := c.attempt(ctx, func(tx *engine.Tx) ([]string, error) {
			what, err := look(tx, suspect)
			if what == "" {
				return nil, err
			}
			return []string{what}, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// suspects inspects the number in each row of the query.
func (c check) suspects(
	ctx context.Context, query *bun.SelectQuery, look func(tx *engine.Tx, id int64) (what string, err error),
) error {
	var ids []int64
	err := c.ReadLong(ctx, func(ctx context.Context, db bun.IDB) error {
		ids = nil
		return query.Conn(db).Scan(ctx, &ids)
	})
	if err != nil {
		return err
	}
	return inspect(ctx, c, ids, look)
}

// mend repairs the rows n of the table on which the condition holds: it locks the rows of a key, and looks again. The finding is about
// the key.
func (c check) mend(
	ctx context.Context, table, key, finding string, repair func(tx *engine.Tx, id int64) (sql.Result, error),
	condition string, args ...any,
) error {
	wrong := c.Reader.NewSelect().TableExpr("? AS n", bun.Ident(table)).ColumnExpr("n.?", bun.Ident(key)).Where(condition, args...)
	return c.suspects(ctx, wrong, func(tx *engine.Tx, id int64) (string, error) {
		var locked []int64
		err := c.Selecting(tx).Table(table).Column(key).Where("? = ?", bun.Ident(key), id).Scan(tx.Context(), &locked)
		if err != nil {
			return "", err
		}
		repaired, err := engine.Written(repair(tx, id))
		if err != nil || repaired == 0 {
			return "", err
		}
		return fmt.Sprintf(finding, id), nil
	})
}

// remove removes the rows n of the table on which the condition holds, as mend does.
func (c check) remove(ctx context.Context, table, key, finding, condition string, args ...any) error {
	return c.mend(ctx, table, key, finding, func(tx *engine.Tx, id int64) (sql.Result, error) {
		return tx.NewDelete().TableExpr("? AS n", bun.Ident(table)).Where("n.? = ?", bun.Ident(key), id).
			Where(condition, args...).Exec(tx.Context())
	}, condition, args...)
}

// hideables are the tables whose rows can be hidden, their keys, and what selects from them who owns a thing, and whether it is hidden.
var hideables = []struct {
	kind               moderation.Kind
	table, key, things string
}{
	{moderation.Event, "events", "id", "SELECT id, author_id AS owner_id, hidden FROM events"},
	{moderation.Comment, "comments", "id", "SELECT id, author_id AS owner_id, hidden FROM comments"},
	{moderation.Image, "images", "id", "SELECT id, owner_id, hidden FROM images"},
	{moderation.Plate, "plates", "id", `
		SELECT p.id, e.author_id AS owner_id, p.hidden FROM plates p JOIN events e ON e.id = p.event_id`},
	{moderation.Profile, "hidden_profiles", "user_id", "SELECT user_id AS id, user_id AS owner_id, TRUE AS hidden FROM hidden_profiles"},
	{moderation.Publication, "publications", "id", "SELECT id, author_id AS owner_id, hidden FROM publications"},
	{moderation.Node, "nodes", "id", "SELECT id, author_id AS owner_id, hidden FROM nodes"},
	{moderation.Demand, "demands", "id", "SELECT id, author_id AS owner_id, hidden FROM demands"},
}

// hidden compares what is hidden with the stored hidings. A thing without its hiding stays hidden: it gets one that gives no
// reason, so that staff can restore it. A hiding of something else goes.
func (c check) hidden(ctx context.Context) error {
	const unexplained = `EXISTS (SELECT 1 FROM (?) AS x WHERE x.id = n.? AND x.hidden)
		AND NOT EXISTS (SELECT 1 FROM hidden_things h WHERE h.kind = ? AND h.object_id = n.?)`
	for _, of := range hideables {
		things, key := bun.Safe(of.things), bun.Ident(of.key)
		explain := func(tx *engine.Tx, id int64) (sql.Result, error) {
			return tx.NewRaw(`INSERT INTO hidden_things (kind, object_id, owner_id, reason, hidden_at)
				SELECT ?, x.id, x.owner_id, '', ? FROM (?) AS x WHERE x.id = ? AND x.hidden ON CONFLICT DO NOTHING`,
				of.kind, engine.At(instant.Normalise(time.Now())), things, id).Exec(tx.Context())
		}
		err := c.mend(ctx, of.table, of.key, string(of.kind)+" %d is hidden, and why is not stored", explain,
			unexplained, things, key, of.kind, key)
		if err != nil {
			return err
		}
		err = c.remove(ctx, "hidden_things", "object_id", string(of.kind)+" %d is stored as hidden, and is not",
			"n.kind = ? AND NOT EXISTS (SELECT 1 FROM (?) AS x WHERE x.id = n.object_id AND x.hidden AND x.owner_id = n.owner_id)",
			of.kind, things)
		if err != nil {
			return err
		}
	}
	return nil
}
