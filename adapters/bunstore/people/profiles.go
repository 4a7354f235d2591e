package people

import (
	"context"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/user"
)

// profileOf finds the user $1 unless a block stands between them and the viewer $2, who may be 0, with what they have and what stands
// between the two. COUNT looks up one row; for EXISTS, Postgres may read all whom the viewer follows.
const profileOf = `
	SELECT u.id AS member_id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, u.avatar, p.seen, u.bio,
		COALESCE(c.events, 0) AS events, COALESCE(c.followers, 0) AS followers, COALESCE(c.followed, 0) AS followed,
		(SELECT s.id FROM subscriptions s WHERE s.user_id = $2 AND s.followed_id = u.id) AS subscription_id,
		(SELECT COUNT(*) FROM subscriptions s WHERE s.user_id = u.id AND s.followed_id = $2) > 0 AS follows_viewer
	FROM users u
	LEFT JOIN presence p ON p.user_id = u.id
	LEFT JOIN profile_counts c ON c.owner_id = u.id
	WHERE u.id = $1 AND NOT u.disabled AND u.phone NOT LIKE 'erased-%'
		AND (SELECT COUNT(*) FROM blocks b WHERE b.user_id = $2 AND b.other_id = u.id) = 0`

// relationshipsTo finds what stands between the viewer $2 and the users of $1.
var relationshipsTo = engine.Both(`
	SELECT u.id AS user_id,
		(SELECT s.id FROM subscriptions s WHERE s.user_id = $2 AND s.followed_id = u.id) AS subscription_id,
		(SELECT COUNT(*) FROM subscriptions s WHERE s.user_id = u.id AND s.followed_id = $2) > 0 AS follows_viewer,
		(SELECT COUNT(*) FROM blocks b WHERE b.user_id = $2 AND b.other_id = u.id AND b.is_by_user) > 0 AS is_blocked
	FROM users u
	WHERE u.id = ANY($1) AND NOT u.disabled AND u.phone NOT LIKE 'erased-%'`)

// relationshipRow is a row of relationshipsTo.
type relationshipRow struct {
	UserID         user.ID
	SubscriptionID int64 `bun:",nullzero"`
	FollowsViewer  bool
	IsBlocked      bool
}

func (r relationshipRow) relationship() user.Relationship {
	return user.Relationship{User: r.UserID, Subscription: r.SubscriptionID, FollowsViewer: r.FollowsViewer, IsBlocked: r.IsBlocked}
}

// profileRow is a row of profileOf. Wrong counts may be negative.
type profileRow struct {
	MemberRow
	Bio       string
	Events    int
	Followers int
	Followed  int
	relationshipRow
}

func (v Accounts) Profile(ctx context.Context, id, viewer user.ID) (user.Profile, error) {
	row, err := engine.One[profileRow](ctx, v.DB, user.ErrNotFound, profileOf, id, viewer)
	row.UserID = row.MemberID
	return user.Profile{
		Member: row.Member(), Bio: row.Bio, Events: max(row.Events, 0), Followers: max(row.Followers, 0), Followed: max(row.Followed, 0),
		Relation: row.relationship(),
	}, err
}

func (v Accounts) Relationships(ctx context.Context, viewer user.ID, ids []user.ID) ([]user.Relationship, error) {
	rows, err := engine.All[relationshipRow](ctx, v.DB, v.DB.Pick(relationshipsTo), ids, viewer)
	return engine.Mapped(rows, relationshipRow.relationship), err
}
