package bunstore

import (
	"context"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/block"
	"plaza/domain/page"
	"plaza/domain/quota"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// Blocks implements block.Repository.
type Blocks struct {
	s      *Store
	limits quota.Limits
}

// Blocks returns the repository of blocks.
func (s *Store) Blocks() Blocks { return Blocks{s: s} }

// isBlocked returns the condition that a block stands between the viewer and the other user, which are parameters or
// columns. COUNT looks up one row; for EXISTS, Postgres may read all blocks of the viewer.
func isBlocked(viewer, other string) string {
	return "(SELECT COUNT(*) FROM blocks b WHERE b.user_id = " + viewer + " AND b.other_id = " + other + ") > 0"
}

// hasBlocks returns the condition that the viewer, a parameter, blocks a user or is blocked by one. It is evaluated once
// for a statement, and is false for most viewers.
func hasBlocks(viewer string) string {
	return "(SELECT b.other_id FROM blocks b WHERE b.user_id = " + viewer + " LIMIT 1) IS NOT NULL"
}

// notBlocked returns the condition that no block stands between the viewer, a parameter, and the author, a column.
func notBlocked(viewer, author string) string {
	return "(NOT " + hasBlocks(viewer) + " OR NOT " + isBlocked(viewer, author) + ")"
}

// unlessBlocked returns the query for rows of the key {1} whose author is notBlocked, in two parts. query returns a part, which
// has the condition. The part for viewers without blocks does not need the author, so the index of its order is enough for it.
// One of the parts has no key, so it finds nothing at once. SQLite would evaluate any other condition for each row.
func unlessBlocked(viewer, author string, query func(condition string) string) string {
	keyed := func(query, key string) string {
		return strings.ReplaceAll(query, "{1}", "CASE WHEN "+hasBlocks(viewer)+" THEN "+key+" END")
	}
	return keyed(query(""), "NULL ELSE {1}") + " UNION ALL " + keyed(query(" AND NOT "+isBlocked(viewer, author)), "{1}")
}

// blockSteps are the statements that change blocks: $1 the user, $2 the other one.
type blockSteps struct {
	insertBlock   string // $3 created
	unmarkBlock   string
	deleteBlock   string // if neither of both blocks the other
	unfollowBoth  string
	lockNotices   string
	deleteNotices string
	countBoth     string
	lockBoth      string
}

func newBlockSteps(d engine.Dialect) blockSteps {
	// An owner has at most a thousand or so, an actor has any number: no plan begins with the index of actors.
	const notices = "(owner_id = $1 AND actor_id + 0 = $2 OR owner_id = $2 AND actor_id + 0 = $1)"
	return blockSteps{
		insertBlock: "INSERT INTO blocks (user_id, other_id, is_by_user, created) VALUES ($1, $2, TRUE, $3), ($2, $1, FALSE, $3)" +
			" ON CONFLICT (user_id, other_id) DO UPDATE SET is_by_user = TRUE, created = EXCLUDED.created" +
			" WHERE EXCLUDED.is_by_user AND NOT blocks.is_by_user",
		unmarkBlock: "UPDATE blocks SET is_by_user = FALSE WHERE user_id = $1 AND other_id = $2",
		deleteBlock: "DELETE FROM blocks WHERE user_id = $1 AND other_id = $2 AND NOT is_by_user" +
			" AND NOT (SELECT b.is_by_user FROM blocks b WHERE b.user_id = $2 AND b.other_id = $1)",
		unfollowBoth:  "DELETE FROM subscriptions WHERE user_id = $1 AND followed_id = $2 OR user_id = $2 AND followed_id = $1",
		lockNotices:   lockingOnly(d, "SELECT 1 FROM notifications WHERE "+notices+" ORDER BY id "),
		deleteNotices: "DELETE FROM notifications WHERE " + notices,
		countBoth:     "INSERT INTO notification_counts (owner_id) VALUES ($1), ($2) ON CONFLICT (owner_id) DO NOTHING",
		lockBoth:      lockingOnly(d, "SELECT 1 FROM notification_counts WHERE owner_id IN ($1, $2) ORDER BY owner_id "),
	}
}

// lockPair makes others who block or follow for one of the two wait, in one order. Of a block and a follow at once, the
// later one knows of the other.
func (s *Store) lockPair(a, b user.ID) []engine.Step {
	return append(s.lockFollows(min(a, b)), s.lockFollows(max(a, b))...)
}

// Add takes the locks of notifications in their order (0040). Behind them, it sees those of all who have read that there is
// no block.
func (v Blocks) Add(ctx context.Context, b block.Block, charges ...ratelimit.Charge) error {
	first := append(v.s.lockPair(b.By, b.Whom), v.s.chargeSteps(charges)...)
	return v.s.writeWithin(ctx, v.s.Limit, first, func(ctx context.Context, tx *listedTransaction) error {
		if err := v.checkBlock(ctx, tx, b); err != nil {
			return err
		}
		pair := []any{int64(min(b.By, b.Whom)), int64(max(b.By, b.Whom))}
		steps := append(lockStep(v.s.steps.lockNotices, pair...), engine.Step{Statement: v.s.steps.countBoth, Args: pair})
		steps = append(steps, lockStep(v.s.steps.lockBoth, pair...)...)
		return tx.Run(ctx, append(steps,
			engine.Step{Statement: v.s.steps.insertBlock, Args: []any{int64(b.By), int64(b.Whom), v.s.Dialect.Instant(b.Created)}},
			engine.Step{Statement: v.s.steps.unfollowBoth, Args: pair},
			engine.Step{Statement: v.s.steps.deleteNotices, Args: pair},
		)...)
	})
}

// checkBlock returns an error unless both users exist and there is room for the block, which may stand already.
func (v Blocks) checkBlock(ctx context.Context, tx *listedTransaction, b block.Block) error {
	by := tx.NewSelect().Model((*accountRow)(nil)).ColumnExpr("1").Where("id = ?", b.By)
	whom := tx.NewSelect().Model((*accountRow)(nil)).ColumnExpr("1").Where("id = ?", b.Whom).Where(notErased)
	own := tx.NewSelect().Model((*blockRow)(nil)).ColumnExpr("1").Where("user_id = ? AND is_by_user", b.By)
	standing := tx.NewSelect().Model((*blockRow)(nil)).ColumnExpr("1").Where("user_id = ? AND other_id = ? AND is_by_user", b.By, b.Whom)
	var knowsBy, knowsWhom, stands bool
	var blocks int
	err := tx.NewSelect().ColumnExpr("EXISTS (?), EXISTS (?), EXISTS (?), (SELECT COUNT(*) FROM (?) AS own)",
		by, whom, standing, own.Limit(max(int64(v.limits.Follows), 1))).Scan(ctx, &knowsBy, &knowsWhom, &stands, &blocks)
	switch {
	case err != nil:
		return err
	case !knowsBy:
		return fmt.Errorf("there is no user %d to refer to", b.By)
	case !knowsWhom:
		return user.ErrNotFound
	case stands:
		return nil
	}
	return v.limits.CheckBlocks(blocks)
}

func (v Blocks) Remove(ctx context.Context, by, whom user.ID) error {
	pair := []any{int64(by), int64(whom)}
	return v.s.writeAll(ctx, append(v.s.lockPair(by, whom),
		engine.Step{Statement: v.s.steps.unmarkBlock, Args: pair}, engine.Step{Statement: v.s.steps.deleteBlock, Args: pair}))
}

type blockRow struct {
	bun.BaseModel `bun:"table:blocks,alias:b"`
	UserID        user.ID
	OtherID       user.ID
	Created       engine.Time
}

// listedBlock is a row of a page of blocks.
type listedBlock struct {
	blockRow `bun:",extend"`
	engine.PageRow
}

func (v Blocks) List(ctx context.Context, by user.ID, r page.Request) (page.Page[block.Block], error) {
	p, err := engine.ListPage[listedBlock](ctx, v.s.DB, r, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.Where("b.user_id = ? AND b.is_by_user", by)
	}, "b.created DESC, b.other_id DESC")
	return page.Map(p, func(r listedBlock) block.Block {
		return block.Block{By: r.UserID, Whom: r.OtherID, Created: r.Created.Time}
	}), err
}
