package bunstore

import (
	"context"
	"fmt"

	"plaza/domain/feed"
)

// totals compares the totals of each kind with the listings.
func (c check) totals(ctx context.Context) error {
	for _, shelf := range c.checkSources() {
		if shelf.kind == feed.Xfile { // which has none
			continue
		}
		var is, should int64
		err := c.read(ctx, func(ctx context.Context) (err error) {
			is, should, err = c.totalOf(ctx, c.dialect.query, shelf.kind)
			return err
		})
		if err == nil && is != should {
			err = c.recountTotal(ctx, shelf.kind)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// totalOf returns the total and the value that it should have, as of one moment.
func (c check) totalOf(ctx context.Context, run func(context.Context, ...step) error, kind feed.Kind) (is, should int64, err error) {
	err = run(ctx, step{statement: c.sql.compareTotal, args: []any{string(kind)}, row: func(scan func(...any) error) error { return scan(&is, &should) }})
	return is, should, err
}

// recountTotal adds the difference. Concurrent writers add to the same sum, so only
// other recounts must be excluded.
func (c check) recountTotal(ctx context.Context, kind feed.Kind) error {
	return c.inspect(ctx, func(ctx context.Context, tx *transaction) (string, error) {
		if err := c.dialect.lock(ctx, tx, "total of "+string(kind)); err != nil {
			return "", err
		}
		is, should, err := c.totalOf(ctx, tx.run, kind)
		if err != nil || is == should {
			return "", err
		}
		tx.changes.total(kind, should-is)
		return fmt.Sprintf("total of %s is %d; should be %d", kind, is, should), nil
	})
}
