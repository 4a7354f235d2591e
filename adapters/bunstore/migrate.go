package bunstore

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
	"github.com/uptrace/bun"

	"plaza/domain/instant"
)

// Migration is a step of the schema.
type Migration struct {
	Name    string    // 0001_initial
	Applied time.Time // zero: not yet
}

// ErrNewer says that a newer program has changed the schema: this one must not
// write to it.
var ErrNewer = errors.New("the database's schema is newer than this program")

// ErrOutdated says that the schema lacks steps that this program needs.
var ErrOutdated = errors.New("the database's schema is older than this program; run plaza migrate up")

// migrationRow records a step in the database itself, in the step's own
// transaction: a step that was cut off has left nothing.
type migrationRow struct {
	bun.BaseModel `bun:"table:schema_migrations,alias:m"`
	Name          string `bun:",pk"`
	Applied       moment
}

// Migrate applies the steps that are missing, in one transaction, and returns
// their names. However many servers start at once, each step is applied once.
func (s *Store) Migrate(ctx context.Context) (applied []string, err error) {
	if err := s.guard.Check(); err != nil {
		return nil, err
	}
	_, err = backoff.Retry(ctx, func() (struct{}, error) {
		err := s.db.RunInTx(ctx, nil, func(_ context.Context, tx bun.Tx) (err error) {
			applied, err = s.migrate(ctx, tx)
			return err
		})
		if err != nil && s.dialect.judge(err) != again {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithMaxElapsedTime(migrateLimit))
	return applied, s.explain(ctx, err)
}

// migrateLimit is how long Migrate lets others go first who write a lot.
const migrateLimit = 10 * time.Minute

func (s *Store) migrate(ctx context.Context, tx bun.Tx) (applied []string, err error) {
	if err := s.prepare(ctx, tx); err != nil {
		return nil, err
	}
	steps, err := s.steps(ctx, tx)
	if err != nil {
		return nil, err
	}
	for _, step := range steps {
		if !step.Applied.IsZero() {
			continue
		}
		if err := s.apply(ctx, tx, step.Name); err != nil {
			return nil, fmt.Errorf("migration %s: %w", step.Name, err)
		}
		applied = append(applied, step.Name)
	}
	return applied, nil
}

// prepare lets the steps take their time, and whoever waits for them; and makes
// the table of steps.
func (s *Store) prepare(ctx context.Context, tx bun.Tx) error {
	if err := s.dialect.unhurried(ctx, tx); err != nil {
		return err
	}
	if err := s.dialect.lock(ctx, tx, "plaza schema"); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS schema_migrations "+
		"(name text NOT NULL PRIMARY KEY, applied "+s.dialect.timestampType()+" NOT NULL)")
	return err
}

func (s *Store) apply(ctx context.Context, tx bun.Tx, name string) error {
	text, err := fs.ReadFile(s.dialect.migrations(), name+".sql")
	if err != nil {
		return err
	}
	if _, err := tx.Tx.ExecContext(ctx, string(text)); err != nil {
		return err
	}
	_, err = tx.NewInsert().Model(&migrationRow{Name: name, Applied: moment{instant.Of(time.Now())}}).Exec(ctx)
	return err
}

// Migrations returns all steps in order, applied or not. ErrNewer when the
// database has some that this program doesn't know.
func (s *Store) Migrations(ctx context.Context) (steps []Migration, err error) {
	err = s.read(ctx, func(ctx context.Context) (err error) {
		steps, err = s.steps(ctx, s.reader)
		return err
	})
	return steps, err
}

// CheckSchema is nil when the schema is just the one that this program needs.
func (s *Store) CheckSchema(ctx context.Context) error {
	steps, err := s.Migrations(ctx)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(steps, func(m Migration) bool { return m.Applied.IsZero() }) {
		return ErrOutdated
	}
	return nil
}

func (s *Store) steps(ctx context.Context, db bun.IDB) ([]Migration, error) {
	rows, err := s.stepsApplied(ctx, db)
	if err != nil {
		return nil, err
	}
	applied := map[string]time.Time{}
	for _, row := range rows {
		applied[row.Name] = row.Applied.Time
	}
	files, err := fs.Glob(s.dialect.migrations(), "*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var steps []Migration
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".sql")
		steps = append(steps, Migration{Name: name, Applied: applied[name]})
		delete(applied, name)
	}
	for name := range applied {
		return nil, fmt.Errorf("%w: it has %s", ErrNewer, name)
	}
	return steps, nil
}

// stepsApplied makes no table of steps where there is none: whoever only looks
// leaves everything as it is.
func (s *Store) stepsApplied(ctx context.Context, db bun.IDB) (rows []migrationRow, err error) {
	var tables int
	if err := db.NewRaw(s.dialect.tables(), "schema_migrations").Scan(ctx, &tables); err != nil || tables == 0 {
		return nil, err
	}
	err = db.NewSelect().Model(&rows).Scan(ctx)
	return rows, err
}
