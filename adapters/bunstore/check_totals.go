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
			is, should, err = c.totalOf(ctx, c.reader.DB, shelf.kind)
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
func (c check) totalOf(ctx context.Context, db querier, kind feed.Kind) (is, should int64, err error) {
	rows, err := db.QueryContext(ctx, `SELECT (SELECT CAST(COALESCE(SUM(count), 0) AS bigint) FROM feed_totals WHERE kind = $1),
		(SELECT COUNT(*) FROM feed_listings WHERE kind = $1)`, string(kind))
	if err != nil {
		return 0, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(&is, &should); err != nil {
			return 0, 0, err
		}
	}
	return is, should, rows.Err()
}

// recountTotal adds the difference. Concurrent writers add to the same sum, so only
// other recounts must be excluded.
func (c check) recountTotal(ctx context.Context, kind feed.Kind) error {
	return c.inspect(ctx, func(ctx context.Context, tx *transaction) (string, error) {
		if err := c.dialect.lock(ctx, tx, "total of "+string(kind)); err != nil {
			return "", err
		}
		is, should, err := c.totalOf(ctx, tx.driver, kind)
		if err != nil || is == should {
			return "", err
		}
		tx.changes.total(kind, should-is)
		return fmt.Sprintf("total of %s is %d; should be %d", kind, is, should), nil
	})
}
