package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"

	"plaza/domain/instant"
)

// Migration is a step of the schema.
type Migration struct {
	Name    string    // 0001_people
	Applied time.Time // zero: not applied
	Unknown bool      // applied by a newer program
}

// ErrNewer reports that a newer program has changed the schema in an incompatible way.
var ErrNewer = errors.New("the database's schema is newer than this program")

// ErrFormer reports a schema from before the first numbered one of this program, which it can't bring up to date.
var ErrFormer = errors.New("the database is of a program from before the present schema; begin with an empty one, " +
	"and load the data anew: plaza import, or plaza demo")

// ErrOutdated reports that the schema lacks steps that this program needs.
var ErrOutdated = errors.New("the database's schema is older than this program; run plaza migrate up")

// migrationRow records an applied step.
type migrationRow struct {
	bun.BaseModel `bun:"table:schema_migrations,alias:m"`
	Name          string `bun:",pk"`
	Applied       Time
	Minimum       string `bun:",nullzero"` // number of the oldest step that a compatible program must know
}

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

func (s *DB) tryNext(ctx context.Context) (name string, err error) {
	next, err := s.missing(ctx, s.Writer)
	switch {
	case err != nil || next == nil:
		return "", err
	case next.NoTransaction:
		return next.Name, s.applyOutside(ctx, *next)
	}
	err = s.Writer.RunInTx(ctx, nil, func(_ context.Context, tx bun.Tx) error {
		if err := s.beginStep(ctx, tx); err != nil {
			return err
		}
		if err := s.prepare(ctx, tx); err != nil {
			return err
		}
		next, err := s.missing(ctx, tx) // another server may have applied it
		if err != nil || next == nil || next.NoTransaction {
			return err
		}
		if _, err := tx.Tx.ExecContext(ctx, next.Text); err != nil {
			return fmt.Errorf("migration %s: %w", next.Name, err)
		}
		name = next.Name
		return s.record(ctx, tx, *next)
	})
	if err == nil && name == "" {
		return s.tryNext(ctx)
	}
	return name, err
}

// schemaLock is the name of the lock for steps.
const schemaLock = "plaza schema"

// beginStep removes the step's time limits once it has its locks, and excludes other
// servers until the transaction ends. It never waits for them: a waiting transaction
// holds a snapshot. The step waits three seconds for the lock of a table before it is tried again: all other statements on the
// table queue behind it, so that is less than the limits of servers.
func (s *DB) beginStep(ctx context.Context, tx bun.IDB) error {
	if s.isSQLite() { // it has one writer at a time, and no limits of statements
		return nil
	}
	var locked bool
	_, err := tx.ExecContext(ctx, `
		SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = '3s'`)
	if err == nil {
		err = tx.NewRaw("SELECT pg_try_advisory_xact_lock(hashtextextended(?, 0))", schemaLock).Scan(ctx, &locked)
	}
	if err == nil && !locked {
		err = errElsewhere
	}
	return err
}

// prepare creates the table of steps. It is not a step itself, because steps are recorded in this table.
func (s *DB) prepare(ctx context.Context, tx bun.IDB) error {
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

func (s *DB) record(ctx context.Context, tx bun.IDB, m MigrationFile) error {
	_, err := tx.NewInsert().Model(&migrationRow{
		Name: m.Name, Applied: Time{instant.Normalise(time.Now())}, Minimum: m.Minimum,
	}).Exec(ctx)
	return err
}

// applyOutside runs a step outside of any transaction, on a separate connection. Another
// connection holds the lock, in a transaction without a snapshot: CREATE INDEX
// CONCURRENTLY does not wait for such a transaction, and a pooler keeps it on its
// connection. An interrupted step starts again.
func (s *DB) applyOutside(ctx context.Context, m MigrationFile) error {
	prepare := func(_ context.Context, tx bun.Tx) error {
		if err := s.beginStep(ctx, tx); err != nil {
			return err
		}
		return s.prepare(ctx, tx)
	}
	if err := s.Writer.RunInTx(ctx, nil, prepare); err != nil {
		return err
	}
	return s.Writer.RunInTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted}, func(_ context.Context, tx bun.Tx) error {
		if err := s.beginStep(ctx, tx); err != nil {
			return err
		}
		next, err := s.missing(ctx, tx)
		if err != nil {
			return err
		}
		if next == nil || next.Name != m.Name {
			return errElsewhere // another server has just applied it
		}
		// This statement has no parameters, so it ends the portal of the previous
		// query. The portal would keep its snapshot until the connection's next use.
		if _, err := tx.ExecContext(ctx, "SELECT 1"); err != nil {
			return err
		}
		if err := s.Dialect.execOutsideTx(ctx, m.Text, s.log.With("step", m.Name)); err != nil {
			return fmt.Errorf("migration %s: %w", m.Name, err)
		}
		return s.record(ctx, tx, m)
	})
}
