package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"plaza/domain/calendar"
)

// shards is the number of shards; the schema contains it, too.
const shards = 16

// Shard depends on the connection, whose transactions run one after the other.
func (Postgres) Shard() string { return fmt.Sprintf("pg_backend_pid() %% %d", shards) }

func (Postgres) Instant(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t
}

func (Postgres) Interval(d time.Duration) any { return d }

func (Postgres) date(d calendar.Date) any { return d.Time() }

var (
	begin  = Step{Statement: "BEGIN"}
	Commit = Step{Statement: "COMMIT"}
)

// Transact begins and ends the transaction without database/sql, which would need separate
// round trips.
func (d Postgres) Transact(
	ctx context.Context, db *bun.DB, first []Step, fn func(context.Context, *Transaction) ([]Step, error),
) error {
	conn, err := db.Conn(ctx)
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
	run := func(ctx context.Context, steps ...Step) error { return d.run(ctx, native, steps) }
	if err := run(ctx, append([]Step{begin}, first...)...); err != nil {
		return err
	}
	copied := func(ctx context.Context, table string, columns []string, rows [][]any) error {
		_, err := native.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromRows(rows))
		return err
	}
	last, err := fn(ctx, &Transaction{IDB: conn, Run: run, Copy: copied})
	if err != nil {
		return err
	}
	return run(ctx, append(last, Commit)...)
}

// nativeOf returns the pgx connection of conn, which no other caller uses meanwhile.
func nativeOf(conn bun.Conn) (native *pgx.Conn, err error) {
	err = conn.Raw(func(driver any) error {
		native = driver.(boundConn).Conn.Conn()
		return nil
	})
	return native, err
}

// TransactAll needs no BEGIN where a batch may be one implicit transaction. If a step misses
// after others have written, that must be undone, so the commit waits for the results.
func (d Postgres) TransactAll(ctx context.Context, _ *bun.DB, steps []Step) error {
	conn, err := d.Pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if isDecidedFirst(steps) {
		return d.run(ctx, conn.Conn(), steps)
	}
	defer undo(ctx, conn.Conn())
	if err := d.run(ctx, conn.Conn(), append([]Step{begin}, steps...)); err != nil {
		return err
	}
	return d.run(ctx, conn.Conn(), []Step{Commit})
}

func (Postgres) Newest(table string) string { return "currval('" + table + "_id_seq')" }

func (Postgres) WritesInQueries() bool { return true }

// HasInserted looks for the newest number of the table: an INSERT takes one also if its row is in conflict with another.
func (d Postgres) HasInserted(table string) string {
	return "EXISTS (SELECT 1 FROM " + table + " WHERE id = " + d.Newest(table) + ")"
}

// unlessMissed is the condition of the steps after one that must match: all are sent
// before the first result arrives. An error would stop them as well, but would log a
// line on the server for every lost race.
const unlessMissed = "current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'"

// MustMatch records a miss in a setting, which ends with the transaction.
func (Postgres) MustMatch(statement string, columns ...string) string {
	selected, none := "", ""
	for i := range columns {
		selected += fmt.Sprintf("c%d, ", i)
		none += "NULL, "
		columns[i] += fmt.Sprintf(" AS c%d", i)
	}
	return orMissed(statement+" RETURNING "+strings.Join(columns, ", "), selected, none)
}

func (Postgres) MustFind(query string) string { return orMissed(query, "", "") }

// orMissed returns the statement with its selected columns, which records a miss.
func orMissed(statement, selected, none string) string {
	return "WITH done AS (" + statement + ") SELECT " + selected + "1 FROM done" +
		" UNION ALL SELECT " + none + "0 WHERE CASE WHEN EXISTS (SELECT FROM done) THEN FALSE" +
		" ELSE set_config('plaza.missed', 'yes', TRUE) IS NULL END"
}

func (Postgres) UnlessMissed() string { return " AND " + unlessMissed }

func (Postgres) Values(row string) string { return "SELECT " + row + " WHERE " + unlessMissed }

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

// ErrUnguarded reports that a step would write although another has missed.
var ErrUnguarded = errors.New("a step behind one that must match does not check for a miss, or the commit does not wait for it")

// guarded reports whether no step writes, and none before it is committed, after a step that
// must match has missed.
func guarded(steps []Step) bool {
	mayMiss := false
	for _, s := range steps {
		switch {
		case s.Statement == Commit.Statement && !isDecidedFirst(steps):
			return false
		case mayMiss && s.Statement != Commit.Statement && !strings.Contains(s.Statement, unlessMissed):
			return false
		}
		mayMiss = mayMiss || s.MustMatch
	}
	return true
}

// isDecidedFirst reports whether no step can miss after another has written.
func isDecidedFirst(steps []Step) bool {
	written := false
	for _, s := range steps {
		if s.MustMatch && written {
			return false
		}
		written = written || !s.ReadsOnly
	}
	return true
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

// run sends all steps together, unless it is a single one. Steps after one that fails do not run;
// steps after one that misses write nothing.
func (d Postgres) run(ctx context.Context, conn *pgx.Conn, steps []Step) error {
	if len(steps) == 0 {
		return nil
	}
	if !guarded(steps) {
		return ErrUnguarded
	}
	if len(steps) == 1 && !steps[0].built {
		return d.single(ctx, conn, steps[0])
	}
	batch := &pgx.Batch{}
	for _, s := range steps {
		if d.mode == pgx.QueryExecModeCacheStatement && !s.built { // the statement's text is its name
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

// rows passes the rows to the step.
func (s Step) rows(rows pgx.Rows) error {
	found := false
	err := eachRow(rows, func(scan func(...any) error) error {
		found = true
		if s.Row == nil {
			return nil
		}
		return s.Row(scan)
	})
	if err == nil && s.MustMatch && !found {
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
