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
				if err := d.run(ctx, own.Tx, step); err != nil {
					return err
				}
			}
			return nil
		}
		tx.copy = func(table string, columns []string, rows [][]any) error {
			return tx.send(insertions(table, columns, rows))
		}
		if err := tx.orFailed(fn(tx)); err != nil {
			return err
		}
		return tx.Send()
	})
}

func (d SQLite) run(ctx context.Context, tx *sql.Tx, s *Step) error {
	statement := withoutLock(s.Statement)
	prepared, err := d.preparedIn(ctx, tx, statement)
	if err != nil {
		return err
	}
	defer prepared.Close()
	if s.Row != nil || returnsRows(statement) {
		return s.query(ctx, prepared)
	}
	n, err := Written(prepared.ExecContext(ctx, s.Args...))
	return cmp.Or(err, s.matched(n))
}

// withoutLock returns the statement without its last line if that locks rows, which a transaction of the only writer need not.
func withoutLock(statement string) string {
	if i := strings.LastIndexByte(statement, '\n'); i >= 0 && strings.HasPrefix(strings.TrimSpace(statement[i:]), "FOR ") {
		return statement[:i]
	}
	return statement
}

// returnsRows reports whether the statement finds rows, rather than only writes them.
func returnsRows(statement string) bool {
	return strings.HasPrefix(strings.TrimSpace(statement), "SELECT") || strings.Contains(statement, "RETURNING")
}

// rowsAtOnce lists the numbers of rows per insertion, so that few statement texts are
// kept.
var rowsAtOnce = []int{64, 8, 1}

// insertions returns steps that add the rows to the table, in order.
func insertions(table string, columns []string, rows [][]any) (steps []*Step) {
	one := "(" + strings.Repeat("?, ", len(columns)-1) + "?)"
	for _, size := range rowsAtOnce {
		text := "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES " + strings.Repeat(one+", ", size-1) + one
		for ; len(rows) >= size; rows = rows[size:] {
			steps = append(steps, &Step{Statement: text, Args: slices.Concat(rows[:size]...)})
		}
	}
	return steps
}
