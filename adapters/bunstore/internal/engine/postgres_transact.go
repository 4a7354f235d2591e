package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
)

var (
	begin  = Step{Statement: "BEGIN"}
	Commit = Step{Statement: "COMMIT"}
)

// write begins the transaction with the first statements, and commits it with the last ones, unless the commit must
// wait for what they find.
func (d Postgres) write(ctx context.Context, s *DB, fn func(*Tx) error) error {
	conn, err := s.Writer.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() // nothing is lost if it fails
	native, err := nativeOf(conn)
	if err != nil {
		return err
	}
	// database/sql closes the connection after an error that may be repeated, such as that of a context that has ended. Then
	// Raw fails, and the rollback is the server's.
	defer conn.Raw(func(any) error {
		undo(ctx, native)
		return nil
	})
	tx, begun := &Tx{ctx: ctx, s: s, conn: conn}, false
	tx.send = func(steps []*Step) error {
		if !begun {
			steps, begun = append([]*Step{&begin}, steps...), true
		}
		if len(steps) == 0 {
			return nil
		}
		return d.send(ctx, native, steps)
	}
	tx.copy = func(table string, columns []string, rows [][]any) error {
		_, err := native.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromRows(rows))
		return err
	}
	if err := tx.orFailed(fn(tx)); err != nil {
		return err
	}
	isConditional := slices.ContainsFunc(tx.queued, func(s *Step) bool { return s.MustMatch })
	if !begun && len(tx.queued) == 0 {
		return nil
	}
	if !begun && (len(tx.queued) <= 1 || !isConditional) {
		return d.send(ctx, native, tx.queued) // statements that are sent together are one transaction
	}
	if isConditional {
		if err := tx.Send(); err != nil {
			return err
		}
	}
	return d.send(ctx, native, append(tx.queued, &Commit))
}

// send sends all steps together, unless it is a single one. Steps after one that fails do not run.
func (d Postgres) send(ctx context.Context, conn *pgx.Conn, steps []*Step) error {
	if len(steps) == 1 {
		return d.single(ctx, conn, *steps[0])
	}
	batch := &pgx.Batch{}
	for _, s := range steps {
		if d.mode == pgx.QueryExecModeCacheStatement { // the statement's text is its name
			if _, err := conn.Prepare(ctx, s.Statement, s.Statement); err != nil {
				return err
			}
		}
		queued := batch.Queue(s.Statement, s.Args...)
		if s.Row != nil || s.MustMatch {
			queued.Query(func(rows pgx.Rows) error { return s.rows(rows) })
		}
	}
	return conn.SendBatch(ctx, batch).Close()
}

// nativeOf returns the pgx connection of conn, which no other caller uses meanwhile.
func nativeOf(conn bun.Conn) (native *pgx.Conn, err error) {
	err = conn.Raw(func(driver any) error {
		native = driver.(*stdlib.Conn).Conn()
		return nil
	})
	return native, err
}

// undoTimeout limits a rollback after the transaction's own time limit has passed.
const undoTimeout = time.Second

// undo rolls back an open transaction. If that fails, the pool closes the connection.
func undo(ctx context.Context, conn *pgx.Conn) {
	if conn.IsClosed() || conn.PgConn().TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	conn.Exec(ctx, "ROLLBACK")
}

// single sends the step without a batch, which costs less.
func (d Postgres) single(ctx context.Context, on interface {
	Query(ctx context.Context, statement string, args ...any) (pgx.Rows, error)
}, s Step) error {
	rows, err := on.Query(ctx, s.Statement, slices.Concat([]any{d.mode}, s.Args)...)
	if err != nil {
		return err
	}
	return s.rows(rows)
}

// rows passes the rows to the step.
func (s Step) rows(rows pgx.Rows) error {
	resolve := s.columns
	err := eachRow(rows, func(scan func(...any) error) error {
		if resolve != nil { // rows of a lost connection have no descriptions
			names := make([]string, len(rows.FieldDescriptions()))
			for i, column := range rows.FieldDescriptions() {
				names[i] = column.Name
			}
			if err := resolve(names); err != nil {
				return err
			}
			resolve = nil
		}
		if s.Row == nil {
			return nil
		}
		return s.Row(scan)
	})
	if err == nil && s.MustMatch && rows.CommandTag().RowsAffected() == 0 { // found, or written
		return cmp.Or(s.Missed, ErrMissed)
	}
	return err
}

func eachRow(rows pgx.Rows, fn func(scan func(...any) error) error) error {
	defer rows.Close()
	for scan := rows.Scan; rows.Next(); { // one function for all rows
		if err := fn(scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
