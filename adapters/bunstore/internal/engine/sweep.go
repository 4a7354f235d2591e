package engine

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

// Expired selects the rows of a table whose time, in an indexed column, is at or before
// an instant.
type Expired struct {
	Table string
	Key   []string // the columns of its primary key
	Time  string
	By    any // a Time, or microseconds since 1970
}

// SweepSometimes removes some expired rows after one in sweepOdds writes.
func (s *DB) SweepSometimes(ctx context.Context, rows ...Expired) {
	if s.SweepDraw() == 0 {
		s.Sweep(ctx, rows...)
	}
}

// drawSweep returns zero once in sweepOdds calls.
func drawSweep() int { return rand.N(sweepOdds) }

// Sweep removes some of the expired rows. It skips rows that another transaction has
// locked, so it never waits and never takes part in a deadlock. No caller depends on
// it, so errors are only logged.
func (s *DB) Sweep(ctx context.Context, rows ...Expired) {
	began := time.Now()
	err := s.Transact(ctx, s.Limit, nil, func(ctx context.Context, tx *Transaction) ([]Step, error) {
		for _, r := range rows {
			oldest := tx.NewSelect().Table(r.Table).Column(r.Key...).
				Where("? <= ?", bun.Ident(r.Time), r.By).OrderBy(r.Time, bun.OrderAsc).Limit(sweepMost)
			if s.Dialect.ForUpdate() != "" {
				oldest = oldest.For("UPDATE SKIP LOCKED")
			}
			names := make([]bun.Ident, len(r.Key))
			for i, name := range r.Key {
				names[i] = bun.Ident(name)
			}
			if _, err := tx.NewDelete().Table(r.Table).Where("(?) IN (?)", bun.List(names), oldest).Exec(ctx); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	if ctx.Err() != nil {
		return
	}
	s.swept(began, err)
	if err != nil {
		s.log.Warn("expired rows not removed; a later write will retry", "table", rows[0].Table, "error", err)
	}
}
