package bunstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"

	"plaza/domain/event"
)

// shards is the number of shards; the schema contains it, too.
const shards = 16

// shard depends on the connection, whose transactions run one after the other.
func (postgres) shard() string { return fmt.Sprintf("pg_backend_pid() %% %d", shards) }

func (postgres) instant(m dbTime) any {
	if m.IsZero() {
		return nil
	}
	return m.Time
}

func (postgres) date(d event.Date) any { return d.Time() }

var (
	begin  = step{statement: "BEGIN"}
	commit = step{statement: "COMMIT"}
)

// transact begins and ends the transaction without database/sql, which would need a
// separate round trip for the commit.
func (d postgres) transact(
	ctx context.Context, db *bun.DB, fn func(context.Context, *transaction) ([]step, error),
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
	defer undo(ctx, native)
	run := func(ctx context.Context, steps ...step) error { return d.run(ctx, native, steps) }
	if err := run(ctx, begin); err != nil {
		return err
	}
	copied := func(ctx context.Context, table string, columns []string, rows [][]any) error {
		_, err := native.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromRows(rows))
		return err
	}
	last, err := fn(ctx, &transaction{IDB: conn, run: run, copy: copied})
	if err != nil {
		return err
	}
	return run(ctx, append(last, commit)...)
}

// nativeOf returns the pgx connection of conn, which no other caller uses meanwhile.
func nativeOf(conn bun.Conn) (native *pgx.Conn, err error) {
	err = conn.Raw(func(driver any) error {
		native = driver.(*stdlib.Conn).Conn()
		return nil
	})
	return native, err
}

// transactAll needs no BEGIN: a batch is one implicit transaction.
func (d postgres) transactAll(ctx context.Context, _ *bun.DB, steps []step) error {
	conn, err := d.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return d.run(ctx, conn.Conn(), steps)
}

func (postgres) newestEvent() string { return "currval('events_id_seq')" }

// unlessMissed is the condition of the steps after one that must match: all are sent
// before the first result arrives. An error would stop them as well, but would log a
// line on the server for every lost race.
const unlessMissed = "current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'"

// mustMatch records a miss in a setting, which ends with the transaction.
func (postgres) mustMatch(statement string, columns ...string) string {
	selected, none := "", ""
	for i := range columns {
		selected += fmt.Sprintf("c%d, ", i)
		none += "NULL, "
		columns[i] += fmt.Sprintf(" AS c%d", i)
	}
	return "WITH done AS (" + statement + " RETURNING " + strings.Join(columns, ", ") + ") SELECT " + selected + "1 FROM done" +
		" UNION ALL SELECT " + none + "0 WHERE CASE WHEN EXISTS (SELECT FROM done) THEN FALSE" +
		" ELSE set_config('plaza.missed', 'yes', TRUE) IS NULL END"
}

func (postgres) unlessMissed() string { return " AND " + unlessMissed }

func (postgres) values(row string) string { return "SELECT " + row + " WHERE " + unlessMissed }

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

// errUnguarded reports that a step would write although another has missed.
var errUnguarded = errors.New("a step that must match is not the first, or a later step does not check for a miss")

// guarded reports whether no step writes after a step that must match has missed. Only steps
// that lock come before it.
func guarded(steps []step) bool {
	first := slices.IndexFunc(steps, func(s step) bool { return !s.locks })
	for i, s := range steps {
		switch {
		case i <= first || first < 0:
		case s.mustMatch || steps[first].mustMatch && s.statement != commit.statement && !strings.Contains(s.statement, unlessMissed):
			return false
		}
	}
	return true
}

// run sends all steps together. Steps after one that fails do not run; steps after one
// that misses write nothing.
func (d postgres) run(ctx context.Context, conn *pgx.Conn, steps []step) error {
	if len(steps) == 0 {
		return nil
	}
	if !guarded(steps) {
		return errUnguarded
	}
	batch := &pgx.Batch{}
	for _, s := range steps {
		if d.mode == pgx.QueryExecModeCacheStatement && !s.built { // the statement's text is its name
			if _, err := conn.Prepare(ctx, s.statement, s.statement); err != nil {
				return err
			}
		}
		queued := batch.Queue(s.statement, s.args...)
		if s.row != nil || s.mustMatch || s.orElse != nil {
			queued.Query(func(rows pgx.Rows) error { return s.rows(rows) })
		}
	}
	return conn.SendBatch(ctx, batch).Close()
}

// rows passes the rows to the step.
func (s step) rows(rows pgx.Rows) error {
	found := false
	err := eachRow(rows, func(scan func(...any) error) error {
		found = true
		if s.row == nil {
			return nil
		}
		return s.row(scan)
	})
	if err == nil && !found {
		return s.missed()
	}
	return err
}

func eachRow(rows pgx.Rows, fn func(scan func(...any) error) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
