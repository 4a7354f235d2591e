package engine

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/uptrace/bun"
)

// write runs each statement by itself.
func (d SQLite) write(ctx context.Context, s *DB, fn func(*Tx) error) error {
	return d.inTurn(ctx, s.Writer, func(ctx context.Context, own bun.Tx) error {
		tx := &Tx{ctx: ctx, s: s, conn: own}
		tx.send = func(steps []*Step) error {
			for _, step := range steps {
				if err := d.run(ctx, own.Tx, *step); err != nil {
					return err
				}
			}
			return nil
		}
		tx.copy = func(table string, columns []string, rows [][]any) error {
			for _, step := range insertions(table, columns, rows) {
				if err := d.run(ctx, own.Tx, step); err != nil {
					return err
				}
			}
			return nil
		}
		if err := tx.orFailed(fn(tx)); err != nil {
			return err
		}
		return tx.Send()
	})
}

// withoutLock returns the statement without its last line if that locks rows, which a transaction of the only writer need not.
func withoutLock(statement string) string {
	if i := strings.LastIndexByte(statement, '\n'); i >= 0 && strings.HasPrefix(strings.TrimSpace(statement[i:]), "FOR ") {
		return statement[:i]
	}
	return statement
}

func (d SQLite) run(ctx context.Context, tx *sql.Tx, s Step) error {
	s.Statement = withoutLock(s.Statement)
	if s.Row == nil && (!s.MustMatch || !returnsRows(s.Statement)) {
		run := func() (sql.Result, error) { return tx.ExecContext(ctx, s.Statement, s.Args...) }
		if kept := d.Written.get(s); kept != nil {
			run = func() (sql.Result, error) { return tx.StmtContext(ctx, kept).ExecContext(ctx, s.Args...) }
		}
		done, err := run()
		if err != nil || !s.MustMatch {
			return err
		}
		return OrNotAffected(done, nil, cmp.Or(s.Missed, ErrMissed))
	}
	query := func() (*sql.Rows, error) { return tx.QueryContext(ctx, s.Statement, s.Args...) }
	if kept := d.Written.get(s); kept != nil {
		query = func() (*sql.Rows, error) { return tx.StmtContext(ctx, kept).QueryContext(ctx, s.Args...) }
	}
	rows, err := query()
	if err != nil {
		return err
	}
	found := false
	err = scanAll(rows, s.columns, func(scan func(...any) error) error {
		if found = true; s.Row == nil {
			return nil
		}
		return s.Row(scan)
	})
	if err != nil {
		return err
	}
	if s.MustMatch && !found {
		return cmp.Or(s.Missed, ErrMissed)
	}
	return nil
}

// rowsAtOnce lists the numbers of rows per insertion, so that few statement texts are
// kept.
var rowsAtOnce = []int{64, 8, 1}

// insertions returns steps that add the rows to the table, in order.
func insertions(table string, columns []string, rows [][]any) (steps []Step) {
	one := "(" + strings.Repeat("?, ", len(columns)-1) + "?)"
	for _, size := range rowsAtOnce {
		text := "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES " + strings.Repeat(one+", ", size-1) + one
		for ; len(rows) >= size; rows = rows[size:] {
			steps = append(steps, Step{Statement: text, Args: slices.Concat(rows[:size]...)})
		}
	}
	return steps
}

// writtenStatements keeps the prepared statements of transactions by their text, and is used
// in turns. A transaction holds the only connection, so nothing can be prepared while it runs:
// missing statements are prepared after it.
type writtenStatements struct {
	Kept       map[string]*sql.Stmt
	Unprepared map[string]bool
}

func (w *writtenStatements) get(s Step) *sql.Stmt {
	kept := w.Kept[s.Statement]
	if kept == nil {
		w.Unprepared[s.Statement] = true
	}
	return kept
}

// prepare prepares the statements that were missing. A wrong one has failed by itself.
func (w *writtenStatements) prepare(ctx context.Context, db *sql.DB) {
	for text := range w.Unprepared {
		delete(w.Unprepared, text)
		if made, err := db.PrepareContext(ctx, text); err == nil {
			w.Kept[text] = made
		}
	}
}

// returnsRows reports whether the statement finds rows, rather than only writes them.
func returnsRows(statement string) bool {
	return strings.HasPrefix(strings.TrimSpace(statement), "SELECT") || strings.Contains(statement, "RETURNING")
}
