package bunstore

import (
	"context"
	"errors"
	"time"
)

// Finding is something that is not as it must be.
type Finding struct {
	What     string
	Repaired bool
}

// checkBatch is how many rows are looked at together.
const checkBatch = 500

// checkLimit is how long one statement of a check may take; there is no hurry.
const checkLimit = 10 * time.Minute

// check is one run of Check. Whatever looks wrong while servers write is looked at
// again with its row locked, so that only what is wrong is told.
type check struct {
	*Store
	repair bool
	found  func(Finding)
}

// Check looks through all that is derived from something else (what is listed,
// counted and summed up) and through what must be readable, and tells what it
// finds. With repair, what can be made anew is made anew. Servers may go on
// meanwhile.
func (s *Store) Check(ctx context.Context, repair bool, found func(Finding)) error {
	if err := s.guard.Check(); err != nil {
		return err
	}
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
		c.listings, c.strays, c.counters, c.totals, c.discussions, c.images,
	} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// errOnlyLooking undoes what was mended, when nothing is to be.
var errOnlyLooking = errors.New("nothing is to be repaired")

// look calls fn, which mends something if it is wrong and says what was.
func (c check) look(ctx context.Context, fn func(ctx context.Context, tx *transaction) (what string, err error)) error {
	var what string
	err := c.write(ctx, func(ctx context.Context, tx *transaction) (err error) {
		if what, err = fn(ctx, tx); err == nil && !c.repair {
			err = errOnlyLooking
		}
		return err
	})
	if errors.Is(err, errOnlyLooking) {
		err = nil
	}
	if err == nil && what != "" {
		c.found(Finding{What: what, Repaired: c.repair})
	}
	return err
}
