package bunstore

import (
	"context"
	"errors"
	"time"
)

// Finding is an inconsistency in the database.
type Finding struct {
	What     string
	Repaired bool
}

// checkBatch is the number of rows per batch.
const checkBatch = 500

// checkLimit is how long one statement of a check may take.
const checkLimit = 10 * time.Minute

// check is one run of Check. A row that looks wrong is locked and checked again, so
// that concurrent writes cause no false findings.
type check struct {
	*Store
	repair bool
	found  func(Finding)
}

// Check verifies all derived data (listings, counters, totals and tiles) and that stored
// values can be read, and reports what it finds. With repair it rebuilds derived data.
// Servers may keep running.
func (s *Store) Check(ctx context.Context, repair bool, found func(Finding)) error {
	patient := &Store{db: s.db, reader: s.reader, dialect: s.dialect, hot: s.hot, sql: s.sql, limit: checkLimit, log: s.log}
	c := check{Store: patient, repair: repair, found: found}
	problems, err := s.dialect.integrity(ctx, s.reader)
	if err != nil {
		return s.explain(ctx, err)
	}
	for _, p := range problems {
		found(Finding{What: p})
	}
	for _, part := range []func(context.Context) error{
		c.listings, c.removeOrphans, c.counters, c.totals, c.tiles, c.discussions, c.images, c.pictureTotals,
	} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// errDryRun rolls back a repair that was not requested.
var errDryRun = errors.New("no repair requested")

// inspect calls fn, which repairs an inconsistency and returns its description, or "".
func (c check) inspect(ctx context.Context, fn func(ctx context.Context, tx *transaction) (what string, err error)) error {
	var what string
	err := c.write(ctx, func(ctx context.Context, tx *transaction) (err error) {
		if what, err = fn(ctx, tx); err == nil && !c.repair {
			err = errDryRun
		}
		return err
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	if err == nil && what != "" {
		c.found(Finding{What: what, Repaired: c.repair})
	}
	return err
}
