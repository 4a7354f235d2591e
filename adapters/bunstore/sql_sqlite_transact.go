package bunstore

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"sync"

	"github.com/uptrace/bun"

	"plaza/domain/calendar"
)

// shard is constant: there is one writer at a time.
func (sqlite) shard() string { return "0" }

func (sqlite) instant(m dbTime) any {
	if m.IsZero() {
		return nil
	}
	return m.UnixMicro()
}

func (sqlite) date(d calendar.Date) any { return d.String() }

func (d sqlite) transact(
	ctx context.Context, db *bun.DB, first []step, fn func(context.Context, *transaction) ([]step, error),
) error {
	if err := d.written.prepare(ctx, db.DB); err != nil {
		return err
	}
	return db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		run := func(ctx context.Context, steps ...step) error {
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
		last, err := fn(ctx, &transaction{IDB: tx, run: run, copy: copied})
		if err != nil {
			return err
		}
		if err := run(ctx, last...); err != nil {
			return err
		}
		return d.file.check() // commits into a file that was moved are lost to the next start
	})
}

func (d sqlite) transactAll(ctx context.Context, db *bun.DB, steps []step) error {
	return d.transact(ctx, db, steps, func(context.Context, *transaction) ([]step, error) { return nil, nil })
}

func (sqlite) newest(table string) string { return "(SELECT MAX(id) FROM " + table + ")" }

func (sqlite) mustMatch(statement string, columns ...string) string {
	return statement + " RETURNING " + strings.Join(columns, ", ") + ", 1"
}

func (sqlite) mustFind(query string) string { return query }

// unlessMissed is empty: no step runs after one that misses.
func (sqlite) unlessMissed() string { return "" }

func (sqlite) values(row string) string { return "VALUES (" + row + ")" }

func (d sqlite) run(ctx context.Context, tx *sql.Tx, s step) error {
	if s.row == nil && !s.mustMatch {
		var err error
		if kept := d.written.get(s); kept != nil {
			_, err = tx.StmtContext(ctx, kept).ExecContext(ctx, s.args...)
		} else {
			_, err = tx.ExecContext(ctx, s.statement, s.args...)
		}
		return err
	}
	query := func() (*sql.Rows, error) { return tx.QueryContext(ctx, s.statement, s.args...) }
	if kept := d.written.get(s); kept != nil {
		query = func() (*sql.Rows, error) { return tx.StmtContext(ctx, kept).QueryContext(ctx, s.args...) }
	}
	rows, err := query()
	if err != nil {
		return err
	}
	found := false
	err = scanAll(rows, func(scan func(...any) error) error {
		if found = true; s.row == nil {
			return nil
		}
		return s.row(scan)
	})
	if err != nil {
		return err
	}
	if s.mustMatch && !found {
		return cmp.Or(s.missed, errMissed)
	}
	return nil
}

// rowsAtOnce lists the numbers of rows per insertion, so that few statement texts are
// kept.
var rowsAtOnce = []int{64, 8, 1}

// insertions returns steps that add the rows to the table, in order.
func insertions(table string, columns []string, rows [][]any) (steps []step) {
	one := "(" + strings.Repeat("?, ", len(columns)-1) + "?)"
	for _, size := range rowsAtOnce {
		text := "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES " + strings.Repeat(one+", ", size-1) + one
		for ; len(rows) >= size; rows = rows[size:] {
			steps = append(steps, step{statement: text, args: slices.Concat(rows[:size]...)})
		}
	}
	return steps
}

// writtenStatements keeps the prepared statements of transactions by their text. A
// transaction holds the only connection, so nothing can be prepared while it runs:
// missing statements are prepared before the next one.
type writtenStatements struct {
	mu         sync.Mutex
	kept       map[string]*sql.Stmt
	unprepared map[string]bool
}

func (w *writtenStatements) get(s step) *sql.Stmt {
	w.mu.Lock()
	defer w.mu.Unlock()
	kept := w.kept[s.statement]
	if kept == nil && !s.built {
		w.unprepared[s.statement] = true
	}
	return kept
}

// prepare prepares the statements that were missing.
func (w *writtenStatements) prepare(ctx context.Context, db *sql.DB) error {
	for _, text := range w.due() {
		made, err := db.PrepareContext(ctx, text)
		if err != nil {
			return err
		}
		w.mu.Lock()
		w.kept[text] = made
		w.mu.Unlock()
	}
	return nil
}

func (w *writtenStatements) due() (texts []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for text := range w.unprepared {
		texts = append(texts, text)
	}
	clear(w.unprepared)
	return texts
}
