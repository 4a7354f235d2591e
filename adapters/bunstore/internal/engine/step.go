package engine

import (
	"cmp"
	"context"
	"database/sql"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Text is a statement in the words of each database.
type Text struct{ Postgres, SQLite string }

// Pick returns the text for this database.
func (s *DB) Pick(t Text) string {
	if s.isSQLite() {
		return t.SQLite
	}
	return t.Postgres
}

// Both returns a statement for both databases. What it says of indexes is SQLite's, whose planner does not know the data well
// enough to choose them. Its lists of keys (= ANY($1)), and pg_backend_pid(), are in the words of Postgres.
func Both(statement string) Text {
	return Text{
		Postgres: indexedBy.ReplaceAllString(statement, ""),
		SQLite:   strings.ReplaceAll(anyOf.ReplaceAllString(statement, "IN (SELECT value FROM json_each($1))"), "pg_backend_pid()", "0"),
	}
}

var (
	indexedBy = regexp.MustCompile(` INDEXED BY \w+`)
	anyOf     = regexp.MustCompile(`= ANY\((\$\d+)\)`)
)

// Step is a statement of a transaction, or a hot read. Its text is constant and its parameters are bound, so that the
// database can keep it prepared.
type Step struct {
	Statement string
	Args      []any
	Row       func(scan Scanner) error                   // receives every row; nil ignores them
	Missed    error                                      // fails the transaction without a row; nil: none does
	columns   func(names func() ([]string, error)) error // is called before the first row
}

// Scanner scans a row.
type Scanner = func(...any) error

// Into returns a function that scans a row into the targets.
func Into(targets ...any) func(Scanner) error {
	return func(scan Scanner) error { return scan(targets...) }
}

// Into scans the row of the statement into the targets. Without a row it leaves them alone.
func (s *Step) Into(targets ...any) *Step {
	s.Row = Into(targets...)
	return s
}

// Must makes the transaction fail with missing if the statement finds or writes no row.
func (s *Step) Must(missing error) *Step {
	s.Missed = missing
	return s
}

// matched returns the step's fault, if it has one, unless it found or wrote rows.
func (s *Step) matched(rows int) error {
	if rows == 0 {
		return s.Missed
	}
	return nil
}

// pass passes the rows of either driver to the step, and returns their number.
func (s *Step) pass(rows interface {
	Next() bool
	Scan(targets ...any) error
	Err() error
}, names func() ([]string, error)) (n int, err error) {
	for scan := rows.Scan; rows.Next(); n++ { // one function for all rows
		if n == 0 && s.columns != nil {
			if err := s.columns(names); err != nil {
				return n, err
			}
		}
		if s.Row != nil {
			if err := s.Row(scan); err != nil {
				return n, err
			}
		}
	}
	return n, rows.Err()
}

// receive passes the answer of Postgres to the step.
func (s *Step) receive(rows pgx.Rows) error {
	defer rows.Close()
	_, err := s.pass(rows, func() ([]string, error) {
		return Mapped(rows.FieldDescriptions(), func(f pgconn.FieldDescription) string { return f.Name }), nil
	})
	return cmp.Or(err, s.matched(int(rows.CommandTag().RowsAffected()))) // found, or written
}

// query runs the step's statement on SQLite, and passes its rows to the step.
func (s *Step) query(ctx context.Context, prepared *sql.Stmt) error {
	rows, err := prepared.QueryContext(ctx, s.Args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	n, err := s.pass(rows, rows.Columns)
	return cmp.Or(err, s.matched(n))
}
