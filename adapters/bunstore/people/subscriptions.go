package people

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
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
	DB     *engine.DB
	Limits quota.Limits
}

// SubscriptionRow is a subscription: FollowedID or CategoryID is zero.
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

// Subscription returns the stored subscription.
func (r SubscriptionRow) Subscription() subscription.Subscription {
	return subscription.Subscription{
		ID: r.ID, User: r.UserID, Followed: r.FollowedID, Category: r.CategoryID,
		Created: r.Created.Time, Updated: r.Updated.Time,
	}
}

const (
	// followable finds whether the user $2, between whom and the user $1 no block stands, or the category $3 exists, and how many
	// subscriptions $1 has, at most $4.
	followable = `
		SELECT
			EXISTS (SELECT 1 FROM categories WHERE id = $3) OR EXISTS (
				SELECT 1 FROM users u
				WHERE u.id = $2 AND u.phone NOT LIKE 'erased-%'
					AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.user_id = $1 AND b.other_id = u.id)),
			(SELECT COUNT(*) FROM (SELECT 1 FROM subscriptions WHERE user_id = $1 LIMIT CAST($4 AS bigint)) own)`

	// subscribed finds the subscription of the user $1 to the user $2, or to the category $3.
	subscribed = `
		SELECT id, user_id, followed_id, category_id, created, updated FROM subscriptions
		WHERE user_id = $1 AND followed_id = $2 OR user_id = $1 AND category_id = $3`

	// insertSubscription stores that the user $1 follows the user $2, or the category $3, since $4, changed at $5.
	insertSubscription = `
		INSERT INTO subscriptions (user_id, followed_id, category_id, created, updated) VALUES ($1, $2, $3, $4, $5)
		RETURNING id`
)

// Follow locks the user, so that what the user follows stays as it was found, and the pair of users, so that of two who follow each
// other at once the later one finds the other.
func (v Subscriptions) Follow(
	ctx context.Context, sub subscription.Subscription, charges ...ratelimit.Charge,
) (stored subscription.Subscription, isNew bool, err error) {
	followed, category := engine.NullIfZero(sub.Followed), engine.NullIfZero(sub.Category)
	err = v.DB.Write(ctx, func(tx *engine.Tx) error {
		LockFollows(tx, sub.User)
		if sub.Followed != 0 {
			tx.Lock(fmt.Sprint("contacts ", min(sub.User, sub.Followed), " and ", max(sub.User, sub.Followed)))
		}
		ChargeAll(tx, charges)
		var exists bool
		var follows int
		tx.Queue(followable, sub.User, followed, category, v.Limits.Follows).Into(&exists, &follows)
		stored, isNew = sub, true
		stored.Completes = nil
		engine.Found(tx, tx.Queue(subscribed, sub.User, followed, category), func(row *SubscriptionRow) error {
			stored, isNew = row.Subscription(), false
			return nil
		})
		if err := tx.Send(); err != nil {
			return err
		}
		kind := idempotency.ExistingSubscription
		switch full := v.Limits.CheckFollows(follows); {
		case !exists:
			return subscription.ErrNotFound
		case isNew && full != nil:
			return full
		case isNew:
			kind = idempotency.Subscription
			tx.Queue(insertSubscription, sub.User, followed, category, sub.Created, sub.Updated).Into((*int64)(&stored.ID))
			if err := tx.Send(); err != nil {
				return err
			}
			Notify(tx, notification.OfFollow(sub))
		}
		CompleteKey(tx, sub.Completes, kind, int64(stored.ID))
		return nil
	})
	return stored, isNew, err
}

// LockFollows makes others who follow for the user wait, so that they don't exceed the quota together, and those who block
// for the user.
func LockFollows(tx *engine.Tx, who user.ID) { tx.Lock(fmt.Sprint("follows of ", who)) }

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
	}, engine.Latest(v.DB, page.Span{}, "s.created", "s.id", func(r SubscriptionRow) page.Cursor { return page.At(r.Created.Time, r.ID) }))
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

// Relation returns the viewer's relation to the author.
func (r TiesRow) Relation(viewer, author user.ID) subscription.Relation {
	return subscription.Relate(viewer, author, r.Follows, r.IsFollowed, r.IsBlocked)
}
