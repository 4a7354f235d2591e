package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"plaza/domain/page"
)

// counted is embedded in rows that are read by page: each row carries the total.
type counted struct {
	Total int `bun:",scanonly"`
}

func (c counted) total() int { return c.Total }

// listPage reads a page of the filtered rows, in order, and the total, in one
// statement. A page without rows is the only page or past the last; the total has no
// effect then.
func listPage[R interface{ total() int }](
	ctx context.Context, s *Store, r page.Request, filter func(*bun.SelectQuery) *bun.SelectQuery, order string,
) (p page.Page[R], err error) {
	err = s.read(ctx, func(ctx context.Context) error {
		var rows []R
		count := filter(s.reader.NewSelect().Model((*R)(nil)).ColumnExpr("COUNT(*)"))
		err := filter(s.reader.NewSelect().Model(&rows)).
			ColumnExpr("?TableColumns").ColumnExpr("(?) AS total", count).
			OrderExpr(order).Limit(int64(r.Size())).Offset(int64(r.Offset())).Scan(ctx)
		if err != nil {
			return err
		}
		var total int
		if len(rows) > 0 {
			total = rows[0].total()
		}
		p, err = page.Of(r, rows, total)
		return err
	})
	return p, err
}

// scanner scans a row.
type scanner = func(...any) error

// collect returns a function that appends what read returns for each row.
func collect[R any](rows *[]R, read func(scanner) (R, error)) func(scanner) error {
	return func(scan scanner) error {
		row, err := read(scan)
		*rows = append(*rows, row)
		return err
	}
}

// readRows runs a hot read. reset is called before each try.
func (s *Store) readRows(ctx context.Context, read step, reset func()) error {
	return s.read(ctx, func(ctx context.Context) error {
		reset()
		return s.dialect.query(ctx, read)
	})
}

// readAll runs a hot read and returns what read returns for each row.
func readAll[R any](
	ctx context.Context, s *Store, statement string, args []any, read func(scanner) (R, error),
) (rows []R, err error) {
	hot := step{statement: statement, args: args, row: collect(&rows, read)}
	err = s.readRows(ctx, hot, func() { rows = nil })
	return rows, err
}

// readPage reads a page by a statement whose rows begin with the total. reader returns
// the function that scans a row. A page without rows is the only page or past the last;
// the total has no effect then.
func readPage[R any](
	ctx context.Context, s *Store, r page.Request, statement string, args []any, reader func(total *int) func(scanner) (R, error),
) (page.Page[R], error) {
	var total int
	items, err := readAll(ctx, s, statement, args, reader(&total))
	if err != nil {
		return page.Page[R]{}, err
	}
	return page.Of(r, items, total)
}
