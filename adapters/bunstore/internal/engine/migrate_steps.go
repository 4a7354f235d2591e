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

	"github.com/uptrace/bun"
)

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
