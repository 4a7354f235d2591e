package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
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

// Migration is a step of the schema.
type Migration struct {
	Name, Text    string    // 0001_people; the text is empty if the step is unknown
	NoTransaction bool      // runs outside of any transaction
	Minimum       string    // number of the oldest step that a compatible program must know; empty if the step is additive
	Applied       time.Time // zero: not applied
	Unknown       bool      // applied by a newer program
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
	Minimum       string `bun:",nullzero"` // see Migration
}

// Marks in a step's file.
const (
	noTransactionMark = "-- transaction: none\n"
	minimumMark       = "\n-- minimum: "
)

// Number returns the number in a step's name.
func Number(name string) string {
	n, _, _ := strings.Cut(name, "_")
	return n
}

// Files returns the steps known to this program, in order.
func (s *DB) Files() ([]Migration, error) {
	names, err := fs.Glob(s.Schema, "*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	files := make([]Migration, len(names))
	for i, name := range names {
		text, err := fs.ReadFile(s.Schema, name)
		if err != nil {
			return nil, err
		}
		files[i] = Migration{
			Name: strings.TrimSuffix(path.Base(name), ".sql"), Text: string(text), NoTransaction: strings.HasPrefix(string(text), noTransactionMark),
		}
		_, minimum, _ := strings.Cut("\n"+string(text), minimumMark)
		minimum, _, _ = strings.Cut(minimum, "\n")
		files[i].Minimum = strings.TrimSpace(minimum)
	}
	return files, nil
}

// Migrations returns all steps in order: those known to this program, applied or not,
// and those applied by a newer one. It returns them even with ErrNewer.
func (s *DB) Migrations(ctx context.Context) (steps []Migration, err error) {
	err = s.Read(ctx, func(ctx context.Context) (err error) {
		steps, err = s.steps(ctx, s.Reader)
		return err
	})
	return steps, err
}

// CheckSchema returns nil if the schema has every step that this program needs. Steps
// of a newer program are accepted unless they declare a minimum that this program does
// not meet.
func (s *DB) CheckSchema(ctx context.Context) error {
	steps, err := s.Migrations(ctx)
	if err != nil {
		return err
	}
	var lacks []string
	for _, m := range steps {
		if m.Applied.IsZero() {
			lacks = append(lacks, m.Name)
		}
	}
	if len(lacks) > 0 {
		return fmt.Errorf("%w: it lacks %s", ErrOutdated, strings.Join(lacks, ", "))
	}
	return nil
}

// missing returns the first step that is not applied, or nil if all are.
func (s *DB) missing(ctx context.Context, db bun.IDB) (*Migration, error) {
	steps, err := s.steps(ctx, db)
	if err != nil {
		return nil, err
	}
	for _, step := range steps {
		if step.Applied.IsZero() {
			return &step, nil
		}
	}
	return nil, nil
}

// steps does not create a missing table of steps: a program that only reads changes nothing.
func (s *DB) steps(ctx context.Context, db bun.IDB) ([]Migration, error) {
	steps, err := s.Files()
	if err != nil {
		return nil, err
	}
	known := len(steps)
	exists, err := s.hasSteps(ctx, db)
	if err != nil || !exists {
		return steps, err
	}
	var rows []migrationRow
	if err := db.NewSelect().Model(&rows).Order("name").Scan(ctx); err != nil {
		return nil, err
	}
	for _, row := range rows {
		if at := slices.IndexFunc(steps, func(m Migration) bool { return m.Name == row.Name }); at >= 0 {
			steps[at].Applied = row.Applied.Time
			continue
		}
		steps = append(steps, Migration{Name: row.Name, Applied: row.Applied.Time, Unknown: true})
		if row.Name == formerStep {
			return nil, ErrFormer
		}
		if row.Minimum > Number(steps[known-1].Name) {
			err = fmt.Errorf("%w: %s requires a program that knows step %s", ErrNewer, row.Name, row.Minimum)
		}
	}
	slices.SortFunc(steps, func(a, b Migration) int { return strings.Compare(a.Name, b.Name) })
	return steps, err
}

// formerStep is the first step of the schemas of before.
const formerStep = "0001_initial"

// hasSteps reports whether the table of steps exists.
func (s *DB) hasSteps(ctx context.Context, db bun.IDB) (exists bool, err error) {
	err = db.NewRaw(s.Pick(Text{
		Postgres: "SELECT to_regclass('schema_migrations') IS NOT NULL",
		SQLite:   "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations')",
	})).Scan(ctx, &exists)
	return exists, err
}
