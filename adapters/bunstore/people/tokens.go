package people

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/instant"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// Tokens implements access.Tokens.
type Tokens struct{ DB *engine.DB }

// TokenRow is a row of tokens, with its use.
type TokenRow struct {
	bun.BaseModel `bun:"table:tokens,alias:t"`
	ID            access.TokenID `bun:",pk,autoincrement"`
	Hash          []byte
	UserID        user.ID
	Scopes        []string `bun:",array"`
	Narrowed      bool
	SecondFactor  bool
	Generation    int
	TTL           time.Duration `bun:"ttl"`
	Created       engine.Time
	Used          engine.Time `bun:",scanonly"` // in its own table: it is written often
}

func (r TokenRow) token() access.Token {
	return access.Token{
		ID: r.ID, Hash: access.KeyHash(r.Hash), User: r.UserID, Scopes: ScopesOf(r.Scopes), IsNarrowed: r.Narrowed,
		HasFactor: r.SecondFactor, Generation: r.Generation, TTL: r.TTL, Created: r.Created.Time, Used: r.Used.Time,
	}
}

const (
	// insertToken stores the token with the hash $1 of the user $2: the scopes $3, whether they narrow it $4, the account's
	// generation $5, the lifetime $6 in nanoseconds, the time $7, and whether it has a second factor $8.
	insertToken = `
		INSERT INTO tokens (hash, user_id, scopes, narrowed, generation, ttl, created, second_factor)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		RETURNING id`

	// removeExcessTokens removes the least recently used tokens of the user $1, at most $3, beyond the $4 others that stay, but
	// never the token $2.
	removeExcessTokens = `
		DELETE FROM tokens WHERE id IN (
			SELECT t.id FROM tokens t JOIN token_uses w ON w.token_id = t.id
			WHERE t.user_id = $1 AND t.id <> $2
			ORDER BY w.used DESC, t.id DESC LIMIT CAST($3 AS bigint) OFFSET CAST($4 AS bigint))`
)

func (v Tokens) Issue(ctx context.Context, t access.Token, charges ...ratelimit.Charge) (id access.TokenID, err error) {
	err = v.DB.Write(ctx, func(tx *engine.Tx) error {
		ChargeAll(tx, charges)
		tx.Queue(insertToken, t.Hash[:], t.User, t.Scopes, t.IsNarrowed, t.Generation, int64(t.TTL), t.Created, t.HasFactor).Into((*int64)(&id))
		if err := tx.Send(); err != nil {
			return err
		}
		audit.Made(ctx, audit.Numbered(audit.Token, id), t.User)
		tx.Queue("INSERT INTO token_uses (token_id, used) VALUES ($1, $2)", id, t.Used)
		tx.Queue(removeExcessTokens, t.User, id, math.MaxInt32, access.MaxTokens-1)
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("issue token for user %d: %w", t.User, err)
	}
	return id, nil
}

// sessionOf finds the token with the hash $1, its account, and when its user was seen.
const sessionOf = `
	SELECT t.id AS token_id, t.user_id AS token_user_id, t.scopes AS token_scopes, t.narrowed AS token_narrowed,
		t.second_factor AS token_second_factor,
		t.generation AS token_generation, t.ttl AS token_ttl, t.created AS token_created, w.used AS token_used,
		u.id, u.phone, u.password_hash, u.scopes, u.roles, u.disabled, u.generation, u.timezone, p.seen
	FROM tokens t
	JOIN token_uses w ON w.token_id = t.id
	JOIN users u ON u.id = t.user_id
	LEFT JOIN presence p ON p.user_id = u.id
	WHERE t.hash = $1`

// sessionRow is a row of sessionOf.
type sessionRow struct {
	AccountRow
	Token    TokenRow `bun:"embed:token_"`
	Timezone string
	Seen     engine.Time
}

func (v Tokens) Session(ctx context.Context, hash access.KeyHash) (access.Session, error) {
	r, err := engine.One[sessionRow](ctx, v.DB, access.ErrNoSession, sessionOf, hash)
	if err != nil {
		return access.Session{}, err
	}
	r.Token.Hash = hash[:]
	account, err := r.Account()
	return access.Session{Token: r.Token.token(), Account: account, Zone: r.Timezone, Seen: r.Seen.Time}, err
}

// seeUser stores that the user of the token $1 is seen at $2, unless the user was seen after $3. It looks before it writes: a
// conflict alone would lock the row, which is a write, too.
const seeUser = `
	INSERT INTO presence AS p (user_id, seen)
	SELECT t.user_id, CAST($2 AS timestamptz) FROM tokens t
	WHERE t.id = $1 AND NOT EXISTS (SELECT 1 FROM presence q WHERE q.user_id = t.user_id AND q.seen > $3)
	ON CONFLICT (user_id) DO UPDATE SET seen = EXCLUDED.seen WHERE p.seen <= $3`

// Touch compares with the stored times. They are never earlier than the session's, so a time that is not due by the session is not
// due at all. To lock all tokens in one order and then all users prevents deadlocks.
func (v Tokens) Touch(ctx context.Context, all ...access.Sighting) error {
	slices.SortFunc(all, func(a, b access.Sighting) int { return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.ID, b.ID)) })
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		for _, one := range all {
			if at, due := dueOf(one); !one.Used.After(due) {
				tx.Queue("UPDATE token_uses SET used = $2 WHERE token_id = $1 AND used <= $3", one.ID, at, due)
			}
		}
		for _, one := range all {
			if at, due := dueOf(one); !one.Seen.After(due) {
				tx.Queue(seeUser, one.ID, at, due)
			}
		}
		return nil
	})
}

// dueOf returns when the sighting was, and up to when a former one must have been for it to be stored.
func dueOf(one access.Sighting) (at, due time.Time) {
	at = instant.Normalise(one.At)
	return at, at.Add(-access.SeenEvery)
}

func (v Tokens) Revoke(ctx context.Context, id access.TokenID) error {
	return v.DB.ExecMust(ctx, access.ErrNoSession, "DELETE FROM tokens WHERE id = $1", id)
}

func (v Tokens) OfUsers(ctx context.Context, ids ...user.ID) ([]access.Token, error) {
	rows, err := engine.SelectAll[TokenRow](ctx, v.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.ColumnExpr("?TableColumns, w.used").Join("JOIN token_uses AS w ON w.token_id = t.id").
			Where("t.user_id IN (?)", bun.List(ids)).OrderExpr("t.created DESC, t.id DESC")
	})
	return engine.Mapped(rows, TokenRow.token), err
}
