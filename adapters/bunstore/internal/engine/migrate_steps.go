package engine

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/uptrace/bun"
)

// MigrationFile is a step known to this program.
type MigrationFile struct {
	Name, Text    string
	NoTransaction bool   // runs outside of any transaction
	Minimum       string // number of the oldest step that a compatible program must know; empty if the step is additive
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

// folderOf returns the folder, whose name is a constant.
func folderOf(all fs.FS, name string) fs.FS {
	folder, err := fs.Sub(all, name)
	if err != nil {
		panic(err)
	}
	return folder
}

// Files returns the steps known to this program, in order.
func (s *DB) Files() ([]MigrationFile, error) {
	names, err := fs.Glob(s.Schema, "*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	files := make([]MigrationFile, len(names))
	for i, name := range names {
		text, err := fs.ReadFile(s.Schema, name)
		if err != nil {
			return nil, err
		}
		files[i] = MigrationFile{
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
		steps, _, err = s.steps(ctx, s.Reader)
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

// Identify records the location of the database. It returns ErrLost if another database
// has taken its place. Migrate calls it, too.
func (s *DB) Identify(ctx context.Context) error {
	if file, is := s.Dialect.(SQLite); is {
		return s.Explain(ctx, file.identify(ctx, s))
	}
	return nil // a server keeps its databases
}

// missing returns the first step that is not applied, or nil if all are.
func (s *DB) missing(ctx context.Context, db bun.IDB) (*MigrationFile, error) {
	steps, files, err := s.steps(ctx, db)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if slices.ContainsFunc(steps, func(m Migration) bool { return m.Name == f.Name && m.Applied.IsZero() }) {
			return &f, nil
		}
	}
	return nil, nil
}

func (s *DB) steps(ctx context.Context, db bun.IDB) ([]Migration, []MigrationFile, error) {
	files, err := s.Files()
	if err != nil {
		return nil, nil, err
	}
	rows, err := s.records(ctx, db)
	if err != nil {
		return nil, nil, err
	}
	var steps []Migration
	for _, f := range files {
		steps = append(steps, Migration{Name: f.Name})
	}
	for _, row := range rows {
		at := slices.IndexFunc(steps, func(m Migration) bool { return m.Name == row.Name && !m.Unknown })
		if at >= 0 {
			steps[at].Applied = row.Applied.Time
			continue
		}
		steps = append(steps, Migration{Name: row.Name, Applied: row.Applied.Time, Unknown: true})
		if row.Name == formerStep {
			return nil, nil, ErrFormer
		}
		if row.Minimum > Number(files[len(files)-1].Name) {
			err = fmt.Errorf("%w: %s requires a program that knows step %s", ErrNewer, row.Name, row.Minimum)
		}
	}
	slices.SortFunc(steps, func(a, b Migration) int { return strings.Compare(a.Name, b.Name) })
	return steps, files, err
}

// formerStep is the first step of the schemas of before.
const formerStep = "0001_initial"

// records returns the applied steps. It does not create a missing table: a program that
// only reads changes nothing.
func (s *DB) records(ctx context.Context, db bun.IDB) (rows []migrationRow, err error) {
	exists, err := s.hasSteps(ctx, db)
	if err != nil || !exists {
		return nil, err
	}
	return rows, db.NewSelect().Model(&rows).Order("name").Scan(ctx)
}

// hasSteps reports whether the table of steps exists.
func (s *DB) hasSteps(ctx context.Context, db bun.IDB) (bool, error) {
	columns, err := s.columnsOf(ctx, db, "schema_migrations")
	return len(columns) > 0, err
}

// columnsOf returns the columns of the table, or none if the table is missing.
func (s *DB) columnsOf(ctx context.Context, db bun.IDB, table string) (columns []string, err error) {
	err = db.NewRaw(s.Pick(Text{
		Postgres: "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped",
		SQLite:   "SELECT name FROM pragma_table_info(?)",
	}), table).Scan(ctx, &columns)
	return columns, err
}
