package bunstore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"

	"plaza/domain/event"
)

// shards is how many there are; the schema knows the number, too.
const shards = 16

// shard goes by the connection: its transactions come one after the other.
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

// transact begins and ends the transaction past database/sql, which would take a
// round trip for the end alone.
func (d postgres) transact(
	ctx context.Context, db *bun.DB, fn func(context.Context, *transaction) ([]step, error),
) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() // nothing is lost when it fails
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
	last, err := fn(ctx, &transaction{IDB: conn, driver: conn.Conn, run: run, copy: copied})
	if err != nil {
		return err
	}
	return run(ctx, append(last, commit)...)
}

// nativeOf is the connection of pgx's that conn has, and nobody else uses meanwhile.
func nativeOf(conn bun.Conn) (native *pgx.Conn, err error) {
	err = conn.Raw(func(driver any) error {
		native = driver.(*stdlib.Conn).Conn()
		return nil
	})
	return native, err
}

// transactAll needs no BEGIN: what is sent at once is one transaction by itself.
func (d postgres) transactAll(ctx context.Context, _ *bun.DB, steps []step) error {
	conn, err := d.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	return d.run(ctx, conn.Conn(), steps)
}

// provisional stands, among the parameters of the steps that are sent with the insert
// of an event, for the number that it will get.
const provisional int64 = math.MaxInt64

func (postgres) number(parameter string) string {
	return "COALESCE(" + parameter + ", currval('events_id_seq'))"
}

func (d postgres) insert(
	ctx context.Context, db *bun.DB, first step, others func(id int64) ([]step, error),
) (id int64, err error) {
	steps, err := others(provisional)
	if err != nil {
		return 0, err
	}
	for _, s := range steps {
		for i, arg := range s.args {
			if arg == any(provisional) {
				s.args[i] = nil
			}
		}
	}
	first.row = func(scan func(...any) error) error { return scan(&id) }
	err = d.transactAll(ctx, db, append([]step{first}, steps...))
	return id, err
}

// unmissed is the condition of the steps behind one that must: all are sent before the
// first comes back. An error would stop them as well, and leave a line in the server's
// log for every race that is lost.
const unmissed = "current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'"

// must notes a miss in a setting, which ends with the transaction.
func (postgres) must(statement string, columns ...string) string {
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

// sure makes Postgres itself fail, by a division by zero.
func (postgres) sure(statement string) string {
	return "WITH done AS (" + statement + " AND " + unmissed + " RETURNING 1) SELECT 1 / (SELECT count(*) FROM done) WHERE " + unmissed
}

func (postgres) unmissed() string { return " AND " + unmissed }

func (postgres) values(row string) string { return "SELECT " + row + " WHERE " + unmissed }

// undoTimeout is how long taking a transaction back may take, when its own time is
// up already.
const undoTimeout = time.Second

// undo takes back what is not committed. A connection where that fails is given up
// by the pool.
func undo(ctx context.Context, conn *pgx.Conn) {
	if conn.IsClosed() || conn.PgConn().TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	conn.Exec(ctx, "ROLLBACK")
}

// errUnguarded says that a step would write although another has missed.
var errUnguarded = errors.New("a step that must is not the first, or one behind it does not look whether it has missed")

// guarded says whether no step writes when one that must has missed.
func guarded(steps []step) bool {
	for _, s := range steps[1:] {
		if s.must || steps[0].must && s.statement != commit.statement && !strings.Contains(s.statement, unmissed) {
			return false
		}
	}
	return true
}

// run sends all steps at once. None after one that fails is run; those after one that
// misses change nothing.
func (d postgres) run(ctx context.Context, conn *pgx.Conn, steps []step) error {
	if len(steps) == 0 {
		return nil
	}
	if !guarded(steps) {
		return errUnguarded
	}
	batch := &pgx.Batch{}
	for _, s := range steps {
		if d.mode == pgx.QueryExecModeCacheStatement { // a statement that is kept has its text for a name
			if _, err := conn.Prepare(ctx, s.statement, s.statement); err != nil {
				return err
			}
		}
		queued := batch.Queue(s.statement, s.args...)
		if s.row != nil || s.must {
			queued.Query(func(rows pgx.Rows) error { return s.rows(rows) })
		}
	}
	return conn.SendBatch(ctx, batch).Close()
}

// rows gives the rows to the step.
func (s step) rows(rows pgx.Rows) error {
	there := false
	err := eachRow(rows, func(scan func(...any) error) error {
		there = true
		if s.row == nil {
			return nil
		}
		return s.row(scan)
	})
	if err == nil && s.must && !there {
		return errMissed
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
