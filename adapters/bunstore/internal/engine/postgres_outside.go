package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// makesIndex matches a statement that creates an index, and captures the index's name.
var makesIndex = regexp.MustCompile(`(?im)^\s*CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)\s+ON\b`)

// execOutsideTx runs a statement that creates or drops an index, outside of any transaction and without time limits. It opens a
// separate connection: lifted limits would stay with a connection of the pool. Behind a pooler the role's limits
// apply: a pooler rejects session settings, or would leak them to other clients.
func (d Postgres) execOutsideTx(ctx context.Context, statement string, log *slog.Logger) (err error) {
	config := d.Pool.Config().ConnConfig.Copy()
	for _, limit := range []string{"statement_timeout", "lock_timeout"} {
		if _, ours := config.RuntimeParams[limit]; ours {
			config.RuntimeParams[limit] = "0"
		}
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	if found := makesIndex.FindStringSubmatch(statement); found != nil {
		is, err := clearIndex(ctx, conn, found[1])
		if err != nil || is {
			return err
		}
	}
	watching, stop := context.WithCancel(ctx)
	var watch sync.WaitGroup
	watch.Go(func() { d.logBlockers(watching, conn.PgConn().PID(), log) })
	_, err = conn.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol)
	stop()
	watch.Wait()
	if err != nil && d.Classify(err) == timedOut {
		err = fmt.Errorf("%w; the role's statement_timeout is too short: "+
			"run plaza migrate up with a PLAZA_DATABASE_URL that connects directly to Postgres, and without PLAZA_DATABASE_POOLER", err)
	}
	return err
}

// blockersStatement finds the sessions that the backend $1 waits for.
const blockersStatement = `SELECT pid::text, COALESCE(usename, ''), COALESCE(application_name, ''), COALESCE(xact_start, backend_start)
	FROM pg_stat_activity WHERE pid = ANY(pg_blocking_pids($1)) ORDER BY xact_start`

// logBlockers logs, until the context ends, whose transactions the backend waits for: an index is built when all
// transactions that are older have ended.
func (d Postgres) logBlockers(ctx context.Context, pid uint32, log *slog.Logger) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for last := ""; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		var process, role, program string
		var since time.Time
		err := d.Pool.QueryRow(ctx, blockersStatement, pid).Scan(&process, &role, &program, &since)
		if err == nil && process != last { // an error is no reason to end the step: most often it waits for nothing
			last = process
			log.Info("the schema waits for a transaction; end it, or wait", "pid", process, "role", role, "program", program, "since", since)
		}
	}
}

// clearIndex reports whether a valid index exists. It drops an invalid one, which
// CREATE INDEX CONCURRENTLY leaves behind when it is interrupted.
func clearIndex(ctx context.Context, conn *pgx.Conn, name string) (is bool, err error) {
	err = conn.QueryRow(ctx, "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)", name).Scan(&is)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return false, nil
	case err != nil || is:
		return is, err
	}
	_, err = conn.Exec(ctx, "DROP INDEX CONCURRENTLY IF EXISTS "+name, pgx.QueryExecModeSimpleProtocol)
	return false, err
}
