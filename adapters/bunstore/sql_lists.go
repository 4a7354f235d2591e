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

// readPage reads a page by a statement whose rows begin with the total. reader returns
// the function that scans a row. A page without rows is the only page or past the last;
// the total has no effect then.
func readPage[R any](
	ctx context.Context, s *Store, r page.Request, statement string, args []any, reader func(total *int) func(scanner) (R, error),
) (page.Page[R], error) {
	var items []R
	var total int
	read := reader(&total)
	err := s.read(ctx, func(ctx context.Context) error {
		items, total = make([]R, 0, r.Size()), 0
		return s.each(ctx, statement, args, func(scan func(...any) error) error {
			item, err := read(scan)
			items = append(items, item)
			return err
		})
	})
	if err != nil {
		return page.Page[R]{}, err
	}
	return page.Of(r, items, total)
}
