package bunstore

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/uptrace/bun"
)

const (
	// sweepOdds is the average number of writes per sweep.
	sweepOdds = 16
	// sweepMost limits the rows that a sweep removes from a table: more than sweepOdds
	// writes add, and few enough that readers are not slowed.
	sweepMost = 1000
)

// expired selects the rows of a table whose time, in an indexed column, is at or before
// an instant.
type expired struct {
	table string
	key   []string // the columns of its primary key
	time  string
	by    any // a dbTime, or microseconds since 1970
}

// sweepSometimes removes some expired rows after one in sweepOdds writes.
func (s *Store) sweepSometimes(ctx context.Context, rows ...expired) {
	if s.sweepDraw() == 0 {
		s.sweep(ctx, rows...)
	}
}

// drawSweep returns zero once in sweepOdds calls.
func drawSweep() int { return rand.N(sweepOdds) }

// sweep removes some of the expired rows. It skips rows that another transaction has
// locked, so it never waits and never takes part in a deadlock. No caller depends on
// it, so errors are only logged.
func (s *Store) sweep(ctx context.Context, rows ...expired) {
	began := time.Now()
	err := s.write(ctx, func(ctx context.Context, tx *transaction) error {
		for _, r := range rows {
			oldest := tx.NewSelect().Table(r.table).Column(r.key...).
				Where("? <= ?", bun.Ident(r.time), r.by).OrderBy(r.time, bun.OrderAsc).Limit(sweepMost)
			if s.dialect.forUpdate() != "" {
				oldest = oldest.For("UPDATE SKIP LOCKED")
			}
			names := make([]bun.Ident, len(r.key))
			for i, name := range r.key {
				names[i] = bun.Ident(name)
			}
			if _, err := tx.NewDelete().Table(r.table).Where("(?) IN (?)", bun.List(names), oldest).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if ctx.Err() != nil {
		return
	}
	s.swept(began, err)
	if err != nil {
		s.log.Warn("expired rows not removed; a later write will retry", "table", rows[0].table, "error", err)
	}
}
