package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"math"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/uptrace/bun"

	"plaza/domain/calendar"
	"plaza/domain/fault"
)

// Postgres is the dialect of Postgres. The hot reads bypass database/sql and use
// connections of the same pool directly, which avoids converting values to the few
// types of database/sql.
type Postgres struct {
	Pool    *pgxpool.Pool
	mode    pgx.QueryExecMode // of hot reads and steps
	Opening *opening
}

func (Postgres) PrepareBulk(ctx context.Context, tx bun.IConn, limit time.Duration) error {
	_, err := tx.ExecContext(ctx, "SET LOCAL enable_seqscan = off; SET LOCAL statement_timeout = "+milliseconds(limit))
	return err
}

// The SQLSTATE codes and classes that are not bugs of this program.
var (
	sqlStates = map[string]errorClass{
		"40001": Retryable, "40P01": Retryable, "55P03": Retryable, // serialisation, deadlock, lock not available
		"57014": timedOut, // statement_timeout
		"57P01": unavailable, "57P02": unavailable, "57P03": unavailable, "25006": unavailable, "25P03": unavailable,
		"53100": diskFull,
	}
	sqlClasses = map[string]errorClass{"08": unavailable, "53": unavailable}
)

func (Postgres) Classify(err error) errorClass {
	if coded, is := errors.AsType[*pgconn.PgError](err); is {
		if v, known := sqlStates[coded.Code]; known {
			return v
		}
		return sqlClasses[coded.Code[:2]]
	}
	if _, is := errors.AsType[*pgconn.ConnectError](err); is {
		return unavailable
	}
	if _, is := errors.AsType[net.Error](err); is {
		if errors.Is(err, context.DeadlineExceeded) {
			return timedOut
		}
		return unavailable
	}
	for _, gone := range []error{driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, pgconn.ErrConnClosed} {
		if errors.Is(err, gone) {
			return unavailable
		}
	}
	// pgx exports no error for this text.
	if pgconn.SafeToRetry(err) || strings.Contains(err.Error(), "too many failed attempts acquiring connection") {
		return unavailable
	}
	return internalError
}

func (Postgres) IsDuplicate(err error, table, column string) bool {
	violation, is := errors.AsType[*pgconn.PgError](err)
	return is && violation.Code == "23505" && (table == "" || violation.ConstraintName == table+"_"+column+"_key")
}

// Instant returns the first instant of the first year for earlier ones, which a cursor may name: Postgres reads none as bun writes it.
func (Postgres) Instant(t time.Time) any {
	return time.UnixMicro(max(t.UnixMicro(), time.Time{}.UnixMicro())).UTC()
}

func (Postgres) interval(d time.Duration) any { return d }

func (Postgres) date(d calendar.Date) any { return d.Time() }

func (Postgres) List(list any) any { return list }

// KeysAtOnce is unlimited: one statement handles all keys.
func (Postgres) KeysAtOnce() int { return math.MaxInt32 }

func (Postgres) Key(list any) any { return list }

func (d Postgres) Query(ctx context.Context, reads ...Step) error {
	conn, err := d.Pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	steps := make([]*Step, len(reads))
	for i := range reads {
		steps[i] = &reads[i]
	}
	return d.send(ctx, conn.Conn(), steps)
}

// send sends all steps together. Steps after one that fails do not run.
func (d Postgres) send(ctx context.Context, conn *pgx.Conn, steps []*Step) error {
	switch len(steps) {
	case 0:
		return nil
	case 1: // without a batch, which costs more
		rows, err := conn.Query(ctx, steps[0].Statement, slices.Concat([]any{d.mode}, steps[0].Args)...)
		if err != nil {
			return err
		}
		return steps[0].receive(rows)
	}
	batch := &pgx.Batch{}
	for _, s := range steps {
		if d.mode == pgx.QueryExecModeCacheStatement { // the statement's text is its name
			if _, err := conn.Prepare(ctx, s.Statement, s.Statement); err != nil {
				return err
			}
		}
		queued := batch.Queue(s.Statement, s.Args...)
		if s.Row != nil || s.Missed != nil {
			queued.Query(s.receive)
		}
	}
	return conn.SendBatch(ctx, batch).Close()
}

// Backup tells the operator to back up Postgres with its own tools.
func (Postgres) Backup(context.Context, string) error {
	return fault.New(fault.Conflict, "Back up Postgres with its own tools: "+
		"pg_dump --format=custom --file=FILE \"$PLAZA_DATABASE_URL\" makes a consistent copy while servers run, and pg_restore restores it.")
}
