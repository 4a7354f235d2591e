package engine

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"plaza/domain/calendar"
)

// Shard is constant: there is one writer at a time.
func (SQLite) Shard() string { return "0" }

func (SQLite) Instant(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

func (SQLite) Interval(d time.Duration) any { return d.Microseconds() }

func (SQLite) date(d calendar.Date) any { return d.String() }

func (d SQLite) Transact(
	ctx context.Context, db *bun.DB, first []Step, fn func(context.Context, *Transaction) ([]Step, error),
) error {
	return d.write(ctx, db, func(ctx context.Context, tx bun.Tx) error {
		run := func(ctx context.Context, steps ...Step) error {
			for _, s := range steps {
				if err := d.run(ctx, tx.Tx, s); err != nil {
					return err
				}
			}
			return nil
		}
		copied := func(ctx context.Context, table string, columns []string, rows [][]any) error {
			return run(ctx, insertions(table, columns, rows)...)
		}
		if err := run(ctx, first...); err != nil {
			return err
		}
		last, err := fn(ctx, &Transaction{IDB: tx, Run: run, Copy: copied})
		if err != nil {
			return err
		}
		return run(ctx, last...)
	})
}

func (d SQLite) TransactAll(ctx context.Context, db *bun.DB, steps []Step) error {
	return d.Transact(ctx, db, steps, func(context.Context, *Transaction) ([]Step, error) { return nil, nil })
}

func (SQLite) Newest(table string) string { return "(SELECT MAX(id) FROM " + table + ")" }

func (SQLite) WritesInQueries() bool { return false }

func (SQLite) HasInserted(string) string { return "changes() > 0" }

func (SQLite) MustMatch(statement string, columns ...string) string {
	return statement + " RETURNING " + strings.Join(columns, ", ") + ", 1"
}

func (SQLite) MustFind(query string) string { return query }

// UnlessMissed is empty: no step runs after one that misses.
func (SQLite) UnlessMissed() string { return "" }

func (SQLite) Values(row string) string { return "VALUES (" + row + ")" }

func (d SQLite) run(ctx context.Context, tx *sql.Tx, s Step) error {
	if s.Row == nil && !s.MustMatch {
		var err error
		if kept := d.Written.get(s); kept != nil {
			_, err = tx.StmtContext(ctx, kept).ExecContext(ctx, s.Args...)
		} else {
			_, err = tx.ExecContext(ctx, s.Statement, s.Args...)
		}
		return err
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
	err = scanAll(rows, func(scan func(...any) error) error {
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
	if kept == nil && !s.built {
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
