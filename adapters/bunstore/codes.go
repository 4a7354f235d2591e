package bunstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/access"
	"plaza/domain/instant"
	"plaza/domain/verification"
)

// Codes implements verification.Store. All its transactions lock the address, the prefix and the number, in this order,
// before they count.
type Codes struct{ s *Store }

// Codes returns the store of one-time codes.
func (s *Store) Codes() Codes { return Codes{s} }

type codeRow struct {
	bun.BaseModel `bun:"table:codes,alias:c"`
	ID            verification.ID `bun:",pk"`
	Purpose       verification.Purpose
	Number        string
	Hash          []byte
	Key           verification.KeyID
	Made          engine.Time
	Expires       engine.Time
	Tries         int
	Status        verification.Status
}

type codeUseRow struct {
	bun.BaseModel `bun:"table:code_uses,alias:u"`
	ID            int64 `bun:",pk,autoincrement"`
	Use           verification.Use
	Number        string
	Prefix        string
	Source        string
	At            engine.Time
}

type codeDayRow struct {
	bun.BaseModel `bun:"table:code_days,alias:d"`
	Day           engine.Time `bun:",pk"`
	DiallingCode  string      `bun:",pk"`
	Messages      int64
}

func codeRowOf(s verification.State) codeRow {
	return codeRow{
		ID: s.ID, Purpose: s.Purpose, Number: s.Number.Digits(), Hash: s.Hash[:], Key: s.Key,
		Made: engine.At(s.Made), Expires: engine.At(s.Expires), Tries: s.Tries, Status: s.Status,
	}
}

func (r codeRow) state() (verification.State, error) {
	number, err := verification.StoredNumber(r.Number)
	s := verification.State{
		ID: r.ID, Purpose: r.Purpose, Number: number, Key: r.Key,
		Made: r.Made.Time, Expires: r.Expires.Time, Tries: r.Tries, Status: r.Status,
	}
	if copy(s.Hash[:], r.Hash) != len(s.Hash) {
		err = errors.Join(err, errors.New("the hash of a code is truncated"))
	}
	return s, err
}

func codeUseOf(u verification.Use, n verification.Number, from netip.Addr, now time.Time) codeUseRow {
	return codeUseRow{
		Use: u, Number: n.Digits(), Prefix: n.Prefix(), Source: access.SourceOf(from).String(), At: engine.At(instant.Normalise(now)),
	}
}

// count calls fn after it has counted the use, in one transaction. If a limit is full, it counts nothing and returns
// the fault.
func (v Codes) count(
	ctx context.Context, use codeUseRow, limits []verification.Limit, full func(time.Duration) error,
	fn func(context.Context, *listedTransaction) error,
) error {
	var lock []engine.Step
	for _, name := range []string{"codes from " + use.Source, "codes of prefix " + use.Prefix, "codes of " + use.Number} {
		lock = append(lock, lockStep(v.s.steps.lockName, name)...)
	}
	return v.s.writeWithin(ctx, v.s.Limit, lock, func(ctx context.Context, tx *listedTransaction) error {
		wait, err := v.wait(ctx, tx, use, limits)
		if err != nil {
			return err
		}
		if wait > 0 {
			return full(wait)
		}
		if _, err := tx.NewInsert().Model(&use).Exec(ctx); err != nil {
			return err
		}
		return fn(ctx, tx)
	})
}

// wait returns how long the limits do not admit the use.
func (v Codes) wait(ctx context.Context, tx *listedTransaction, use codeUseRow, limits []verification.Limit) (time.Duration, error) {
	filling, into := make([]time.Time, len(limits)), make([]any, len(limits))
	for i := range limits {
		into[i] = engine.IntoTime{Into: &filling[i]}
	}
	read := v.limiting(use, limits)
	read.Row = engine.Into(into...)
	err := tx.Run(ctx, read)
	return verification.Wait(limits, filling, use.At.Time), err
}

// limiting reads for each limit the time of the use that fills it, or NULL if it has room.
func (v Codes) limiting(use codeUseRow, limits []verification.Limit) engine.Step {
	statement, args := "SELECT ", []any{string(use.Use)}
	for i, l := range limits {
		var column, value string
		switch l.Grouping {
		case verification.ByNumber:
			column, value = "number", use.Number
		case verification.ByPrefix:
			column, value = "prefix", use.Prefix
		case verification.BySource:
			column, value = "source", use.Source
		}
		if i > 0 {
			statement += ", "
		}
		statement += fmt.Sprintf("(SELECT at FROM code_uses WHERE use = $1 AND %s = $%d AND at > $%d ORDER BY at DESC LIMIT 1 OFFSET %d)",
			column, len(args)+1, len(args)+2, l.Max-1)
		args = append(args, value, v.s.Dialect.Instant(use.At.Add(-l.Window)))
	}
	return engine.Step{Statement: statement, Args: args, ReadsOnly: true}
}

// Reserve takes of the budget last: all requests wait for that row.
func (v Codes) Reserve(ctx context.Context, r verification.Request) error {
	row := codeRowOf(r.Code)
	use := codeUseOf(verification.Requested, r.Code.Number, r.From, r.Now)
	return v.count(ctx, use, verification.RequestLimits(), verification.ErrTooManyRequests, func(ctx context.Context, tx *listedTransaction) error {
		_, err := tx.NewUpdate().Model((*codeRow)(nil)).Set("status = ?", verification.Replaced).
			Where("number = ?", row.Number).Where("purpose = ?", row.Purpose).Where("status = ?", verification.Live).Exec(ctx)
		if err != nil {
			return err
		}
		if _, err := tx.NewInsert().Model(&row).Exec(ctx); err != nil {
			return err
		}
		if err := v.take(ctx, tx, r, r.DiallingCode, r.Budget.Codes[r.DiallingCode]); err != nil {
			return err
		}
		return v.take(ctx, tx, r, "", r.Budget.Messages)
	})
}

// take takes a message of a budget; zero has any number.
func (v Codes) take(ctx context.Context, tx *listedTransaction, r verification.Request, code string, budget int64) error {
	row := codeDayRow{Day: engine.At(verification.DayOf(r.Now)), DiallingCode: code, Messages: 1}
	insert := tx.NewInsert().Model(&row).On("CONFLICT (day, dialling_code) DO UPDATE").Set("messages = d.messages + 1")
	if budget > 0 {
		insert = insert.Where("d.messages < ?", budget)
	}
	done, err := insert.Exec(ctx)
	return engine.OrNotAffected(done, err, verification.ErrBudgetSpent(r.Now))
}

func (v Codes) Try(ctx context.Context, a verification.Attempt) (code *verification.Code, err error) {
	use := codeUseOf(verification.Tried, a.Number, a.From, a.Now)
	err = v.count(ctx, use, verification.TryLimits(), verification.ErrTooManyTries, func(ctx context.Context, tx *listedTransaction) error {
		code, err = v.try(ctx, tx, a)
		return err
	})
	if err == nil && code == nil {
		err = verification.ErrWrongCode // the try is counted
	}
	return code, err
}

// try counts the try in the live code, and returns the code, or nil if the number has no code that may be tried.
func (v Codes) try(ctx context.Context, tx *listedTransaction, a verification.Attempt) (*verification.Code, error) {
	var row codeRow
	err := v.s.Selecting(tx.Transaction).Model(&row).Where("number = ?", a.Number.Digits()).
		Where("purpose = ?", a.Purpose).Where("status = ?", verification.Live).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	state, err := row.state()
	if err != nil {
		return nil, err
	}
	code, err := verification.Restore(state)
	if err != nil || code.Try(a.Now) != nil {
		return nil, err
	}
	_, err = tx.NewUpdate().Model((*codeRow)(nil)).Set("tries = ?", code.State().Tries).Where("id = ?", row.ID).Exec(ctx)
	return code, err
}

// spend uses up the codes of the spendings, as Code.Spend does, and takes back their tries.
func (v Codes) spend(ctx context.Context, tx *listedTransaction, spendings []verification.Spending) error {
	for _, s := range spendings {
		done, err := tx.NewUpdate().Model((*codeRow)(nil)).Set("status = ?", verification.Spent).
			Where("id = ?", s.Code).Where("status = ?", verification.Live).Exec(ctx)
		if err := engine.OrNotAffected(done, err, verification.ErrWrongCode); err != nil {
			return err
		}
		latest := tx.NewSelect().Model((*codeUseRow)(nil)).Column("id").Where("use = ?", verification.Tried).Where("number = ?", s.Number.Digits()).
			Where("source = ?", access.SourceOf(s.From).String()).OrderExpr("at DESC, id DESC").Limit(1)
		if _, err := tx.NewDelete().Model((*codeUseRow)(nil)).Where("id = (?)", latest).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (v Codes) Taken(ctx context.Context, day time.Time) (verification.Taken, error) {
	taken := verification.Taken{Codes: map[string]int64{}}
	rows, err := engine.SelectAll[codeDayRow](ctx, v.s.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.Where("day = ?", engine.At(day))
	})
	for _, row := range rows {
		if row.DiallingCode == "" {
			taken.Messages = row.Messages
		} else {
			taken.Codes[row.DiallingCode] = row.Messages
		}
	}
	return taken, err
}
