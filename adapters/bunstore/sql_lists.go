package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"plaza/domain/page"
)

// counted is part of rows that are read page by page: each tells how many there
// are in all.
type counted struct {
	Total int `bun:",scanonly"`
}

func (c counted) total() int { return c.Total }

// listPage reads a page of the rows that are wanted, in order, and their number,
// in one statement. A page without rows is the only one, or past the last:
// either way nothing depends on the number then.
func listPage[R interface{ total() int }](
	ctx context.Context, s *Store, r page.Request, wanted func(*bun.SelectQuery) *bun.SelectQuery, order string,
) (p page.Page[R], err error) {
	err = s.read(ctx, func(ctx context.Context) error {
		var rows []R
		all := wanted(s.reader.NewSelect().Model((*R)(nil)).ColumnExpr("COUNT(*)"))
		err := wanted(s.reader.NewSelect().Model(&rows)).
			ColumnExpr("?TableColumns").ColumnExpr("(?) AS total", all).
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
