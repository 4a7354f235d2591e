package engine

import (
	"context"
	"errors"
	"time"
)

// Step is a statement of a transaction, or a hot read. Its text is constant and its parameters are bound, so that the
// database can keep it prepared.
type Step struct {
	Statement string
	Args      []any
	Row       func(scan func(...any) error) error // receives every row; nil ignores them
	MustMatch bool                                // without a row, the transaction fails with Missed
	Missed    error                               // nil: errMissed
	ReadsOnly bool
	columns   func(names []string) error // receives the names of the columns before the first row
}

// ErrMissed reports that a step that must match returned no row.
var ErrMissed = errors.New("a step that must match found no row")

// Transact is WriteWithin for a transaction that begins with the first steps. Those that fn returns are its last ones.
func (s *DB) Transact(
	ctx context.Context, limit time.Duration, first []Step, fn func(ctx context.Context, tx *Tx) ([]Step, error),
) error {
	return s.WriteWithin(ctx, limit, func(tx *Tx) error {
		if err := tx.Run(tx.ctx, first...); err != nil {
			return err
		}
		last, err := fn(tx.ctx, tx)
		tx.Add(last...)
		return err
	})
}

// TransactAll runs the steps in their own transaction. If one misses, none writes.
func (s *DB) TransactAll(ctx context.Context, steps []Step) error {
	return s.Write(ctx, func(tx *Tx) error {
		tx.Add(steps...)
		return nil
	})
}

// Joining is what a store adds to one transaction.
type Joining struct {
	// Last queues what the transaction ends with. It is called when all else has run, in each try of the transaction. Its
	// error rolls the transaction back.
	Last func(tx *Tx) error
	// Ended is called once, with whether the transaction has committed.
	Ended func(committed bool)
}

func (s *DB) joining(ctx context.Context) *Joining {
	if s.Joins == nil {
		return nil
	}
	return s.Joins(ctx)
}
