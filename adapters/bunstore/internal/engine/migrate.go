package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"

	"plaza/domain/instant"
)

// Migrate applies the missing steps, each in its own transaction, and returns the names
// of the applied ones, also with an error. If several servers start together, each step
// is applied once.
func (s *DB) Migrate(ctx context.Context) (applied []string, err error) {
	for {
		name, err := s.migrateNext(ctx)
		if err != nil {
			if e, is := errors.AsType[*pgconn.PgError](err); is && e.Code == "42501" {
				err = fmt.Errorf("%w: let the role create tables, by ALTER DATABASE … OWNER TO its name, or GRANT CREATE ON SCHEMA public TO it", err)
			}
			return applied, s.Explain(ctx, err)
		}
		if name == "" {
			return applied, s.Identify(ctx)
		}
		applied = append(applied, name)
	}
}

// Time limits of a step.
const (
	// migrateLimit is how long a step waits for another server that migrates and for
	// transactions that lock its tables.
	migrateLimit = 10 * time.Minute
	// migratePause is how many seconds the table is free for others before the retry.
	migratePause = 2
)

// errElsewhere reports that another server is migrating.
var errElsewhere = errors.New("another server is migrating the schema")

// migrateNext applies the first missing step and returns its name, or an empty name if
// all are applied.
func (s *DB) migrateNext(ctx context.Context) (name string, err error) {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = 50*time.Millisecond, 2*time.Second
	return backoff.Retry(ctx, func() (string, error) {
		name, err := s.tryNext(ctx)
		switch {
		case err == nil || errors.Is(err, errElsewhere):
		case s.Dialect.Classify(err) != Retryable:
			err = backoff.Permanent(err)
		default:
			err = errors.Join(err, backoff.RetryAfter(migratePause))
		}
		return name, err
	}, backoff.WithBackOff(pauses), backoff.WithMaxElapsedTime(migrateLimit), backoff.WithNotify(func(err error, pause time.Duration) {
		s.log.Info("the schema cannot be changed yet; trying again", "error", err, "pause_ms", pause.Milliseconds())
	}))
}

// tryNext applies the first missing step in a transaction that excludes other servers. A step that runs outside of any
// transaction has a connection of its own, and the transaction beside it has no snapshot: CREATE INDEX CONCURRENTLY does
// not wait for such a transaction, and a pooler keeps it on its connection. An interrupted step starts again.
func (s *DB) tryNext(ctx context.Context) (name string, err error) {
	next, err := s.missing(ctx, s.Writer)
	if err != nil || next == nil {
		return "", err
	}
	return next.Name, s.Writer.RunInTx(ctx, nil, func(_ context.Context, tx bun.Tx) error {
		if err := s.beginStep(ctx, tx); err != nil {
			return err
		}
		now, err := s.missing(ctx, tx)
		if err != nil {
			return err
		}
		if now == nil || now.Name != next.Name {
			return errElsewhere // another server has just applied it
		}
		if postgres, is := s.Dialect.(Postgres); is && next.NoTransaction {
			// This statement has no parameters, so it ends the portal of the previous
			// query. The portal would keep its snapshot until the connection's next use.
			if _, err := tx.ExecContext(ctx, "SELECT 1"); err != nil {
				return err
			}
			err = postgres.execOutsideTx(ctx, next.Text, s.log.With("step", next.Name))
		} else {
			_, err = tx.Tx.ExecContext(ctx, next.Text)
		}
		if err != nil {
			return fmt.Errorf("migration %s: %w", next.Name, err)
		}
		_, err = tx.NewInsert().Model(&migrationRow{
			Name: next.Name, Applied: Time{instant.Normalise(time.Now())}, Minimum: next.Minimum,
		}).Exec(ctx)
		return err
	})
}

// schemaLock is the name of the lock for steps.
const schemaLock = "plaza schema"

// beginStep prepares the transaction of a step. It removes the time limits of statements, and takes the lock for steps, so that
// other servers run none until the transaction ends. If another server has the lock, beginStep fails at once, because a
// transaction that waits holds a snapshot. A step waits three seconds for the lock of a table, less than a server waits for
// a statement: all other statements on the table queue behind the step. Then beginStep creates the table of steps. It is no
// step itself, because steps are recorded in it.
func (s *DB) beginStep(ctx context.Context, tx bun.Tx) error {
	if !s.isSQLite() { // that has one writer at a time, and no limits of statements
		_, err := tx.ExecContext(ctx, `
			SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = '3s'`)
		if err != nil {
			return err
		}
		var locked bool
		err = tx.NewRaw("SELECT pg_try_advisory_xact_lock(hashtextextended(?, 0))", schemaLock).Scan(ctx, &locked)
		if err != nil {
			return err
		}
		if !locked {
			return errElsewhere
		}
	}
	exists, err := s.hasSteps(ctx, tx)
	if err != nil || exists {
		return err
	}
	if file, is := s.Dialect.(SQLite); is {
		if err := errIfMarked(file.file.path); err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, s.Pick(Text{
		Postgres: "CREATE TABLE schema_migrations (name text NOT NULL PRIMARY KEY, applied timestamptz NOT NULL, minimum text)",
		SQLite:   "CREATE TABLE schema_migrations (name text NOT NULL PRIMARY KEY, applied integer NOT NULL, minimum text)",
	}))
	return err
}
