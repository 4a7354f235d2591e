// Package people stores accounts, their logins, codes and names, what they follow and block, their notifications, and what bounds
// and completes the requests of an account: charges, the bytes of pictures, idempotency keys.
package people

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/quota"
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
	Roles         []string `bun:",array"`
	Disabled      bool
	Erasing       bool
	Generation    int
	FactorSecret  []byte
	FactorStep    int64
	RecoveryCodes []string `bun:",array"`
}

// Account returns the account that the row has, or an error if its phone is none.
func (r AccountRow) Account() (access.Account, error) {
	phone, err := PhoneOf(r.Phone)
	return access.Account{
		User: r.ID, Phone: phone, Hash: r.PasswordHash, Scopes: ScopesOf(r.Scopes),
		Roles: engine.Mapped(r.Roles, func(name string) access.Role { return access.Role(name) }),
		Factor: access.SecondFactor{
			Sealed: append([]byte(nil), r.FactorSecret...), Step: r.FactorStep, Recovery: append([]string(nil), r.RecoveryCodes...),
		},
		Disabled: r.Disabled, Erasing: r.Erasing, Generation: r.Generation,
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

// ScopesOf returns the stored scopes.
func ScopesOf(names []string) []access.Scope {
	return engine.Mapped(names, func(name string) access.Scope { return access.Scope(name) })
}

const (
	// insertUser adds a user: $1 phone, $2 hash of the password, $3 scopes, $4 roles, $5 disabled, $6 erasing, $7 generation, $8
	// firstname, $9 lastname, $10 expertise, $11 location, $12 timezone, $13 joined, $14 secret, $15 step and $16 recovery codes of
	// the second factor.
	insertUser = `
		INSERT INTO users (phone, password_hash, scopes, roles, disabled, erasing, generation,
			firstname, lastname, expertise, location, timezone, joined, factor_secret, factor_step, recovery_codes)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
		RETURNING id`

	// updateAccount changes the account of the user $1: $2 phone, $3 hash of the password, $4 scopes, $5 roles, $6 disabled, $7
	// erasing, $8 generation, $9 secret, $10 step and $11 recovery codes of the second factor.
	updateAccount = `
		UPDATE users
		SET phone = $2, password_hash = $3, scopes = $4, roles = $5, disabled = $6, erasing = $7, generation = $8,
			factor_secret = $9, factor_step = $10, recovery_codes = $11, revision = revision + 1
		WHERE id = $1`

	// accountByPhone finds the account with the phone $1.
	accountByPhone = `
		SELECT id, phone, password_hash, scopes, roles, disabled, erasing, generation, factor_secret, factor_step, recovery_codes
		FROM users WHERE phone = $1`

	// telephoneFree finds a row if no user but $2 has the telephone $1, whose login name may have its dash elsewhere. A telephone has
	// one new name, which the unique column guards; names from before AUT-03 do not change.
	telephoneFree = `
		SELECT TRUE WHERE NOT EXISTS (SELECT 1 FROM users WHERE replace(phone, '-', '') = $1 AND id <> $2)`
)

func (v Accounts) Open(
	ctx context.Context, a access.Account, m user.Member, spendings ...verification.Spending,
) (id user.ID, err error) {
	err = v.DB.Write(ctx, func(tx *engine.Tx) error {
		spendCodes(tx, spendings)
		tx.Queue(telephoneFree, a.Phone.E164(), 0).Must(access.ErrPhoneTaken)
		tx.Queue(insertUser, a.Phone.String(), a.Hash, a.Scopes, a.Roles, a.Disabled, a.Erasing, a.Generation,
			m.Firstname, m.Lastname, m.Expertise, m.Location, m.Timezone, m.Joined,
			a.Factor.Sealed, a.Factor.Step, a.Factor.Recovery).Into((*int64)(&id))
		if err := tx.Send(); err != nil {
			return v.orTaken(err)
		}
		m.ID = id
		audit.Made(ctx, audit.Numbered(audit.Account, id), id)
		if !m.Seen.IsZero() {
			tx.Queue("INSERT INTO presence (user_id, seen) VALUES ($1, $2)", id, m.Seen)
		}
		return ReplacePrefixes(tx, m)
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
	account, broken := row.Account()
	return account, cmp.Or(err, broken)
}

func (v Accounts) ByID(ctx context.Context, id user.ID) (access.Account, error) {
	row, err := engine.SelectOne[AccountRow](ctx, v.DB, access.ErrNoAccount, "id = ?", id)
	account, broken := row.Account()
	return account, cmp.Or(err, broken)
}

func (v Accounts) AccountsOf(ctx context.Context, ids []user.ID) ([]access.Account, error) {
	return v.all(ctx, func(query *bun.SelectQuery) *bun.SelectQuery { return query.Where("id IN (?)", bun.List(ids)) })
}

func (v Accounts) List(ctx context.Context, after user.ID, limit int) ([]access.Account, error) {
	return v.all(ctx, func(query *bun.SelectQuery) *bun.SelectQuery {
		return engine.Limited(query.Where("id > ?", after).Order("id"), limit)
	})
}

func (v Accounts) Newest(ctx context.Context, f access.AccountFilter, r page.CursorRequest) (page.CursorPage[user.Member], error) {
	key := func(m user.Member) page.Cursor { return page.At(m.Joined, m.ID) }
	order := engine.Latest(v.DB, f.Span, "u.joined", "u.id", func(row MemberRow) page.Cursor { return key(row.Member()) })
	rows, err := engine.SelectAll[MemberRow](ctx, v.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		query = query.ModelTableExpr("users AS u").Join("LEFT JOIN presence AS p ON p.user_id = u.id").ColumnExpr(
			"u.id AS member_id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, u.avatar, p.seen")
		if f.IsDisabled {
			query = query.Where("u.disabled")
		}
		if f.IsStaff || f.Role != "" {
			query = query.Where(v.DB.Pick(engine.Text{Postgres: "u.roles <> '{}'", SQLite: "u.roles <> '[]'"}))
		}
		if f.Role != "" {
			query = query.Where(v.DB.Pick(engine.Text{
				Postgres: "? = ANY(u.roles)", SQLite: "? IN (SELECT value FROM json_each(u.roles))"}), f.Role)
		}
		if r.After != (page.Cursor{}) {
			query = query.Where(order.Behind, order.Values(r.After)...)
		}
		return engine.Within(query.Where("u.phone NOT LIKE 'erased-%'"), "u.joined", f.Span).OrderExpr(order.By).Limit(int64(r.Size() + 1))
	})
	return page.UpTo(r.Size(), engine.Mapped(rows, func(r MemberRow) user.Member { return r.Member() }), page.Keys(f.Span, key)), err
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
		var row AccountRow
		locked := v.DB.Locking(tx.NewSelect().Model(&row), "NO KEY UPDATE") // meanwhile others may refer to the user
		if err := locked.Where("id = ?", id).Scan(tx.Context()); err != nil {
			return engine.OrNotFound(err, access.ErrNoAccount)
		}
		old, err := row.Account()
		if err != nil {
			return err
		}
		a := old
		if err := cmp.Or(fn(&a), tx.Context().Err()); err != nil {
			return err
		}
		spendCodes(tx, spendings)
		if a.Phone != old.Phone {
			tx.Queue(telephoneFree, a.Phone.E164(), id).Must(access.ErrPhoneTaken)
			tx.Queue("DELETE FROM usual_sources WHERE phone = $1", old.Phone.String())
		}
		tx.Queue(updateAccount, id, a.Phone.String(), a.Hash, a.Scopes, a.Roles, a.Disabled, a.Erasing, a.Generation,
			a.Factor.Sealed, a.Factor.Step, a.Factor.Recovery)
		if a.IsDisabledFrom(old) {
			of := moderation.Thing{Kind: moderation.Person, ID: int64(id)}
			if err := DecideCase(tx, of, moderation.DecisionBy(ctx, moderation.OutcomeDisabled, time.Time{})); err != nil {
				return v.orTaken(err)
			}
		}
		if a.Kept != 0 {
			tx.Queue("UPDATE tokens SET generation = $4 WHERE id = $1 AND user_id = $2 AND generation = $3",
				a.Kept, id, old.Generation, a.Generation)
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

// Member returns the user, whose ID is zero without one.
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

// AddMember adds the member of a MemberRow, unless there was none.
func AddMember(members map[user.ID]*user.Member, m user.Member) {
	if known := members[m.ID]; known != nil {
		*known = m
	} else if m.ID != 0 {
		members[m.ID] = new(m)
	}
}

func (v Accounts) Members(ctx context.Context, ids []user.ID) ([]user.Member, error) {
	rows, err := engine.All[MemberRow](ctx, v.DB, v.DB.Pick(membersByID), ids)
	return engine.Mapped(rows, func(r MemberRow) user.Member { return r.Member() }), err
}

// changeProfile sets the firstname $1, lastname $2, timezone $3, location $4, expertise $5 and bio $7 of the user $6. What is NULL
// stays.
const changeProfile = `
	UPDATE users SET firstname = COALESCE($1, firstname), lastname = COALESCE($2, lastname), timezone = COALESCE($3, timezone),
		location = COALESCE($4, location), expertise = COALESCE($5, expertise), bio = COALESCE($7, bio)
	WHERE id = $6 AND phone NOT LIKE 'erased-%'
	RETURNING firstname, lastname`

func (v Accounts) ChangeProfile(ctx context.Context, id user.ID, c user.ProfileChange, charges ...ratelimit.Charge) error {
	renamed := user.Member{ID: id}
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		ChargeAll(tx, charges)
		tx.Queue(changeProfile, c.Firstname, c.Lastname, c.Timezone, c.Location, c.Expertise, id, c.Bio).Must(user.ErrNotFound).
			Into(&renamed.Firstname, &renamed.Lastname)
		if c.IsHideable() {
			tx.Queue(isShown, id).Must(user.ErrProfileHidden)
		}
		if c.Firstname == nil && c.Lastname == nil {
			return nil
		}
		if err := tx.Send(); err != nil {
			return err
		}
		return ReplacePrefixes(tx, renamed)
	})
}

// SetAvatar replaces the avatar first: a trigger gives back the bytes of the old one.
func (v Accounts) SetAvatar(ctx context.Context, id user.ID, avatar media.Picture, bytes int64, charges ...ratelimit.Charge) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		ChargeAll(tx, charges)
		tx.Queue("UPDATE users SET avatar = $1 WHERE id = $2 AND phone NOT LIKE 'erased-%'", avatar, id).Must(user.ErrNotFound)
		tx.Queue(isShown, id).Must(user.ErrProfileHidden)
		CountPictures(tx, v.Limits, id, CountedPicture{avatar.Key, bytes})
		return nil
	})
}
