package bunstore

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
	Narrowed      bool
	Generation    int
	TTL           time.Duration `bun:"ttl"`
	Created       engine.Time
	Used          engine.Time `bun:",scanonly"` // in its own table: it is written often
}

func (r tokenRow) token() (access.Token, error) {
	t := access.Token{
		ID: r.ID, User: r.UserID, Scopes: scopesOf(r.Scopes), IsNarrowed: r.Narrowed, Generation: r.Generation, TTL: r.TTL,
		Created: r.Created.Time, Used: r.Used.Time,
	}
	if copy(t.Hash[:], r.Hash) != len(t.Hash) {
		return access.Token{}, fmt.Errorf("hash of token %d is truncated", r.ID)
	}
	return t, nil
}

const (
	// insertToken stores the token with the hash $1 of the user $2: the scopes $3, whether they narrow it $4, the account's
	// generation $5, the lifetime $6 in nanoseconds and the time $7.
	insertToken = `
		INSERT INTO tokens (hash, user_id, scopes, narrowed, generation, ttl, created)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		RETURNING id`

	// insertTokenUse stores that the token $1 is used at $2.
	insertTokenUse = `
		INSERT INTO token_uses (token_id, used) VALUES ($1, $2)`

	// removeExcessTokens removes the least recently used tokens of the user $1, at most $3, beyond the $4 others that stay, but
	// never the token $2.
	removeExcessTokens = `
		DELETE FROM tokens WHERE id IN (
			SELECT t.id FROM tokens t JOIN token_uses w ON w.token_id = t.id
			WHERE t.user_id = $1 AND t.id <> $2
			ORDER BY w.used DESC, t.id DESC LIMIT CAST($3 AS bigint) OFFSET CAST($4 AS bigint))`
)

func (v Tokens) Issue(ctx context.Context, t access.Token, charges ...ratelimit.Charge) (id access.TokenID, err error) {
	err = v.s.write(ctx, func(ctx context.Context, tx *listedTransaction) error {
		chargeAll(tx.Tx, charges)
		tx.Queue(insertToken, t.Hash[:], t.User, t.Scopes, t.IsNarrowed, t.Generation, int64(t.TTL), t.Created).Into((*int64)(&id))
		if err := tx.Send(); err != nil {
			return err
		}
		audit.Made(ctx, audit.Numbered(audit.Token, id), t.User)
		tx.Queue(insertTokenUse, id, t.Used)
		tx.Queue(removeExcessTokens, t.User, id, math.MaxInt32, access.MaxTokens-1)
		return nil
	})
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
	var created, used, seen engine.Time
	t, a, list := &s.Token, &s.Account, v.s.Dialect.List
	err := scan(
		&t.ID, &t.User, list(&granted), &t.IsNarrowed, &t.Generation, &t.TTL, &created, &used,
		&phone, &a.Hash, list(&held), &a.Staff, &a.Disabled, &a.Generation, &s.Zone, &seen,
	)
	if err != nil {
		return access.Session{}, err
	}
	a.User, t.Scopes, a.Scopes = t.User, scopesOf(granted), scopesOf(held)
	t.Created, t.Used, s.Seen = created.Time, used.Time, seen.Time
	a.Phone, err = phoneOf(phone)
	return s, err
}

// Touch compares with the stored times. They are never earlier than the session's, so a
// time that is not due by the session is not due at all. The order of users and tokens prevents deadlocks.
func (v Tokens) Touch(ctx context.Context, all ...access.Sighting) error {
	slices.SortFunc(all, func(a, b access.Sighting) int { return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.ID, b.ID)) })
	var steps []engine.Step
	for _, one := range all {
		at := instant.Normalise(one.At)
		args := []any{int64(one.ID), v.s.Dialect.Instant(at), v.s.Dialect.Instant(at.Add(-access.SeenEvery))}
		if at.Sub(one.Used) >= access.SeenEvery {
			steps = append(steps, engine.Step{Statement: v.s.steps.use, Args: args})
		}
		if at.Sub(one.Seen) >= access.SeenEvery {
			steps = append(steps, engine.Step{Statement: v.s.steps.see, Args: args})
		}
	}
	if len(steps) == 0 {
		return ctx.Err()
	}
	return v.s.writeAll(ctx, steps)
}

// tokenSteps are the statements that write tokens. Those of an issued token follow its
// charge.
type tokenSteps struct {
	// use and see record that the token $1 is used at $2 and its user seen then, unless the
	// last time is after $3.
	use, see string
}

// newTokenSteps checks whether presence is due before it writes, because a conflict
// alone would lock the row, which is a write, too.
func newTokenSteps(d engine.Dialect) tokenSteps {
	return tokenSteps{
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

// Throttle implements access.Throttle. It counts for all servers on the database.
type Throttle struct{ s *Store }

// Throttle returns the counter of failed logins.
func (s *Store) Throttle() Throttle { return Throttle{s} }

var _ access.Throttle = Throttle{}

// throttleSteps are the statements of attempts: $1 phone, $2 source.
type throttleSteps struct {
	isUsual       string // $3 when a usual source must have been used last
	countFailures string // $3 when a usual source must have been used last, and for each limit the bounds of its window
	addFailure    string // $3 now, $4 whether it counts in ByUnusual
	removeFailure string // the latest
	resetPair     string // excludes the failures from ByPair
	addUsual      string // $3 now

	forgetFailures string // of the phone $1
}

func newThrottleSteps(d engine.Dialect) throttleSteps {
	const ofAttempt = "phone = $1 AND source = $2"
	isUsual := "SELECT EXISTS (SELECT 1 FROM usual_sources WHERE " + ofAttempt + " AND last_login > $3)"
	failures := isUsual
	for i, l := range access.Limits() {
		failures += ", (" + limitingFailure(l, fmt.Sprint("$", 4+2*i), fmt.Sprint("$", 5+2*i)) + ")"
	}
	return throttleSteps{
		isUsual:       isUsual,
		countFailures: failures,
		addFailure:    "INSERT INTO login_failures (phone, source, failed, in_pair, in_unusual) VALUES ($1, $2, $3, TRUE, $4)",
		removeFailure: "DELETE FROM login_failures WHERE id = (SELECT id FROM login_failures WHERE " + ofAttempt +
			" ORDER BY failed DESC, id DESC LIMIT 1)",
		forgetFailures: "DELETE FROM login_failures WHERE phone = $1",
		resetPair:      "UPDATE login_failures SET in_pair = FALSE WHERE " + ofAttempt + " AND in_pair",
		addUsual: "INSERT INTO usual_sources AS o (phone, source, last_login)" +
			" SELECT u.phone, CAST($2 AS text), CAST($3 AS " + d.TimestampType() + ") FROM users u WHERE u.phone = $1" +
			" ON CONFLICT (phone, source) DO UPDATE SET last_login = EXCLUDED.last_login WHERE EXCLUDED.last_login > o.last_login",
	}
}

// limitingFailure returns the query for the failure that fills a grouping: an attempt is
// admitted when it leaves the window. It finds nothing if the grouping is not full.
func limitingFailure(l access.Limit, after, last string) string {
	grouping := map[access.Grouping]string{
		access.ByPair:      "phone = $1 AND source = $2 AND in_pair",
		access.ByUnusual:   "phone = $1 AND in_unusual",
		access.BySourceAny: "source = $2",
	}[l.Grouping]
	return fmt.Sprintf("SELECT failed FROM login_failures WHERE failed > %s AND failed <= %s AND %s ORDER BY failed DESC LIMIT 1 OFFSET %d",
		after, last, grouping, l.Max-1)
}

func (v Throttle) Begin(ctx context.Context, a access.Attempt, now time.Time) error {
	now = instant.Normalise(now)
	return v.s.WriteAside(ctx, func(tx *engine.Tx) error {
		var counted failures
		v.lock(tx, a)
		tx.Add(counted.step(v.s, a, now))
		if err := tx.Send(); err != nil {
			return err
		}
		if wait := counted.wait(now); wait > 0 {
			return access.ErrThrottled(wait)
		}
		tx.Add(v.step(v.s.steps.addFailure, a, v.s.Dialect.Instant(now), !counted.isUsual))
		return nil
	})
}

func (v Throttle) IsUsual(ctx context.Context, a access.Attempt, now time.Time) (is bool, err error) {
	since := v.s.Dialect.Instant(instant.Normalise(now).Add(-access.UsualFor))
	err = v.s.ReadRow(ctx, v.s.steps.isUsual, []any{a.Phone.String(), a.Source.String(), since}, &is)
	return is, err
}

func (v Throttle) Succeed(ctx context.Context, a access.Attempt, now time.Time) error {
	return v.s.Write(ctx, func(tx *engine.Tx) error {
		v.lock(tx, a)
		tx.Add(v.step(v.s.steps.removeFailure, a), v.step(v.s.steps.resetPair, a),
			v.step(v.s.steps.addUsual, a, v.s.Dialect.Instant(instant.Normalise(now))))
		return nil
	})
}

func (v Throttle) Abandon(ctx context.Context, a access.Attempt, _ time.Time) error {
	return v.s.Write(ctx, func(tx *engine.Tx) error {
		v.lock(tx, a)
		tx.Add(v.step(v.s.steps.removeFailure, a))
		return nil
	})
}

func (v Throttle) Forget(ctx context.Context, phone user.Phone) error {
	return v.s.Write(ctx, func(tx *engine.Tx) error {
		tx.Lock(loginsOf(phone.String()))
		tx.Queue(v.s.steps.forgetFailures, phone.String())
		return nil
	})
}

// step returns the statement for the attempt, with further arguments.
func (Throttle) step(statement string, a access.Attempt, args ...any) engine.Step {
	return engine.Step{Statement: statement, Args: append([]any{a.Phone.String(), a.Source.String()}, args...)}
}

// lock locks the attempt's source and phone until the transaction ends. All callers lock the source first, which prevents
// deadlocks.
func (v Throttle) lock(tx *engine.Tx, a access.Attempt) {
	tx.Lock("logins from "+a.Source.String(), loginsOf(a.Phone.String()))
}

// loginsOf returns the name of the lock of a phone's attempts.
func loginsOf(phone string) string { return "logins of " + phone }

// failures are the failures that count against an attempt.
type failures struct {
	isUsual bool          // whether the attempt comes from a usual source
	filling []engine.Time // for each limit the failure that fills its grouping, or zero
}

// step reads the failures in one statement.
func (f *failures) step(s *Store, a access.Attempt, now time.Time) engine.Step {
	limits := access.Limits()
	f.filling = make([]engine.Time, len(limits))
	args, into := []any{s.Dialect.Instant(now.Add(-access.UsualFor))}, []any{&f.isUsual}
	for i, l := range limits {
		after, last := ratelimit.Window(l.Window, now)
		args, into = append(args, s.Dialect.Instant(after), s.Dialect.Instant(last)), append(into, &f.filling[i])
	}
	read := Throttle{s}.step(s.steps.countFailures, a, args...)
	read.ReadsOnly = true
	read.Row = engine.Into(into...)
	return read
}

// wait returns how long all groupings need to admit an attempt, zero if they do now.
func (f *failures) wait(now time.Time) (longest time.Duration) {
	for i, l := range access.Limits() {
		if !f.filling[i].IsZero() && !(l.Grouping.SparesUsual() && f.isUsual) {
			longest = max(longest, f.filling[i].Add(l.Window).Sub(now))
		}
	}
	return longest
}
