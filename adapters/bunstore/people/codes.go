package people

import (
	"cmp"
	"context"
	"net/netip"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/access"
	"plaza/domain/instant"
	"plaza/domain/ratelimit"
	"plaza/domain/verification"
)

// Codes implements verification.Store. All its transactions that count lock the address, or the /48 that it is in, the
// prefix and the number, in this order, before they read.
type Codes struct{ DB *engine.DB }

// CodeRow is a row of codes.
type CodeRow struct {
	ID      verification.ID
	Purpose verification.Purpose
	Number  string
	Hash    []byte
	Key     verification.KeyID
	Made    engine.Time
	Expires engine.Time
	Tries   int
	Status  verification.Status
}

func (r CodeRow) state() (verification.State, error) {
	number, err := verification.StoredNumber(r.Number)
	return verification.State{
		ID: r.ID, Purpose: r.Purpose, Number: number, Hash: verification.Hash(r.Hash), Key: r.Key,
		Made: r.Made.Time, Expires: r.Expires.Time, Tries: r.Tries, Status: r.Status,
	}, err
}

// codeUse is a request, or a try, that limits count.
type codeUse struct {
	use    verification.Use
	number verification.Number // zero: of no number
	from   netip.Addr
	at     time.Time
}

// counting calls fn in a transaction that has locked the address, or its /48, the prefix and the number.
func (v Codes) counting(ctx context.Context, n verification.Number, from netip.Addr, fn func(*engine.Tx) error) error {
	network := cmp.Or(verification.By48.Group(n, from), verification.BySource.Group(n, from))
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		tx.Lock("codes from "+network, "codes of prefix "+n.Prefix(), "codes of "+n.Digits())
		return fn(tx)
	})
}

const (
	// insertCodeUse stores the use $1 of the number $2 with the prefix $3 by the source $4 at $5.
	insertCodeUse = `
		INSERT INTO code_uses (use, number, prefix, source, at) VALUES ($1, $2, $3, $4, $5)`

	// insertCode stores the code $1: $2 purpose, $3 number, $4 hash, $5 key, $6 made, $7 expires, $8 tries, $9 status.
	insertCode = `
		INSERT INTO codes (id, purpose, number, hash, key, made, expires, tries, status) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

	// liveCode locks the live code for the number $1 and the purpose $2, and finds it.
	liveCode = `
		SELECT id, purpose, number, hash, key, made, expires, tries, status FROM codes
		WHERE number = $1 AND purpose = $2 AND status = 'live'
		FOR UPDATE`

	// takeBackTry removes the last try of the number $1 by the source $2.
	takeBackTry = `
		DELETE FROM code_uses WHERE id = (
			SELECT id FROM code_uses WHERE use = 'tried' AND number = $1 AND source = $2
			ORDER BY at DESC, id DESC LIMIT 1)`

	// useOfNumber finds when the use $1 of the number $2 was that fills a limit: of those after $3 and not after $4, the one that
	// $5 later ones follow.
	useOfNumber = `
		SELECT at FROM code_uses
		WHERE use = $1 AND number = $2 AND at > $3 AND at <= $4
		ORDER BY at DESC LIMIT 1 OFFSET CAST($5 AS bigint)`

	// useOfPrefix is useOfNumber for the prefix of numbers $2.
	useOfPrefix = `
		SELECT at FROM code_uses
		WHERE use = $1 AND prefix = $2 AND at > $3 AND at <= $4
		ORDER BY at DESC LIMIT 1 OFFSET CAST($5 AS bigint)`

	// useOfSource is useOfNumber for the address, or the network, $2.
	useOfSource = `
		SELECT at FROM code_uses
		WHERE use = $1 AND source = $2 AND at > $3 AND at <= $4
		ORDER BY at DESC LIMIT 1 OFFSET CAST($5 AS bigint)`
)

// count counts the use. If a limit is full, it counts nothing and returns the fault. A request has further rows for the networks
// of its address, without its number.
func (u codeUse) count(tx *engine.Tx, limits []verification.Limit, full func(time.Duration) error) error {
	filling := make([]engine.Time, len(limits))
	for i, l := range limits {
		statement, group := useOfSource, l.Grouping.Group(u.number, u.from)
		switch l.Grouping {
		case verification.ByNumber:
			statement = useOfNumber
		case verification.ByPrefix:
			statement = useOfPrefix
		}
		if group != "" {
			after, last := ratelimit.Window(l.Window, u.at)
			tx.Queue(statement, u.use, group, after, last, l.Max-1).Into(&filling[i])
		}
	}
	if err := tx.Send(); err != nil {
		return err
	}
	times := engine.Mapped(filling, func(t engine.Time) time.Time { return t.Time })
	if wait := verification.Wait(limits, times, u.at); wait > 0 {
		return full(wait)
	}
	tx.Queue(insertCodeUse, u.use, u.number.Digits(), u.number.Prefix(), verification.BySource.Group(u.number, u.from), u.at)
	for _, wider := range []verification.Grouping{verification.By56, verification.By48} {
		if network := wider.Group(u.number, u.from); network != "" && u.use == verification.Requested {
			tx.Queue(insertCodeUse, u.use, "", "", network, u.at)
		}
	}
	return nil
}

// Reserve changes the budget last. All requests change that row, so each locks it as briefly as possible.
func (v Codes) Reserve(ctx context.Context, r verification.Request) error {
	use := codeUse{verification.Requested, r.Code.Number, r.From, instant.Normalise(r.Now)}
	return v.counting(ctx, use.number, use.from, func(tx *engine.Tx) error {
		if err := use.count(tx, verification.RequestLimits(), verification.ErrTooManyRequests); err != nil {
			return err
		}
		c := r.Code
		tx.Queue("UPDATE codes SET status = 'replaced' WHERE number = $1 AND purpose = $2 AND status = 'live'", use.number.Digits(), c.Purpose)
		tx.Queue(insertCode, c.ID, c.Purpose, use.number.Digits(), c.Hash, c.Key, c.Made, c.Expires, c.Tries, c.Status)
		take(tx, r.Expense)
		return nil
	})
}

func (v Codes) Take(ctx context.Context, e verification.Expense) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		take(tx, e)
		return nil
	})
}

// takeMessages takes $3 messages of the budget $4 of the dialling code $2, or of all if that is empty, for the day $1. The budget
// zero has any number.
const takeMessages = `
	INSERT INTO code_days AS d (day, dialling_code, messages) VALUES ($1, $2, $3)
	ON CONFLICT (day, dialling_code) DO UPDATE SET messages = d.messages + EXCLUDED.messages
	WHERE d.messages < $4 OR $4 = 0`

// take queues the statements that take the messages of the expense of both budgets.
func take(tx *engine.Tx, e verification.Expense) {
	day, spent := verification.DayOf(e.Now), verification.ErrBudgetSpent(e.Now)
	tx.Queue(takeMessages, day, e.DiallingCode, e.Messages, e.Budget.Codes[e.DiallingCode]).Must(spent)
	tx.Queue(takeMessages, day, "", e.Messages, e.Budget.Messages).Must(spent)
}

func (v Codes) Try(ctx context.Context, a verification.Attempt) (code *verification.Code, err error) {
	err = v.counting(ctx, a.Number, a.From, func(tx *engine.Tx) error {
		use := codeUse{verification.Tried, a.Number, a.From, instant.Normalise(a.Now)}
		if code, err = tried(tx, a); err != nil {
			return err
		}
		if code == nil {
			use.number = verification.Number{}
		}
		if err := use.count(tx, verification.TryLimits(), verification.ErrTooManyTries); err != nil || code == nil {
			return err
		}
		tx.Queue("UPDATE codes SET tries = $2 WHERE id = $1", code.State().ID, code.State().Tries)
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case code == nil:
		return nil, verification.ErrWrongCode // the try is counted
	}
	return code, nil
}

// tried returns the live code with the try counted, or nil if the number has no code that may be tried. It stores nothing.
func tried(tx *engine.Tx, a verification.Attempt) (code *verification.Code, err error) {
	engine.Found(tx, tx.Queue(liveCode, a.Number.Digits(), a.Purpose), func(r *CodeRow) error {
		state, err := r.state()
		if err == nil {
			code, err = verification.Restore(state)
		}
		return err
	})
	if err := tx.Send(); err != nil || code == nil || code.Try(a.Now) != nil {
		return nil, err
	}
	return code, nil
}

// spendCodes queues the statements that use up the codes of the spendings, as Code.Spend does, and take back their tries.
func spendCodes(tx *engine.Tx, spendings []verification.Spending) {
	for _, s := range spendings {
		tx.Queue("UPDATE codes SET status = 'spent' WHERE id = $1 AND status = 'live'", s.Code).Must(verification.ErrWrongCode)
		tx.Queue(takeBackTry, s.Number.Digits(), access.SourceOf(s.From).String())
	}
}

func (v Codes) Taken(ctx context.Context, day time.Time) (verification.Taken, error) {
	taken := verification.Taken{Codes: map[string]int64{}}
	rows, err := engine.All[struct {
		DiallingCode string
		Messages     int64
	}](ctx, v.DB, "SELECT dialling_code, messages FROM code_days WHERE day = $1", day)
	for _, row := range rows {
		if row.DiallingCode == "" {
			taken.Messages = row.Messages
		} else {
			taken.Codes[row.DiallingCode] = row.Messages
		}
	}
	return taken, err
}
