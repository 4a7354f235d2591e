package engine

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

var (
	begin  = Step{Statement: "BEGIN"}
	commit = Step{Statement: "COMMIT"}
)

// write begins the transaction with the first statements, and commits it with the last ones, unless the commit must
// wait for what they find.
func (d Postgres) write(ctx context.Context, s *DB, fn func(*Tx) error) error {
	conn, err := s.Writer.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() // nothing is lost if it fails
	var native *pgx.Conn
	err = conn.Raw(func(driver any) error {
		native = driver.(*stdlib.Conn).Conn()
		return nil
	})
	if err != nil {
		return err
	}
	// database/sql closes the connection after an error that may be repeated, such as that of a context that has ended. Then
	// Raw fails, and the rollback is the server's.
	defer conn.Raw(func(any) error { return undo(ctx, native) })
	tx, begun := &Tx{ctx: ctx, s: s, conn: conn}, false
	tx.send = func(steps []*Step) error {
		if !begun {
			steps, begun = append([]*Step{&begin}, steps...), true
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
	isConditional := slices.ContainsFunc(tx.queued, func(s *Step) bool { return s.Missed != nil })
	if isConditional && (begun || len(tx.queued)+len(tx.atEnd) > 1) {
		if err := tx.Send(); err != nil {
			return err
		}
	}
	tx.queueEnd()
	if !begun {
		return d.send(ctx, native, tx.queued) // statements that are sent together are one transaction
	}
	return d.send(ctx, native, append(tx.queued, &commit))
}

// undoTimeout limits a rollback after the transaction's own time limit has passed.
const undoTimeout = time.Second

// undo rolls back an open transaction. If that fails, the pool closes the connection.
func undo(ctx context.Context, conn *pgx.Conn) error {
	if conn.IsClosed() || conn.PgConn().TxStatus() == 'I' {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	_, err := conn.Exec(ctx, "ROLLBACK")
	return err
}
