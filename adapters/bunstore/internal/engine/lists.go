package engine

import (
	"context"
	"math"
	"time"

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
func pageOf[R interface{ total() int }](r page.Request, rows []R, key func(R) page.Cursor, err error) (p page.Page[R], _ error) {
	switch {
	case err != nil:
		return p, err
	case len(rows) == 0:
		return page.Of(r, rows, 0, key)
	}
	return page.Of(r, rows, rows[0].total(), key)
}

// Order is the order of a list that has cursors.
type Order[R any] struct {
	By     string                  // the columns of the key, the last of which decides
	Behind string                  // the condition that a row is behind a key
	Values func(page.Cursor) []any // of the condition
	Key    func(R) page.Cursor     // of a row
}

// Latest returns the order by a column of a time and one of ids, the latest first, or in the order of the span.
func Latest[R any](s *DB, span page.Span, at, id string, key func(R) page.Cursor) Order[R] {
	o := Order[R]{By: at + " DESC, " + id + " DESC", Behind: "(" + at + ", " + id + ") < (?, ?)"}
	if span.IsOldestFirst {
		o.By, o.Behind = at+", "+id, "("+at+", "+id+") > (?, ?)"
	}
	o.Key = page.Keys(span, key)
	o.Values = func(c page.Cursor) []any {
		c = span.Usual(c)
		return []any{s.Dialect.Instant(time.UnixMicro(c.Rank).UTC()), c.ID}
	}
	return o
}

// Within adds the condition that the time in the column is in the span.
func Within(query *bun.SelectQuery, column string, s page.Span) *bun.SelectQuery {
	if !s.From.IsZero() {
		query = query.Where("? >= ?", bun.Safe(column), At(s.From))
	}
	if !s.Until.IsZero() {
		query = query.Where("? < ?", bun.Safe(column), At(s.Until))
	}
	return query
}

// LatestID returns the order by ids, the greatest first, or in the order of the span.
func LatestID[R any](s page.Span, id func(R) int64) Order[R] {
	o := Order[R]{By: "id DESC", Behind: "id < ?", Values: func(c page.Cursor) []any { return []any{s.Usual(c).ID} }}
	if s.IsOldestFirst {
		o.By, o.Behind = "id", "id > ?"
	}
	o.Key = page.Keys(s, func(row R) page.Cursor { return page.Cursor{ID: id(row)} })
	return o
}

// ListPage reads a page of the filtered rows, in order, and the total, in one statement. Behind a cursor there is no total.
func ListPage[R interface{ total() int }](
	ctx context.Context, s *DB, r page.Request, filter func(*bun.SelectQuery) *bun.SelectQuery, order Order[R],
) (page.Page[R], error) {
	rows, err := SelectAll[R](ctx, s, func(query *bun.SelectQuery) *bun.SelectQuery {
		query = filter(query).ColumnExpr("?TableColumns").OrderExpr(order.By).Limit(int64(r.Limit())).Offset(int64(r.Offset()))
		switch {
		case !r.IsBehind():
			count := filter(s.Reader.NewSelect().Model((*R)(nil)).ColumnExpr("COUNT(*)"))
			query = query.ColumnExpr("(?) AS total", count)
		case r.After() != page.Cursor{}:
			query = query.Where(order.Behind, order.Values(r.After())...)
		}
		return query
	})
	return pageOf(r, rows, order.Key, err)
}

// Behind returns the time, the tie and the id that the rows of the page are behind. Those of a page that begins the list
// are greater than all.
func Behind(r page.Request) (at time.Time, tie, id int64) {
	if after := r.After(); after != (page.Cursor{}) {
		return time.UnixMicro(after.Rank).UTC(), after.Tie, after.ID
	}
	return FarFuture, FarFuture.UnixMicro(), math.MaxInt64
}

// Every time that is stored is behind FarPast and before FarFuture.
var (
	FarPast   = time.Date(999, 1, 1, 0, 0, 0, 0, time.UTC)
	FarFuture = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
)

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
	return s.ReadRows(ctx, func() {}, Step{Statement: statement, Args: args, Row: Into(targets...)})
}

// ReadRows runs hot reads, in one round trip where the database supports it. reset is called before each try.
func (s *DB) ReadRows(ctx context.Context, reset func(), reads ...Step) error {
	return s.Read(ctx, func(ctx context.Context) error {
		reset()
		return s.Dialect.Query(ctx, reads...)
	})
}
