package bunstore

import (
	"context"
	"database/sql"
	"fmt"
	"math"
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
type Tokens struct{ s *Store }

// Tokens returns the repository of tokens.
func (s *Store) Tokens() Tokens { return Tokens{s} }

var _ access.Tokens = Tokens{}

type tokenRow struct {
	bun.BaseModel `bun:"table:tokens,alias:t"`
	ID            access.TokenID `bun:",pk,autoincrement"`
	Hash          []byte
	UserID        user.ID
	Scopes        []string `bun:",array"`
	Narrowed      sql.NullBool
	Generation    int
	TTL           time.Duration `bun:"ttl"`
	Created       engine.Time
	Used          engine.Time `bun:",scanonly"` // in its own table: it is written often
}

// narrowingOf converts the column narrowed, which is NULL in rows from older programs.
func narrowingOf(narrowed sql.NullBool) access.Narrowing {
	switch {
	case !narrowed.Valid:
		return access.NarrowingUnknown
	case narrowed.Bool:
		return access.Narrowed
	}
	return access.NotNarrowed
}

func (r tokenRow) token() (access.Token, error) {
	t := access.Token{
		ID: r.ID, User: r.UserID, Scopes: scopesOf(r.Scopes), Narrowing: narrowingOf(r.Narrowed), Generation: r.Generation, TTL: r.TTL,
		Created: r.Created.Time, Used: r.Used.Time,
	}
	if copy(t.Hash[:], r.Hash) != len(t.Hash) {
		return access.Token{}, fmt.Errorf("hash of token %d is truncated", r.ID)
	}
	return t, nil
}

func (v Tokens) Issue(ctx context.Context, t access.Token, charges ...ratelimit.Charge) (id access.TokenID, err error) {
	instant := v.s.Dialect.Instant
	narrowed := sql.NullBool{Bool: t.Narrowing == access.Narrowed, Valid: t.Narrowing != access.NarrowingUnknown}
	insert := engine.Step{Statement: v.s.steps.issue, Args: []any{
		t.Hash[:], int64(t.User), v.s.Dialect.ListOf(engine.Texts(t.Scopes)), narrowed, t.Generation, int64(t.TTL), instant(t.Created),
	}}
	insert.Row = func(scan func(...any) error) error {
		err := scan((*int64)(&id))
		audit.Made(ctx, audit.Numbered(audit.Token, id), t.User)
		return err
	}
	err = v.s.writeAll(ctx, append(v.s.chargeSteps(charges), insert,
		engine.Step{Statement: v.s.steps.firstUse, Args: []any{t.Hash[:], instant(t.Used)}},
		engine.Step{Statement: v.s.steps.removeExcess, Args: []any{t.Hash[:], int64(t.User)}}))
	if err != nil {
		return 0, fmt.Errorf("issue token for user %d: %w", t.User, err)
	}
	return id, nil
}

// sessionStatement is the hot read of the caller's token, account and presence, by the
// hash of the key, $1.
const sessionStatement = `SELECT t.id, t.user_id, t.scopes, t.narrowed, t.generation, t.ttl, t.created, w.used,
		u.phone, u.password_hash, u.scopes, u.staff, u.disabled, u.generation, u.timezone, p.seen
	FROM tokens t JOIN token_uses w ON w.token_id = t.id JOIN users u ON u.id = t.user_id
	LEFT JOIN presence p ON p.user_id = u.id WHERE t.hash = $1`

func (v Tokens) Session(ctx context.Context, hash access.KeyHash) (s access.Session, err error) {
	err = v.s.Read(ctx, func(ctx context.Context) error {
		s = access.Session{}
		err := v.s.ScanRows(ctx, v.s.hotReads.session, []any{hash[:]}, func(scan func(...any) error) (err error) {
			s, err = v.session(scan)
			s.Hash = hash
			return err
		})
		if err == nil && s.ID == 0 {
			return access.ErrNoSession
		}
		return err
	})
	return s, err
}

func (v Tokens) session(scan func(...any) error) (access.Session, error) {
	var s access.Session
	var phone string
	var granted, held []string
	var narrowed sql.NullBool
	var created, used, seen engine.Time
	t, a, list := &s.Token, &s.Account, v.s.Dialect.List
	err := scan(
		&t.ID, &t.User, list(&granted), &narrowed, &t.Generation, &t.TTL, &created, &used,
		&phone, &a.Hash, list(&held), &a.Staff, &a.Disabled, &a.Generation, &s.Zone, &seen,
	)
	if err != nil {
		return access.Session{}, err
	}
	a.User, t.Scopes, a.Scopes = t.User, scopesOf(granted), scopesOf(held)
	t.Narrowing = narrowingOf(narrowed)
	t.Created, t.Used, s.Seen = created.Time, used.Time, seen.Time
	a.Phone, err = phoneOf(phone)
	return s, err
}

// Touch compares with the stored times. They are never earlier than the session's, so a
// time that is not due by the session is not due at all.
func (v Tokens) Touch(ctx context.Context, s access.Session, now time.Time) error {
	now = instant.Normalise(now)
	if !s.IsStale(now) {
		return ctx.Err()
	}
	instant := v.s.Dialect.Instant
	at, due := instant(now), instant(now.Add(-access.SeenEvery))
	var steps []engine.Step
	if now.Sub(s.Used) >= access.SeenEvery {
		steps = append(steps, engine.Step{Statement: v.s.steps.use, Args: []any{int64(s.ID), at, due}})
	}
	if now.Sub(s.Seen) >= access.SeenEvery {
		steps = append(steps, engine.Step{Statement: v.s.steps.see, Args: []any{int64(s.ID), at, due}})
	}
	return v.s.writeAll(ctx, steps)
}

// tokenSteps are the statements that write tokens. Those of an issued token follow its
// charge.
type tokenSteps struct {
	issue        string // $1 hash, $2 user, $3 scopes, $4 narrowed, $5 generation, $6 lifetime, $7 created
	firstUse     string // $1 hash, $2 now
	removeExcess string // $1 hash of a new token, $2 user

	// use and see record that the token $1 is used at $2 and its user seen then, unless the
	// last time is after $3.
	use, see string
}

// newTokenSteps checks whether presence is due before it writes, because a conflict
// alone would lock the row, which is a write, too.
func newTokenSteps(d engine.Dialect) tokenSteps {
	return tokenSteps{
		issue: "INSERT INTO tokens (hash, user_id, scopes, narrowed, generation, ttl, created) " +
			d.Values("$1, $2, $3, $4, $5, $6, $7") + " RETURNING id",
		firstUse: "INSERT INTO token_uses (token_id, used) SELECT id, $2 FROM tokens WHERE hash = $1" + d.UnlessMissed(),
		// The user's least recently used tokens beyond MaxTokens, never the new one.
		removeExcess: "DELETE FROM tokens WHERE id IN (SELECT t.id FROM tokens t JOIN token_uses w ON w.token_id = t.id" +
			" WHERE t.user_id = $2 AND t.hash <> $1 ORDER BY w.used DESC, t.id DESC" +
			fmt.Sprintf(" LIMIT %d OFFSET %d)", math.MaxInt32, access.MaxTokens-1) + d.UnlessMissed(),
		use: "UPDATE token_uses SET used = $2 WHERE token_id = $1 AND used <= $3",
		see: `INSERT INTO presence AS p (user_id, seen)
			SELECT t.user_id, CAST($2 AS ` + d.TimestampType() + `) FROM tokens t
			WHERE t.id = $1 AND NOT EXISTS (SELECT 1 FROM presence q WHERE q.user_id = t.user_id AND q.seen > $3)
			ON CONFLICT (user_id) DO UPDATE SET seen = EXCLUDED.seen WHERE p.seen <= $3`,
	}
}

func (v Tokens) Revoke(ctx context.Context, id access.TokenID) error {
	return v.s.remove(ctx, v.s.Writer.NewDelete().Model((*tokenRow)(nil)).Where("id = ?", id), access.ErrNoSession)
}

func (v Tokens) OfUsers(ctx context.Context, ids ...user.ID) (theirs []access.Token, err error) {
	if len(ids) == 0 {
		return nil, ctx.Err()
	}
	rows, err := engine.SelectAll[tokenRow](ctx, v.s.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.ColumnExpr("t.*, w.used").Join("JOIN token_uses AS w ON w.token_id = t.id").Where("t.user_id IN (?)", bun.List(ids)).
			OrderExpr("t.created DESC, t.id DESC")
	})
	for _, row := range rows {
		t, err := row.token()
		if err != nil {
			return nil, err
		}
		theirs = append(theirs, t)
	}
	return theirs, err
}
