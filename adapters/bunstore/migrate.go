package bunstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/uptrace/bun"

	"plaza/domain/instant"
)

// Migration is a step of the schema.
type Migration struct {
	Name    string    // 0001_initial
	Applied time.Time // zero: not yet
	Unknown bool      // a newer program has applied it
}

// ErrNewer says that a newer program has changed the schema in a way that this one
// can't work with.
var ErrNewer = errors.New("the database's schema is newer than this program")

// ErrOutdated says that the schema lacks steps that this program needs.
var ErrOutdated = errors.New("the database's schema is older than this program; run plaza migrate up")

// migrationRow records a step in the database itself.
type migrationRow struct {
	bun.BaseModel `bun:"table:schema_migrations,alias:m"`
	Name          string `bun:",pk"`
	Applied       dbTime
	Minimum       string `bun:",nullzero"` // number of the oldest step that a program must know beside it
}

// Migrate applies the steps that are missing, each in a transaction of its own, and
// returns the names of those that it applied, also with an error. However many servers
// start at once, each step is applied once.
func (s *Store) Migrate(ctx context.Context) (applied []string, err error) {
	if err := s.guard.Check(); err != nil {
		return nil, err
	}
	for {
		name, err := s.migrateNext(ctx)
		if err != nil {
			return applied, s.explain(ctx, err)
		}
		if name == "" {
			return applied, s.Identify(ctx)
		}
		applied = append(applied, name)
	}
}

// Times of a step.
const (
	// migrateLimit is how long a step lets others go first: another server that migrates,
	// and transactions that hold what it changes.
	migrateLimit = 10 * time.Minute
	// migrateLock is how long a step waits for a lock on a table before it tries again.
	// All that comes to the table meanwhile waits behind it: it must be less than the
	// limits of servers.
	migrateLock = 3 * time.Second
	// migratePause is how many seconds the table is left to others after that.
	migratePause = 2
)

// errElsewhere says that another server migrates now.
var errElsewhere = errors.New("another server changes the schema")

// migrateNext applies the first step that is missing, and returns its name; none when
// all are applied.
func (s *Store) migrateNext(ctx context.Context) (name string, err error) {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = 50*time.Millisecond, 2*time.Second
	return backoff.Retry(ctx, func() (string, error) {
		name, err := s.tryNext(ctx)
		switch {
		case err == nil || errors.Is(err, errElsewhere):
		case s.dialect.judge(err) != again:
			err = backoff.Permanent(err)
		default:
			err = errors.Join(err, backoff.RetryAfter(migratePause))
		}
		return name, err
	}, backoff.WithBackOff(pauses), backoff.WithMaxElapsedTime(migrateLimit), backoff.WithNotify(func(err error, pause time.Duration) {
		s.log.Info("the schema cannot be changed yet; trying again", "error", err, "pause", pause.Round(time.Millisecond))
	}))
}

func (s *Store) tryNext(ctx context.Context) (name string, err error) {
	next, err := s.missing(ctx, s.db)
	switch {
	case err != nil || next == nil:
		return "", err
	case next.alone:
		return next.name, s.applyAlone(ctx, *next)
	}
	err = s.db.RunInTx(ctx, nil, func(_ context.Context, tx bun.Tx) error {
		if err := s.beginStep(ctx, tx, transactedSteps); err != nil {
			return err
		}
		if err := s.prepare(ctx, tx); err != nil {
			return err
		}
		next, err := s.missing(ctx, tx) // another server may have been here
		if err != nil || next == nil || next.alone {
			return err
		}
		if _, err := tx.Tx.ExecContext(ctx, next.text); err != nil {
			return fmt.Errorf("migration %s: %w", next.name, err)
		}
		name = next.name
		return s.record(ctx, tx, *next)
	})
	if err == nil && name == "" {
		return s.tryNext(ctx)
	}
	return name, err
}

// The names that steps are locked by. Programs from before there were steps without a
// transaction wait for the first with a transaction open, for which CREATE INDEX
// CONCURRENTLY would wait in turn, for ever.
const (
	transactedSteps = "plaza schema"
	aloneSteps      = "plaza schema alone"
)

// beginStep lets the step take its time once it has its locks, and keeps other servers
// from migrating until the transaction ends. It never waits for them: a transaction that
// waits holds a snapshot.
func (s *Store) beginStep(ctx context.Context, tx bun.IDB, lock string) error {
	if err := s.dialect.unhurried(ctx, tx, migrateLock); err != nil {
		return err
	}
	locked, err := s.dialect.tryLock(ctx, tx, lock)
	if err == nil && !locked {
		err = errElsewhere
	}
	return err
}

// prepare makes the table of steps, or gives it the column that programs of old did
// without. It is no step itself: the steps' own rows need it.
func (s *Store) prepare(ctx context.Context, tx bun.IDB) error {
	columns, err := s.recordColumns(ctx, tx)
	switch {
	case err != nil || slices.Contains(columns, "minimum"):
	case len(columns) == 0:
		if err := s.dialect.mayBegin(); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "CREATE TABLE schema_migrations "+
			"(name text NOT NULL PRIMARY KEY, applied "+s.dialect.timestampType()+" NOT NULL, minimum text)")
	default:
		_, err = tx.ExecContext(ctx, "ALTER TABLE schema_migrations ADD COLUMN minimum text")
	}
	return err
}

func (s *Store) record(ctx context.Context, tx bun.IDB, m migrationFile) error {
	_, err := tx.NewInsert().Model(&migrationRow{
		Name: m.name, Applied: dbTime{instant.Normalise(time.Now())}, Minimum: m.minimum,
	}).Exec(ctx)
	return err
}

// applyAlone runs a step outside of any transaction, on a connection of its own. Another
// one holds the lock, in a transaction without a snapshot: such a transaction is awaited
// by no CREATE INDEX CONCURRENTLY, and a pooler keeps it on its connection. A step that
// was cut off is begun anew.
func (s *Store) applyAlone(ctx context.Context, m migrationFile) error {
	prepare := func(_ context.Context, tx bun.Tx) error {
		if err := s.beginStep(ctx, tx, transactedSteps); err != nil {
			return err
		}
		return s.prepare(ctx, tx)
	}
	if err := s.db.RunInTx(ctx, nil, prepare); err != nil {
		return err
	}
	return s.db.RunInTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted}, func(_ context.Context, tx bun.Tx) error {
		if err := s.beginStep(ctx, tx, aloneSteps); err != nil {
			return err
		}
		next, err := s.missing(ctx, tx)
		if err != nil {
			return err
		}
		if next == nil || next.name != m.name {
			return errElsewhere // it has just been there
		}
		// Without parameters, so that it ends the portal of what was read before, which
		// keeps its snapshot until the connection is asked for something else.
		if _, err := tx.ExecContext(ctx, "SELECT 1"); err != nil {
			return err
		}
		if err := s.dialect.outside(ctx, m.text); err != nil {
			return fmt.Errorf("migration %s: %w", m.name, err)
		}
		return s.record(ctx, tx, m)
	})
}
