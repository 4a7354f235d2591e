package engine

import (
	"context"

	"github.com/uptrace/bun"

	"plaza/domain/page"
)

// PageRow is embedded in rows that are read by page: each row carries the total.
type PageRow struct {
	Total int `bun:",scanonly"`
}

func (c PageRow) total() int { return c.Total }

// pageOf returns the page with the rows. A page without rows is the only page or past the last; the total has no
// effect then.
func pageOf[R interface{ total() int }](r page.Request, rows []R, err error) (p page.Page[R], _ error) {
	switch {
	case err != nil:
		return p, err
	case len(rows) == 0:
		return page.Of(r, rows, 0)
	}
	return page.Of(r, rows, rows[0].total())
}

// ListPage reads a page of the filtered rows, in order, and the total, in one statement.
func ListPage[R interface{ total() int }](
	ctx context.Context, s *DB, r page.Request, filter func(*bun.SelectQuery) *bun.SelectQuery, order string,
) (page.Page[R], error) {
	rows, err := SelectAll[R](ctx, s, func(query *bun.SelectQuery) *bun.SelectQuery {
		count := filter(s.Reader.NewSelect().Model((*R)(nil)).ColumnExpr("COUNT(*)"))
		return filter(query).ColumnExpr("?TableColumns").ColumnExpr("(?) AS total", count).
			OrderExpr(order).Limit(int64(r.Size())).Offset(int64(r.Offset()))
	})
	return pageOf(r, rows, err)
}

// WhereSet adds the condition that the column has the value, unless it is zero.
func WhereSet[T comparable](query *bun.SelectQuery, column string, value T) *bun.SelectQuery {
	if value == *new(T) {
		return query
	}
	return query.Where("? = ?", bun.Ident(column), value)
}

// SelectAll returns the rows of a model that the query selects.
func SelectAll[R any](ctx context.Context, s *DB, query func(*bun.SelectQuery) *bun.SelectQuery) (rows []R, err error) {
	err = s.Read(ctx, func(ctx context.Context) error {
		rows = nil
		return query(s.Reader.NewSelect().Model(&rows)).Scan(ctx)
	})
	return rows, err
}

// SelectOne returns the row of a model that satisfies the condition, or the given fault.
func SelectOne[R any](ctx context.Context, s *DB, notFound error, condition string, args ...any) (row R, err error) {
	err = s.Read(ctx, func(ctx context.Context) error {
		return OrNotFound(s.Reader.NewSelect().Model(&row).Where(condition, args...).Scan(ctx), notFound)
	})
	return row, err
}

// Limited limits the rows of the query; zero or less is none. Limit of bun takes zero for no limit.
func Limited(query *bun.SelectQuery, limit int) *bun.SelectQuery {
	if limit <= 0 {
		query = query.Where("FALSE")
	}
	return query.Limit(int64(max(limit, 0)))
}

// ReadRow runs a hot read, and scans its row into the targets. Without a row it leaves them alone.
func (s *DB) ReadRow(ctx context.Context, statement string, args []any, targets ...any) error {
	return s.ReadRows(ctx, Step{Statement: statement, Args: args, Row: Into(targets...)}, func() {})
}

// ReadRows runs a hot read. reset is called before each try.
func (s *DB) ReadRows(ctx context.Context, read Step, reset func()) error {
	return s.Read(ctx, func(ctx context.Context) error {
		reset()
		return s.Dialect.Query(ctx, read)
	})
}
