package people

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"plaza/domain/quota"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
	"plaza/domain/idempotency"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// Subscriptions implements subscription.Repository.
type Subscriptions struct {
	DB     *engine.DB
	Limits quota.Limits
}

type SubscriptionRow struct {
	bun.BaseModel `bun:"table:subscriptions,alias:s"`
	ID            subscription.ID `bun:",pk,autoincrement"`
	UserID        user.ID
	FollowedID    user.ID         `bun:",nullzero"`
	CategoryID    feed.CategoryID `bun:",nullzero"`
	Created       engine.Time
	Updated       engine.Time
	engine.PageRow
}

func (r SubscriptionRow) Subscription() subscription.Subscription {
	return subscription.Subscription{
		ID: r.ID, User: r.UserID, Followed: r.FollowedID, Category: r.CategoryID,
		Created: r.Created.Time, Updated: r.Updated.Time,
	}
}

// Follow locks the pair of users, so that of two who follow each other at once the later one finds the other.
func (v Subscriptions) Follow(
	ctx context.Context, sub subscription.Subscription, charges ...ratelimit.Charge,
) (stored subscription.Subscription, isNew bool, err error) {
	err = v.DB.Write(ctx, func(tx *engine.Tx) error {
		ctx := tx.Context()
		if v.Limits.Follows > 0 || sub.EntityType() == subscription.User {
			lockFollows(tx, sub.User)
		}
		if sub.Followed != 0 {
			tx.Lock(fmt.Sprint("contacts ", min(sub.User, sub.Followed), " and ", max(sub.User, sub.Followed)))
		}
		ChargeAll(tx, charges)
		full, err := v.checkFollow(tx, sub)
		if err != nil {
			return err
		}
		stored, isNew, err = v.follow(ctx, tx, sub, full)
		kind := idempotency.Subscription
		if !isNew {
			kind = idempotency.ExistingSubscription
		}
		CompleteKey(tx, sub.Completes, kind, int64(stored.ID))
		return err
	})
	return stored, isNew, err
}

// lockFollows makes others who follow for the user wait, so that they don't exceed the quota together, and those who block
// for the user.
func lockFollows(tx *engine.Tx, who user.ID) { tx.Lock(fmt.Sprint("follows of ", who)) }

// followable finds whether the user $1 exists, and the user $2, between whom and $1 no block stands, or the category $3; and how
// many subscriptions $1 has, at most $4.
const followable = `
	SELECT
		EXISTS (SELECT 1 FROM users WHERE id = $1),
		EXISTS (SELECT 1 FROM categories WHERE id = $3) OR EXISTS (
			SELECT 1 FROM users u
			WHERE u.id = $2 AND u.phone NOT LIKE 'erased-%'
				AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.user_id = $1 AND b.other_id = u.id)),
		(SELECT COUNT(*) FROM (SELECT 1 FROM subscriptions WHERE user_id = $1 LIMIT CAST($4 AS bigint)) own)`

// checkFollow returns an error unless both ends exist, and no block stands between users. Users and categories are never
// deleted, but the data of a user may be erased. full is the error of another subscription of the
// user, nil if there is room for it; no more subscriptions are counted than the quota has.
func (v Subscriptions) checkFollow(tx *engine.Tx, sub subscription.Subscription) (full, err error) {
	var user, target bool
	var follows int
	tx.Queue(followable, sub.User, engine.NullIfZero(sub.Followed), engine.NullIfZero(sub.Category), v.Limits.Follows).
		Into(&user, &target, &follows)
	err = tx.Send()
	switch {
	case err != nil:
		return nil, err
	case !user:
		return nil, fmt.Errorf("there is no user %d to refer to", sub.User)
	case !target:
		return nil, subscription.ErrNotFound
	}
	return v.Limits.CheckFollows(follows), nil
}

// insertSubscription stores that the user $1 follows the user $2, or the category $3, since $4, changed at $5, unless the user
// does so already.
const insertSubscription = `
	INSERT INTO subscriptions (user_id, followed_id, category_id, created, updated)
	VALUES ($1, $2, $3, $4, $5)
	ON CONFLICT DO NOTHING
	RETURNING id`

// follow stores the subscription with its notification, or returns the existing row. It retries if the conflicting row
// is removed before it is read. If full is not nil, it stores none, and full is its error.
func (v Subscriptions) follow(
	ctx context.Context, tx *engine.Tx, sub subscription.Subscription, full error,
) (stored subscription.Subscription, isNew bool, err error) {
	var row SubscriptionRow
	for {
		if full == nil {
			stored = sub
			stored.ID, stored.Completes = 0, nil
			tx.Queue(insertSubscription, sub.User, engine.NullIfZero(sub.Followed), engine.NullIfZero(sub.Category), sub.Created, sub.Updated).
				Into((*int64)(&stored.ID))
			if err := tx.Send(); err != nil {
				return stored, false, err
			}
			if stored.ID != 0 {
				Notify(tx, notification.OfFollow(sub))
				return stored, true, nil
			}
		}
		existing := engine.WhereSet(tx.NewSelect().Model(&row).Where("user_id = ?", sub.User), "followed_id", sub.Followed)
		err := engine.WhereSet(existing, "category_id", sub.Category).Scan(ctx)
		if !errors.Is(err, sql.ErrNoRows) {
			return row.Subscription(), false, err
		}
		if full != nil {
			return stored, false, full
		}
	}
}

func (v Subscriptions) Get(ctx context.Context, owner user.ID, id subscription.ID) (subscription.Subscription, error) {
	row, err := engine.SelectOne[SubscriptionRow](ctx, v.DB, subscription.ErrNotFound, "id = ? AND user_id = ?", id, owner)
	return row.Subscription(), err
}

func (v Subscriptions) Remove(ctx context.Context, owner user.ID, id subscription.ID) error {
	return v.DB.ExecMust(ctx, subscription.ErrNotFound, "DELETE FROM subscriptions WHERE id = $1 AND user_id = $2", id, owner)
}

func (v Subscriptions) List(ctx context.Context, q subscription.Query) (page.Page[subscription.Subscription], error) {
	p, err := engine.ListPage[SubscriptionRow](ctx, v.DB, q.Page, func(query *bun.SelectQuery) *bun.SelectQuery {
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
	}, "s.created DESC, s.id DESC")
	return page.Map(p, SubscriptionRow.Subscription), err
}

// tiesTo finds what stands between the viewer $2 and the users of $1. COUNT looks up one row for each; for EXISTS, Postgres may
// read all whom the viewer follows, or who follow the viewer.
var tiesTo = engine.Both(`
	SELECT u.id,
		(SELECT COUNT(*) FROM subscriptions s WHERE s.user_id = $2 AND s.followed_id = u.id) > 0 AS follows,
		(SELECT COUNT(*) FROM subscriptions s WHERE s.user_id = u.id AND s.followed_id = $2) > 0 AS is_followed,
		(SELECT COUNT(*) FROM blocks b WHERE b.user_id = $2 AND b.other_id = u.id) > 0 AS is_blocked
	FROM users u WHERE u.id = ANY($1)`)

// tiesToRow is a row of tiesTo.
type tiesToRow struct {
	ID user.ID
	TiesRow
}

func (v Subscriptions) Relations(
	ctx context.Context, viewer user.ID, authors []user.ID,
) (map[user.ID]subscription.Relation, error) {
	all := make(map[user.ID]subscription.Relation, len(authors))
	for _, author := range authors { // a user who does not exist has no row
		all[author] = subscription.Relate(viewer, author, false, false, false)
	}
	rows, err := engine.All[tiesToRow](ctx, v.DB, v.DB.Pick(tiesTo), authors, viewer)
	for _, r := range rows {
		all[r.ID] = r.Relation(viewer, r.ID)
	}
	return all, err
}

// TiesRow is what stands between a viewer and another user, such as the author of an event.
type TiesRow struct {
	Follows, IsFollowed, IsBlocked bool `bun:",scanonly"`
}

func (r TiesRow) Relation(viewer, author user.ID) subscription.Relation {
	return subscription.Relate(viewer, author, r.Follows, r.IsFollowed, r.IsBlocked)
}
