// Package people stores accounts, their logins, codes and names, what they follow and block, their notifications, and what bounds
// and completes the requests of an account: charges, the bytes of pictures, idempotency keys.
package people

import (
	"cmp"
	"context"
	"fmt"
	"plaza/domain/quota"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/media"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
	"plaza/domain/verification"
)

// Accounts implements access.Accounts and user.Directory.
type Accounts struct {
	DB     *engine.DB
	Limits quota.Limits
}

// AccountRow is the part of a user that login needs.
type AccountRow struct {
	bun.BaseModel `bun:"table:users,alias:u"`
	ID            user.ID `bun:",pk,autoincrement"`
	Phone         string
	PasswordHash  string
	Scopes        []string `bun:",array"`
	Staff         bool
	Disabled      bool
	Erasing       bool
	Generation    int
	Revision      int64
}

// UserRow is a complete new user.
type UserRow struct {
	AccountRow `bun:",extend"`
	Firstname  string
	Lastname   string
	Expertise  string
	Location   string
	Timezone   string
	Joined     engine.Time
}

func (r AccountRow) Account() (access.Account, error) {
	phone, err := PhoneOf(r.Phone)
	return access.Account{
		User: r.ID, Phone: phone, Hash: r.PasswordHash, Scopes: ScopesOf(r.Scopes),
		Staff: r.Staff, Disabled: r.Disabled, Erasing: r.Erasing, Generation: r.Generation,
	}, err
}

// PhoneOf parses a stored phone; empty means none.
func PhoneOf(name string) (user.Phone, error) {
	if name == "" {
		return user.Phone{}, nil
	}
	phone, err := user.StoredPhone(name)
	if err != nil {
		return user.Phone{}, fmt.Errorf("stored phone is invalid: %v", err) // an internal error, not a fault
	}
	return phone, nil
}

func ScopesOf(names []string) []access.Scope {
	return engine.Mapped(names, func(name string) access.Scope { return access.Scope(name) })
}

const (
	// insertUser adds a user: $1 phone, $2 hash of the password, $3 scopes, $4 staff, $5 disabled, $6 erasing, $7 generation, $8
	// firstname, $9 lastname, $10 expertise, $11 location, $12 timezone, $13 joined.
	insertUser = `
		INSERT INTO users (phone, password_hash, scopes, staff, disabled, erasing, generation,
			firstname, lastname, expertise, location, timezone, joined)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
		RETURNING id`

	// lockAccount locks the user $1 and finds the account.
	lockAccount = `
		SELECT id, phone, password_hash, scopes, staff, disabled, erasing, generation, revision FROM users WHERE id = $1
		FOR UPDATE`

	// updateAccount changes the account of the user $1: $2 phone, $3 hash of the password, $4 scopes, $5 staff, $6 disabled, $7
	// erasing, $8 generation.
	updateAccount = `
		UPDATE users
		SET phone = $2, password_hash = $3, scopes = $4, staff = $5, disabled = $6, erasing = $7, generation = $8, revision = revision + 1
		WHERE id = $1`

	// keepToken makes the token $1 of the user $2 one of the generation $4, if it is one of $3.
	keepToken = `
		UPDATE tokens SET generation = $4 WHERE id = $1 AND user_id = $2 AND generation = $3`

	// accountByPhone finds the account with the phone $1.
	accountByPhone = `
		SELECT id, phone, password_hash, scopes, staff, disabled, erasing, generation, revision FROM users WHERE phone = $1`

	// telephoneFree finds a row if no user but $2 has the telephone $1, whose login name may have its dash elsewhere. A telephone has
	// one new name, which the unique column guards; names from before AUT-03 do not change.
	telephoneFree = `
		SELECT TRUE WHERE NOT EXISTS (SELECT 1 FROM users WHERE replace(phone, '-', '') = $1 AND id <> $2)`
)

func (v Accounts) Open(
	ctx context.Context, a access.Account, m user.Member, spendings ...verification.Spending,
) (id user.ID, err error) {
	err = v.DB.Write(ctx, func(tx *engine.Tx) error {
		ctx := tx.Context()
		spendCodes(tx, spendings)
		tx.Queue(telephoneFree, a.Phone.E164(), 0).Must(access.ErrPhoneTaken)
		tx.Queue(insertUser, a.Phone.String(), a.Hash, a.Scopes, a.Staff, a.Disabled, a.Erasing, a.Generation,
			m.Firstname, m.Lastname, m.Expertise, m.Location, m.Timezone, m.Joined).Into((*int64)(&id))
		if err := tx.Send(); err != nil {
			return v.orTaken(err)
		}
		m.ID = id
		audit.Made(ctx, audit.Numbered(audit.Account, id), id)
		if !m.Seen.IsZero() {
			tx.Queue("INSERT INTO presence (user_id, seen) VALUES ($1, $2)", id, m.Seen)
		}
		return addPrefixes(ctx, tx, m)
	})
	return id, err
}

// orTaken converts a unique violation of a phone into its fault.
func (v Accounts) orTaken(err error) error {
	if err != nil && v.DB.Dialect.IsDuplicate(err, "users", "phone") {
		return access.ErrPhoneTaken
	}
	return err
}

func (v Accounts) ByPhone(ctx context.Context, phone user.Phone) (access.Account, error) {
	row, err := engine.One[AccountRow](ctx, v.DB, access.ErrNoAccount, accountByPhone, phone.String())
	if err != nil {
		return access.Account{}, err
	}
	return row.Account()
}

func (v Accounts) ByID(ctx context.Context, id user.ID) (access.Account, error) {
	row, err := engine.SelectOne[AccountRow](ctx, v.DB, access.ErrNoAccount, "id = ?", id)
	if err != nil {
		return access.Account{}, err
	}
	return row.Account()
}

func (v Accounts) AccountsOf(ctx context.Context, ids []user.ID) ([]access.Account, error) {
	return v.all(ctx, func(query *bun.SelectQuery) *bun.SelectQuery { return query.Where("id IN (?)", bun.List(ids)) })
}

func (v Accounts) List(ctx context.Context, after user.ID, limit int) ([]access.Account, error) {
	return v.all(ctx, func(query *bun.SelectQuery) *bun.SelectQuery {
		return engine.Limited(query.Where("id > ?", after).Order("id"), limit)
	})
}

func (v Accounts) all(ctx context.Context, selecting func(*bun.SelectQuery) *bun.SelectQuery) ([]access.Account, error) {
	rows, err := engine.SelectAll[AccountRow](ctx, v.DB, selecting)
	return engine.Converted(rows, err, AccountRow.Account)
}

func (v Accounts) Erasing(ctx context.Context, after user.ID, limit int) ([]user.ID, error) {
	rows, err := engine.SelectAll[AccountRow](ctx, v.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		return engine.Limited(query.Where("erasing").Where("id > ?", after).Order("id"), limit)
	})
	return engine.Mapped(rows, func(r AccountRow) user.ID { return r.ID }), err
}

func (v Accounts) Change(
	ctx context.Context, id user.ID, fn func(*access.Account) error, spendings ...verification.Spending,
) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		ctx := tx.Context()
		var old access.Account
		engine.Found(tx, tx.Queue(lockAccount, id).Must(access.ErrNoAccount), func(r *AccountRow) (err error) {
			old, err = r.Account()
			return err
		})
		if err := tx.Send(); err != nil {
			return err
		}
		a := old
		if err := cmp.Or(fn(&a), ctx.Err()); err != nil {
			return err
		}
		spendCodes(tx, spendings)
		if a.Phone != old.Phone {
			tx.Queue(telephoneFree, a.Phone.E164(), id).Must(access.ErrPhoneTaken)
		}
		tx.Queue(updateAccount, id, a.Phone.String(), a.Hash, a.Scopes, a.Staff, a.Disabled, a.Erasing, a.Generation)
		if a.Kept != 0 {
			tx.Queue(keepToken, a.Kept, id, old.Generation, a.Generation)
		}
		return v.orTaken(tx.Send())
	})
}

// MemberRow is a user as pages show them, whose columns are those of users u and presence p. Without such a user all are
// NULL, and the MemberID is zero.
type MemberRow struct {
	MemberID  user.ID `bun:",nullzero"`
	Firstname string  `bun:",nullzero"`
	Lastname  string  `bun:",nullzero"`
	Expertise string  `bun:",nullzero"`
	Location  string  `bun:",nullzero"`
	Timezone  string  `bun:",nullzero"`
	Joined    engine.Time
	Avatar    engine.Cover
	Seen      engine.Time
}

func (r *MemberRow) Member() user.Member {
	return user.Member{
		ID: r.MemberID, Firstname: r.Firstname, Lastname: r.Lastname, Expertise: r.Expertise, Location: r.Location,
		Timezone: r.Timezone, Joined: r.Joined.Time, Seen: r.Seen.Time, Avatar: media.Picture(r.Avatar),
	}
}

// membersByID finds the users of $1.
var membersByID = engine.Both(`
	SELECT u.id AS member_id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, u.avatar, p.seen
	FROM users u LEFT JOIN presence p ON p.user_id = u.id
	WHERE u.id = ANY($1) AND u.phone NOT LIKE 'erased-%'`)

// MembersOf returns the read that passes the users of the ids to fn.
func MembersOf(db *engine.DB, ids []user.ID, fn func(user.Member)) engine.Step {
	return engine.Each(db, func(row *MemberRow) error {
		fn(row.Member())
		return nil
	}, db.Pick(membersByID), ids)
}

// AddMember adds the member of a memberRow, unless there was none.
func AddMember(members map[user.ID]*user.Member, m user.Member) {
	if known := members[m.ID]; known != nil {
		*known = m
	} else if m.ID != 0 {
		members[m.ID] = new(m)
	}
}

func (v Accounts) Members(ctx context.Context, ids []user.ID) ([]user.Member, error) {
	found := make([]user.Member, 0, len(ids))
	read := MembersOf(v.DB, ids, func(m user.Member) { found = append(found, m) })
	err := v.DB.ReadRows(ctx, read, func() { found = found[:0] })
	return found, err
}

const (
	// changeProfile sets the firstname $1, lastname $2, timezone $3, location $4 and expertise $5 of the user $6. What is NULL
	// stays.
	changeProfile = `
		UPDATE users SET firstname = COALESCE($1, firstname), lastname = COALESCE($2, lastname), timezone = COALESCE($3, timezone),
			location = COALESCE($4, location), expertise = COALESCE($5, expertise)
		WHERE id = $6 AND phone NOT LIKE 'erased-%'
		RETURNING firstname, lastname`

	// setAvatar replaces the avatar of the user $2 by $1. A trigger gives back the bytes of the former one.
	setAvatar = `
		UPDATE users SET avatar = $1 WHERE id = $2 AND phone NOT LIKE 'erased-%'`
)

func (v Accounts) ChangeProfile(ctx context.Context, id user.ID, c user.ProfileChange, charges ...ratelimit.Charge) error {
	renamed := user.Member{ID: id}
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		ctx := tx.Context()
		ChargeAll(tx, charges)
		tx.Queue(changeProfile, c.Firstname, c.Lastname, c.Timezone, c.Location, c.Expertise, id).Must(user.ErrNotFound).
			Into(&renamed.Firstname, &renamed.Lastname)
		if c.Firstname == nil && c.Lastname == nil {
			return nil
		}
		if err := tx.Send(); err != nil {
			return err
		}
		return ReplacePrefixes(ctx, tx, renamed)
	})
}

// SetAvatar replaces the avatar first, which gives back the bytes of the old one.
func (v Accounts) SetAvatar(ctx context.Context, id user.ID, avatar media.Picture, bytes int64, charges ...ratelimit.Charge) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		ChargeAll(tx, charges)
		tx.Queue(setAvatar, avatar, id).Must(user.ErrNotFound)
		CountPictures(tx, v.Limits, id, CountedPicture{avatar.Key, bytes, false})
		return nil
	})
}
