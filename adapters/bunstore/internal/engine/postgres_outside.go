package engine

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/jackc/pgx/v5"
)

// makesIndex matches a statement that creates an index, and captures the index's name.
var makesIndex = regexp.MustCompile(`(?im)^\s*CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)\s+ON\b`)

// execOutsideTx opens a separate connection: lifted limits would stay with a connection of
// the pool. Behind a pooler the role's limits apply: a pooler rejects session settings,
// or would leak them to other clients.
func (d Postgres) execOutsideTx(ctx context.Context, statement string) (err error) {
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
	_, err = conn.Exec(ctx, statement, pgx.QueryExecModeSimpleProtocol)
	if err != nil && d.Classify(err) == timedOut {
		err = fmt.Errorf("%w; the role's statement_timeout is too short: "+
			"run plaza migrate up with a PLAZA_DATABASE_URL that connects directly to Postgres, and without PLAZA_DATABASE_POOLER", err)
	}
	return err
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
