package bunstore

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/uptrace/bun"

	"plaza/domain/instant"
)

const (
	// sweepOdds is one in how many writes removes what has expired.
	sweepOdds = 16
	// sweepMost bounds the rows that one of them removes from a table: more than so many
	// writes add, little enough that no reader notices.
	sweepMost = 1000
)

// expired are the rows of a table whose time, in an indexed column, has come by an instant.
type expired struct {
	table string
	key   []string // the columns of its primary key
	time  string
	by    time.Time
}

// sometimes removes some of the expired rows, after one in sweepOdds writes.
func (s *Store) sometimes(ctx context.Context, rows ...expired) {
	if s.chance() == 0 {
		s.sweep(ctx, rows...)
	}
}

// sweepChance is zero once in sweepOdds.
func sweepChance() int { return rand.N(sweepOdds) }

// sweep removes some of the expired rows. It passes over rows that another transaction
// holds: it never waits, and so is in no cycle of locks. No caller depends on it, so an
// error is logged alone.
func (s *Store) sweep(ctx context.Context, rows ...expired) {
	err := s.write(ctx, func(ctx context.Context, tx *transaction) error {
		for _, r := range rows {
			oldest := tx.NewSelect().Table(r.table).Column(r.key...).
				Where("? <= ?", bun.Ident(r.time), dbTime{instant.Normalise(r.by)}).OrderBy(r.time, bun.OrderAsc).Limit(sweepMost)
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
	if err != nil && ctx.Err() == nil {
		s.log.Warn("expired rows could not be removed; a later write tries again", "table", rows[0].table, "error", err)
	}
}
