package engine

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"plaza/domain/instant"
)

// Claim returns at most limit rows whose time in the column is now or past, the earliest first, and moves it to next by the
// statement, whose parameters are the keys and the time. It skips rows that another transaction has locked. The rows have the former
// time.
func Claim[R, K any](
	ctx context.Context, s *DB, column, key string, keyOf func(R) K, postpone Text, now, next time.Time, limit int,
) (rows []R, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		ctx := tx.Context()
		rows = nil
		query := tx.NewSelect().Model(&rows).Where("? <= ?", bun.Ident(column), At(instant.Normalise(now))).Order(column, key)
		if err := s.Locking(Limited(query, limit), "UPDATE SKIP LOCKED").Scan(ctx); err != nil || len(rows) == 0 {
			return err
		}
		tx.Queue(s.Pick(postpone), Mapped(rows, keyOf), instant.Normalise(next))
		return nil
	})
	return rows, err
}
