package bunstore

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/uptrace/bun"
)

// migrationFile is a step as this program knows it.
type migrationFile struct {
	name, text string
	alone      bool   // it runs outside of any transaction
	minimum    string // number of the oldest step that a program must know beside it; empty: it is additive
}

// What a file says of its step.
const aloneMark = "-- transaction: none\n"

var minimumMark = regexp.MustCompile(`(?m)^-- minimum: (.*)$`)

// number is that of a step with the name.
func number(name string) string {
	n, _, _ := strings.Cut(name, "_")
	return n
}

// files are the steps that this program knows, in their order.
func (s *Store) files() ([]migrationFile, error) {
	names, err := fs.Glob(s.schema, "*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	files := make([]migrationFile, len(names))
	for i, name := range names {
		text, err := fs.ReadFile(s.schema, name)
		if err != nil {
			return nil, err
		}
		files[i] = migrationFile{
			name: strings.TrimSuffix(path.Base(name), ".sql"), text: string(text), alone: strings.HasPrefix(string(text), aloneMark),
		}
		if found := minimumMark.FindStringSubmatch(string(text)); found != nil {
			files[i].minimum = strings.TrimSpace(found[1])
		}
	}
	return files, nil
}

// Migrations returns all steps in order: those that this program knows, applied or not,
// and those that a newer one has applied. With ErrNewer it returns them as well.
func (s *Store) Migrations(ctx context.Context) (steps []Migration, err error) {
	err = s.read(ctx, func(ctx context.Context) (err error) {
		steps, _, err = s.steps(ctx, s.reader)
		return err
	})
	return steps, err
}

// CheckSchema is nil when the schema has all that this program needs. Steps that a newer
// program has added do no harm unless they say so.
func (s *Store) CheckSchema(ctx context.Context) error {
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

// Identify notes where the database is, or is ErrLost when another one is there than
// before. Migrate does so as well.
func (s *Store) Identify(ctx context.Context) error {
	return s.explain(ctx, s.dialect.identify(ctx, s))
}

// missing is the first step that is not applied; nil: all are.
func (s *Store) missing(ctx context.Context, db bun.IDB) (*migrationFile, error) {
	steps, files, err := s.steps(ctx, db)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if slices.ContainsFunc(steps, func(m Migration) bool { return m.Name == f.name && m.Applied.IsZero() }) {
			return &f, nil
		}
	}
	return nil, nil
}

func (s *Store) steps(ctx context.Context, db bun.IDB) ([]Migration, []migrationFile, error) {
	files, err := s.files()
	if err != nil {
		return nil, nil, err
	}
	rows, err := s.records(ctx, db)
	if err != nil {
		return nil, nil, err
	}
	var steps []Migration
	for _, f := range files {
		steps = append(steps, Migration{Name: f.name})
	}
	for _, row := range rows {
		at := slices.IndexFunc(steps, func(m Migration) bool { return m.Name == row.Name && !m.Unknown })
		if at >= 0 {
			steps[at].Applied = row.Applied.Time
			continue
		}
		steps = append(steps, Migration{Name: row.Name, Applied: row.Applied.Time, Unknown: true})
		if row.Minimum > number(files[len(files)-1].name) {
			err = fmt.Errorf("%w: it has %s, which takes a program that knows step %s", ErrNewer, row.Name, row.Minimum)
		}
	}
	slices.SortFunc(steps, func(a, b Migration) int { return strings.Compare(a.Name, b.Name) })
	return steps, files, err
}

// undeclared stands for the minimum of a step from before steps declared any: no program
// that doesn't know it may run.
const undeclared = "unknown"

// records makes no table of steps when it is missing: a program that only looks leaves
// everything as it is.
func (s *Store) records(ctx context.Context, db bun.IDB) (rows []migrationRow, err error) {
	columns, err := s.recordColumns(ctx, db)
	if err != nil || len(columns) == 0 {
		return nil, err
	}
	query := db.NewSelect().Model(&rows).Order("name")
	if slices.Contains(columns, "minimum") {
		return rows, query.Scan(ctx)
	}
	err = query.Column("name", "applied").Scan(ctx)
	for i := range rows {
		rows[i].Minimum = undeclared
	}
	return rows, err
}

// recordColumns are the columns of the table of steps; none when it is missing.
func (s *Store) recordColumns(ctx context.Context, db bun.IDB) (columns []string, err error) {
	err = db.NewRaw(s.dialect.columns(), "schema_migrations").Scan(ctx, &columns)
	return columns, err
}
