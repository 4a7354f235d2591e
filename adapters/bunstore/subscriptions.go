package bunstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/block"
	"plaza/domain/feed"
	"plaza/domain/idempotency"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/quota"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// Subscriptions implements subscription.Repository.
type Subscriptions struct {
	s      *Store
	limits quota.Limits
}

// Subscriptions returns the repository of subscriptions.
func (s *Store) Subscriptions() Subscriptions { return Subscriptions{s: s} }

type subscriptionRow struct {
	bun.BaseModel `bun:"table:subscriptions,alias:s"`
	ID            subscription.ID `bun:",pk,autoincrement"`
	UserID        user.ID
	FollowedID    user.ID         `bun:",nullzero"`
	CategoryID    feed.CategoryID `bun:",nullzero"`
	Created       engine.Time
	Updated       engine.Time
}

func subscriptionRowOf(s subscription.Subscription) subscriptionRow {
	return subscriptionRow{
		UserID: s.User, FollowedID: s.Followed, CategoryID: s.Category,
		Created: engine.At(s.Created), Updated: engine.At(s.Updated),
	}
}

func (r subscriptionRow) subscription() subscription.Subscription {
	return subscription.Subscription{
		ID: r.ID, User: r.UserID, Followed: r.FollowedID, Category: r.CategoryID,
		Created: r.Created.Time, Updated: r.Updated.Time,
	}
}

// Follow locks the pair of users, so that of two who follow each other at once the later one finds the other (0074).
func (v Subscriptions) Follow(
	ctx context.Context, sub subscription.Subscription, charges ...ratelimit.Charge,
) (stored subscription.Subscription, isNew bool, err error) {
	var first []engine.Step
	if v.limits.Follows > 0 || sub.EntityType() == subscription.User {
		first = v.s.lockFollows(sub.User)
	}
	if sub.Followed != 0 {
		first = append(first, lockStep(v.s.steps.lockName, fmt.Sprint("contacts ", min(sub.User, sub.Followed), " and ", max(sub.User, sub.Followed)))...)
	}
	first = append(first, v.s.chargeSteps(charges)...)
	err = v.s.writeWithin(ctx, v.s.Limit, first, func(ctx context.Context, tx *listedTransaction) error {
		full, err := v.checkFollow(ctx, tx, sub)
		if err != nil {
			return err
		}
		row, added, err := v.follow(ctx, tx, sub, full)
		if err != nil {
			return err
		}
		stored, isNew = row.subscription(), added
		kind := idempotency.Subscription
		if !isNew {
			kind = idempotency.ExistingSubscription
		}
		return tx.Run(ctx, completion(sub.Completes, v.s.steps.completeSubscription, string(kind), int64(row.ID))...)
	})
	if err != nil {
		return subscription.Subscription{}, false, err
	}
	return stored, isNew, nil
}

// lockFollows makes others who follow for the user wait, so that they don't exceed the quota together, and those who block
// for the user.
func (s *Store) lockFollows(who user.ID) []engine.Step {
	return lockStep(s.steps.lockName, fmt.Sprint("follows of ", who))
}

// checkFollow returns an error unless both ends exist, and no block stands between users. Users and categories are never
// deleted, but the data of a user may be erased. full is the error of another subscription of the
// user, nil if there is room for it; no more subscriptions are counted than the quota has.
func (v Subscriptions) checkFollow(ctx context.Context, tx *listedTransaction, sub subscription.Subscription) (full, err error) {
	followed := tx.NewSelect().Table("categories").ColumnExpr("1").Where("id = ?", sub.Category)
	if sub.EntityType() == subscription.User {
		followed = tx.NewSelect().Model((*accountRow)(nil)).ColumnExpr("1").Where("id = ?", sub.Followed).Where(notErased).
			Where("NOT "+isBlocked("?", "u.id"), sub.User)
	}
	follower := tx.NewSelect().Model((*accountRow)(nil)).ColumnExpr("1").Where("id = ?", sub.User)
	most := max(int64(v.limits.Follows), 1) // bun takes zero for no limit
	own := tx.NewSelect().Model((*subscriptionRow)(nil)).ColumnExpr("1").Where("user_id = ?", sub.User).Limit(most)
	var user, target bool
	var follows int
	err = tx.NewSelect().ColumnExpr("EXISTS (?), EXISTS (?), (SELECT COUNT(*) FROM (?) AS own)", follower, followed, own).
		Scan(ctx, &user, &target, &follows)
	switch {
	case err != nil:
		return nil, err
	case !user:
		return nil, fmt.Errorf("there is no user %d to refer to", sub.User)
	case !target:
		return nil, subscription.ErrNotFound
	}
	return v.limits.CheckFollows(follows), nil
}

// subscriptionSteps are the statements that write subscriptions.
type subscriptionSteps struct {
	insertSubscription string // $1 user, $2 followed user, $3 followed category, $4 created, $5 updated
}

func newSubscriptionSteps(d engine.Dialect) subscriptionSteps {
	return subscriptionSteps{
		insertSubscription: "INSERT INTO subscriptions (user_id, followed_id, category_id, created, updated) " +
			d.Values("$1, $2, $3, $4, $5") + " ON CONFLICT DO NOTHING RETURNING id",
	}
}

// follow stores the subscription with its notification, or returns the existing row. It retries if the conflicting row
// is removed before it is read. If full is not nil, it stores none, and full is its error.
func (v Subscriptions) follow(
	ctx context.Context, tx *listedTransaction, sub subscription.Subscription, full error,
) (stored subscriptionRow, added bool, err error) {
	row := subscriptionRowOf(sub)
	for {
		stored = row
		if full == nil {
			if err := tx.Run(ctx, v.insertSteps(sub, &stored)...); err != nil {
				return stored, false, err
			}
			if stored.ID != 0 {
				return stored, true, nil
			}
		}
		existing := tx.NewSelect().Model(&stored).Where("user_id = ?", row.UserID)
		if row.FollowedID != 0 {
			existing = existing.Where("followed_id = ?", row.FollowedID)
		} else {
			existing = existing.Where("category_id = ?", row.CategoryID)
		}
		if err := existing.Scan(ctx); !errors.Is(err, sql.ErrNoRows) {
			return stored, false, err
		}
		if full != nil {
			return stored, false, full
		}
	}
}

// insertSteps returns the steps that store the subscription and its notification, unless it exists already.
func (v Subscriptions) insertSteps(sub subscription.Subscription, stored *subscriptionRow) []engine.Step {
	insert := engine.Step{Statement: v.s.steps.insertSubscription, Row: engine.Into((*int64)(&stored.ID)), Args: []any{
		int64(sub.User), engine.NullIfZero(sub.Followed), engine.NullIfZero(sub.Category),
		v.s.Dialect.Instant(sub.Created), v.s.Dialect.Instant(sub.Updated),
	}}
	notice := notification.OfFollow(sub)
	if notice.To == 0 {
		return []engine.Step{insert}
	}
	return []engine.Step{insert, {Statement: v.s.steps.notifyOfFollow, Args: v.s.noticeArgs(int64(notice.To), notice)}}
}

func (v Subscriptions) Get(ctx context.Context, owner user.ID, id subscription.ID) (subscription.Subscription, error) {
	row, err := engine.SelectOne[subscriptionRow](ctx, v.s.DB, subscription.ErrNotFound, "id = ? AND user_id = ?", id, owner)
	return row.subscription(), err
}

func (v Subscriptions) Remove(ctx context.Context, owner user.ID, id subscription.ID) error {
	query := v.s.Writer.NewDelete().Model((*subscriptionRow)(nil)).Where("id = ? AND user_id = ?", id, owner)
	return v.s.remove(ctx, query, subscription.ErrNotFound)
}

// listedSubscription is a row of a page of subscriptions.
type listedSubscription struct {
	subscriptionRow `bun:",extend"`
	engine.PageRow
}

func (v Subscriptions) List(ctx context.Context, q subscription.Query) (page.Page[subscription.Subscription], error) {
	p, err := engine.ListPage[listedSubscription](ctx, v.s.DB, q.Page, func(query *bun.SelectQuery) *bun.SelectQuery {
		return admit(query, q)
	}, "s.created DESC, s.id DESC")
	return page.Map(p, func(r listedSubscription) subscription.Subscription { return r.subscription() }), err
}

// admit limits the query to subscriptions that q.Admits.
func admit(query *bun.SelectQuery, q subscription.Query) *bun.SelectQuery {
	if q.User != 0 || q.Followed == 0 {
		query = query.Where("s.user_id = ?", q.User)
	}
	query = engine.WhereSet(query, "s.followed_id", q.Followed)
	if q.EntityType != 0 {
		query = query.Where("? = CASE WHEN s.followed_id IS NULL THEN ? ELSE ? END",
			q.EntityType, subscription.Category, subscription.User)
	}
	if q.Type != "" {
		query = query.Where("? = CASE WHEN s.followed_id IS NULL THEN ? ELSE ? END",
			q.Type, subscription.FollowCategory, subscription.FollowUser)
	}
	return query
}

func (v Subscriptions) Relations(
	ctx context.Context, viewer user.ID, authors []user.ID,
) (map[user.ID]subscription.Relation, error) {
	relations := make(map[user.ID]subscription.Relation, len(authors))
	for _, author := range authors { // a user who does not exist has no row
		relations[author] = subscription.Relate(viewer, author, false, false, false)
	}
	args := []any{v.s.Dialect.ListOf(engine.Numbers(authors)), int64(viewer)}
	_, err := engine.ReadAll(ctx, v.s.DB, v.s.hotReads.relations, args, func(scan engine.Scanner) (author user.ID, err error) {
		var follows, followed, blocked bool
		err = scan((*int64)(&author), &follows, &followed, &blocked)
		relations[author] = subscription.Relate(viewer, author, follows, followed, blocked)
		return author, err
	})
	return relations, err
}

// ties returns the columns that say whether the viewer, a parameter, follows the author, a column, and the other way round,
// and whether a block stands between them. COUNT looks up one row for each author; for EXISTS, Postgres may read all whom the
// viewer follows, or who follow the viewer.
func ties(viewer, author string) string {
	return isFollowing(viewer, author) + ", " + isFollowing(author, viewer) + ", " + isBlocked(viewer, author)
}

// isFollowing returns the condition that the user follows the other one; both are parameters or columns.
func isFollowing(user, other string) string {
	return "(SELECT COUNT(*) FROM subscriptions s WHERE s.user_id = " + user + " AND s.followed_id = " + other + ") > 0"
}

// relationsOf returns the query for the ties of the viewer $2 to the users $1.
func relationsOf(d engine.Dialect) string {
	return "SELECT u.id, " + ties("$2", "u.id") + " FROM users u WHERE " + d.Among("u.id", "$1")
}

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
