package people

import (
	"context"

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
	DB     *engine.DB
	Limits quota.Limits
}

const (
	// blockable finds whether the user $2 exists, whether $1 blocks $2, and how many $1 blocks, at most $3.
	blockable = `
		SELECT
			EXISTS (SELECT 1 FROM users WHERE id = $2 AND phone NOT LIKE 'erased-%'),
			EXISTS (SELECT 1 FROM blocks WHERE user_id = $1 AND other_id = $2 AND is_by_user),
			(SELECT COUNT(*) FROM (SELECT 1 FROM blocks WHERE user_id = $1 AND is_by_user LIMIT CAST($3 AS bigint)) own)`

	// lockFollowsBetween locks the subscriptions of $1 and $2 to the other one.
	lockFollowsBetween = `
		SELECT 1 FROM subscriptions
		WHERE user_id = $1 AND followed_id = $2 OR user_id = $2 AND followed_id = $1
		ORDER BY id
		FOR UPDATE`

	// lockProfileCounts locks what the profiles of $1 and $2 count.
	lockProfileCounts = `
		SELECT 1 FROM profile_counts
		WHERE owner_id IN ($1, $2)
		ORDER BY owner_id
		FOR UPDATE`

	// lockNoticesBetween locks the notifications of $1 and $2 about the other one. An owner has at most a thousand or so, an
	// actor has any number: no plan begins with the index of actors.
	lockNoticesBetween = `
		SELECT 1 FROM notifications
		WHERE owner_id = $1 AND actor_id + 0 = $2 OR owner_id = $2 AND actor_id + 0 = $1
		ORDER BY id
		FOR UPDATE`

	// lockNoticeCounts locks the counts of the notifications of $1 and $2.
	lockNoticeCounts = `
		SELECT 1 FROM notification_counts
		WHERE owner_id IN ($1, $2)
		ORDER BY owner_id
		FOR UPDATE`

	// insertBlock stores that $1 blocks $2 since $3, unless $1 does so already.
	insertBlock = `
		INSERT INTO blocks (user_id, other_id, is_by_user, created) VALUES ($1, $2, TRUE, $3), ($2, $1, FALSE, $3)
		ON CONFLICT (user_id, other_id) DO UPDATE SET is_by_user = TRUE, created = EXCLUDED.created
		WHERE EXCLUDED.is_by_user AND NOT blocks.is_by_user`

	// deleteNoticesBetween removes what lockNoticesBetween locks.
	deleteNoticesBetween = `
		DELETE FROM notifications
		WHERE owner_id = $1 AND actor_id + 0 = $2 OR owner_id = $2 AND actor_id + 0 = $1`

	// deleteBlock removes the rows of $1 and $2 if neither blocks the other one.
	deleteBlock = `
		DELETE FROM blocks
		WHERE user_id = $1 AND other_id = $2 AND NOT is_by_user
			AND NOT (SELECT b.is_by_user FROM blocks b WHERE b.user_id = $2 AND b.other_id = $1)`
)

// lockPair makes others who block or follow for one of the two wait, in one order. Of a block and a follow at once, the
// later one knows of the other.
func lockPair(tx *engine.Tx, a, b user.ID) {
	LockFollows(tx, min(a, b))
	LockFollows(tx, max(a, b))
}

// Add takes its locks in the order of all writers: subscriptions, counts of profiles, notifications and their counts. Behind them, it
// sees the notifications of all who have read that there is no block.
func (v Blocks) Add(ctx context.Context, b block.Block, charges ...ratelimit.Charge) error {
	first, second := min(b.By, b.Whom), max(b.By, b.Whom)
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		lockPair(tx, b.By, b.Whom)
		ChargeAll(tx, charges)
		var exists, stands bool
		var blocks int
		tx.Queue(blockable, b.By, b.Whom, v.Limits.Follows).Into(&exists, &stands, &blocks)
		if err := tx.Send(); err != nil {
			return err
		}
		if !exists {
			return user.ErrNotFound
		}
		if full := v.Limits.CheckBlocks(blocks); full != nil && !stands {
			return full
		}
		tx.Queue(lockFollowsBetween, first, second)
		tx.Queue(lockProfileCounts, first, second)
		tx.Queue(lockNoticesBetween, first, second)
		tx.Queue("INSERT INTO notification_counts (owner_id) VALUES ($1), ($2) ON CONFLICT (owner_id) DO NOTHING", first, second)
		tx.Queue(lockNoticeCounts, first, second)
		tx.Queue(insertBlock, b.By, b.Whom, b.Created)
		tx.Queue("DELETE FROM subscriptions WHERE user_id = $1 AND followed_id = $2 OR user_id = $2 AND followed_id = $1", first, second)
		tx.Queue(deleteNoticesBetween, first, second)
		return nil
	})
}

func (v Blocks) Remove(ctx context.Context, by, whom user.ID) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		lockPair(tx, by, whom)
		tx.Queue("UPDATE blocks SET is_by_user = FALSE WHERE user_id = $1 AND other_id = $2", by, whom)
		tx.Queue(deleteBlock, by, whom)
		return nil
	})
}

// BlockRow is a block by the user.
type BlockRow struct {
	bun.BaseModel `bun:"table:blocks,alias:b"`
	UserID        user.ID
	OtherID       user.ID
	Created       engine.Time
	engine.PageRow
}

// Block returns the stored block.
func (r BlockRow) Block() block.Block {
	return block.Block{By: r.UserID, Whom: r.OtherID, Created: r.Created.Time}
}

func (v Blocks) List(ctx context.Context, by user.ID, r page.Request) (page.Page[block.Block], error) {
	p, err := engine.ListPage[BlockRow](ctx, v.DB, r, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.Where("b.user_id = ? AND b.is_by_user", by)
	}, engine.Latest(v.DB, page.Span{}, "b.created", "b.other_id", func(r BlockRow) page.Cursor { return page.At(r.Created.Time, r.OtherID) }))
	return page.Map(p, BlockRow.Block), err
}
