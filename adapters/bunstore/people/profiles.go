package people

import (
	"context"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/media"
	"plaza/domain/moderation"
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

const (
	// lockUser locks the user $1.
	lockUser = `
		SELECT id FROM users WHERE id = $1
		FOR NO KEY UPDATE`

	// avatarOf finds the user $1, and the avatar that their profile has, hidden or not.
	avatarOf = `
		SELECT u.id AS member_id, u.timezone, u.joined, COALESCE(h.avatar, u.avatar) AS avatar, h.user_id IS NOT NULL AS is_hidden
		FROM users u LEFT JOIN hidden_profiles h ON h.user_id = u.id
		WHERE u.id = $1 AND u.phone NOT LIKE 'erased-%'`

	// hideProfile puts the profile of the user $1 aside, with the avatar $2.
	hideProfile = `
		INSERT INTO hidden_profiles (user_id, firstname, lastname, bio, location, expertise, avatar)
		SELECT id, firstname, lastname, bio, location, expertise, $2 FROM users WHERE id = $1`

	// maskProfile leaves of the profile of the user $1 the firstname $2.
	maskProfile = `
		UPDATE users SET firstname = $2, lastname = '', bio = '', location = '', expertise = '', avatar = NULL WHERE id = $1`

	// restoreProfile gives the user $1 the profile that was put aside, with the avatar $2.
	restoreProfile = `
		UPDATE users SET avatar = $2, (firstname, lastname, bio, location, expertise) =
			(SELECT firstname, lastname, bio, location, expertise FROM hidden_profiles WHERE user_id = $1)
		WHERE id = $1
		RETURNING firstname, lastname`

	// isShown finds a row unless the profile of the user $1 is hidden. The transaction has locked the user.
	isShown = `
		SELECT TRUE WHERE NOT EXISTS (SELECT 1 FROM hidden_profiles WHERE user_id = $1)`
)

// hiddenProfileRow is a row of avatarOf.
type hiddenProfileRow struct {
	MemberRow
	IsHidden bool
}

// TurnProfile hides or restores the profile of the user, whose avatar moves.
func TurnProfile(tx *engine.Tx, id user.ID, isHidden bool, moves media.Moves) (user.ID, error) {
	var was hiddenProfileRow
	tx.Queue(lockUser, id)
	engine.Found(tx, tx.Queue(avatarOf, id).Must(user.ErrNotFound), func(row *hiddenProfileRow) error {
		was = *row
		return nil
	})
	err := tx.Send()
	if err == nil {
		_, err = moderation.Turned(was.IsHidden, isHidden)
	}
	if err != nil {
		return 0, err
	}
	shown := was.Member()
	avatar, err := moves.Picture(shown.Avatar)
	if err != nil {
		return 0, err
	}
	MovePictures(tx, moves, shown.Avatar.Keys()...)
	if shown = shown.Hidden(); isHidden {
		tx.Queue(hideProfile, id, avatar)
		tx.Queue(maskProfile, id, shown.Firstname)
	} else {
		tx.Queue(restoreProfile, id, avatar).Into(&shown.Firstname, &shown.Lastname)
		tx.Queue("DELETE FROM hidden_profiles WHERE user_id = $1", id)
	}
	if err := tx.Send(); err != nil {
		return 0, err
	}
	return id, ReplacePrefixes(tx, shown)
}
