package engine

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"plaza/domain/instant"
)

// Tx is an open transaction. It queues statements and sends them together:
//
//   - Queue what is to run, and Send when the code must know a result.
//   - A statement with Must fails the transaction when it finds or writes no row.
//   - What is still queued when the function of Write returns is sent with the commit.
//
// A query of bun runs at once, behind what is queued. On Postgres a Send is one round trip, and the first one
// begins the transaction. On SQLite the same statements run one after the other.
type Tx struct {
	ctx    context.Context
	s      *DB
	conn   bun.IConn // runs queries of bun in the transaction
	queued []*Step
	send   func(steps []*Step) error
	copy   func(table string, columns []string, rows [][]any) error
	atEnd  []func()
	failed error // the first error of send
}

// Joining is what a store adds to one transaction.
type Joining struct {
	// Last queues what the store adds. It is called when all else has run but what is at the end, in each try of the transaction.
	// Its error rolls the transaction back.
	Last func(tx *Tx) error
	// Ended is called once, with whether the transaction has committed.
	Ended func(committed bool)
}

// Write calls fn in a transaction, and commits it if fn returns nil. It calls fn again after a conflict with
// another transaction, so fn sets nothing outside but what it sets each time.
func (s *DB) Write(ctx context.Context, fn func(tx *Tx) error) error {
	joining := s.Joins(ctx)
	if joining == nil {
		return s.WriteAside(ctx, fn)
	}
	err := s.WriteAside(ctx, func(tx *Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		if err := tx.Send(); err != nil {
			return err
		}
		return joining.Last(tx)
	})
	joining.Ended(err == nil)
	return err
}

// Exec runs the statement in a transaction of its own.
func (s *DB) Exec(ctx context.Context, statement string, args ...any) error {
	return s.ExecMust(ctx, nil, statement, args...)
}

// ExecMust is Exec that returns missing, unless that is nil, if the statement writes no row.
func (s *DB) ExecMust(ctx context.Context, missing error, statement string, args ...any) error {
	return s.Write(ctx, func(tx *Tx) error {
		tx.Queue(statement, args...).Must(missing)
		return nil
	})
}

// WriteAside is Write for what is no part of what the context is for, such as a failed login: the store above adds nothing.
//
// It fails although fn succeeded if any commit was not replicated meanwhile: a server that fails over may forget what only the
// primary has. A write beside it fails as well, and has waited for the same replica.
func (s *DB) WriteAside(ctx context.Context, fn func(tx *Tx) error) error {
	before := s.unreplicated.Load()
	err := s.try(ctx, func(ctx context.Context) error { return s.Dialect.write(ctx, s, fn) })
	if err == nil && s.unreplicated.Load() != before {
		return fmt.Errorf("%w: %w", ErrAway, errUnreplicated)
	}
	return err
}

// Context returns the context of the transaction.
func (tx *Tx) Context() context.Context { return tx.ctx }

// Queue adds the statement to those that are sent next. bindArgs says which arguments it takes.
func (tx *Tx) Queue(statement string, args ...any) *Step {
	step := &Step{Statement: statement, Args: bindArgs(tx.s.Dialect, args)}
	tx.queued = append(tx.queued, step)
	return step
}

// Add queues the steps.
func (tx *Tx) Add(steps ...Step) {
	for _, step := range steps {
		tx.queued = append(tx.queued, &step)
	}
}

// AtEnd makes fn queue what the transaction ends with, without Must: what that locks is locked last, and as briefly as possible.
func (tx *Tx) AtEnd(fn func()) { tx.atEnd = append(tx.atEnd, fn) }

func (tx *Tx) queueEnd() {
	for _, queue := range tx.atEnd {
		queue()
	}
}

// Lock locks the names, in this order, until the transaction ends. Others who lock one of them wait.
func (tx *Tx) Lock(names ...string) {
	if tx.s.isSQLite() { // it has one writer at a time
		return
	}
	for _, name := range names { // held by the transaction, not by the session, which a pooler may share
		tx.Queue("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", name)
	}
}

// orFailed returns the error of the function of Write: that of a statement, unless the function says what it means. A query of bun
// behind a statement that failed has the error of a context that has ended, or of the connection that was given up for that.
func (tx *Tx) orFailed(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, driver.ErrBadConn) {
		return cmp.Or(tx.failed, err)
	}
	return err
}

// Send runs what is queued.
func (tx *Tx) Send() error {
	if len(tx.queued) == 0 {
		return tx.failed
	}
	return tx.begin()
}

// begin runs what is queued, and begins the transaction also if that is nothing.
func (tx *Tx) begin() error {
	if tx.failed == nil {
		queued := tx.queued
		tx.queued = nil
		tx.failed = tx.send(queued)
	}
	return tx.failed
}

// Copy runs what is queued, and then adds the rows to the table faster than statements do.
func (tx *Tx) Copy(table string, columns []string, rows [][]any) error {
	if err := tx.begin(); err != nil {
		return err
	}
	return tx.copy(table, columns, rows)
}

// NewSelect, NewUpdate, NewDelete and NewRaw begin queries of bun that run in the transaction.
func (tx *Tx) NewSelect() *bun.SelectQuery { return tx.s.Writer.NewSelect().Conn(tx) }
func (tx *Tx) NewUpdate() *bun.UpdateQuery { return tx.s.Writer.NewUpdate().Conn(tx) }
func (tx *Tx) NewDelete() *bun.DeleteQuery { return tx.s.Writer.NewDelete().Conn(tx) }
func (tx *Tx) NewRaw(query string, args ...any) *bun.RawQuery {
	return tx.s.Writer.NewRaw(query, args...).Conn(tx)
}

// Selecting begins a query of the transaction that locks its rows.
func (s *DB) Selecting(tx *Tx) *bun.SelectQuery { return s.Locking(tx.NewSelect(), "UPDATE") }

// Locking adds the clause FOR where the database has one.
func (s *DB) Locking(query *bun.SelectQuery, clause string) *bun.SelectQuery {
	if s.isSQLite() {
		return query
	}
	return query.For(clause)
}

// QueryContext runs a query of bun behind what is queued.
func (tx *Tx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := tx.begin(); err != nil {
		return nil, err
	}
	return tx.conn.QueryContext(ctx, query, args...)
}

// ExecContext runs a query of bun behind what is queued.
func (tx *Tx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if err := tx.begin(); err != nil {
		return nil, err
	}
	return tx.conn.ExecContext(ctx, query, args...)
}

// QueryRowContext runs a query of bun behind what is queued. A row can't carry the error of that: the row has
// the error of a context that has ended, and Write returns that of Send.
func (tx *Tx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if tx.begin() != nil {
		ended, end := context.WithCancel(ctx)
		end()
		ctx = ended
	}
	return tx.conn.QueryRowContext(ctx, query, args...)
}

// Claim returns at most limit rows whose time in the column is now or past, the earliest first, and moves it to next by the
// statement, whose parameters are the keys and the time. It skips rows that another transaction has locked. The rows have the former
// time.
func Claim[R, K any](
	ctx context.Context, s *DB, column, key string, keyOf func(R) K, postpone Text, now, next time.Time, limit int,
) (rows []R, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		ctx := tx.Context()
		rows = nil
		query := tx.NewSelect().Model(&rows).Where("? <= ?", bun.Ident(column), At(instant.Normalise(now))).Order(column, key)
		if err := s.Locking(Limited(query, limit), "UPDATE SKIP LOCKED").Scan(ctx); err != nil || len(rows) == 0 {
			return err
		}
		tx.Queue(s.Pick(postpone), Mapped(rows, keyOf), instant.Normalise(next))
		return nil
	})
	return rows, err
}
