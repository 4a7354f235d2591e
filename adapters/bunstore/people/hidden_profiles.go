package people

import (
	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/user"
)

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
