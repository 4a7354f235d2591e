package bunstore

import (
	"cmp"
	"context"
	"errors"
	"time"

	"plaza/adapters/bunstore/internal/engine"
)

// listedTransaction is a transaction with changes of the feed.
type listedTransaction struct {
	*engine.Transaction
	// changes are applied to the feed before the transaction commits.
	changes listingChanges
}

// write calls fn in a transaction. If fn succeeds, write applies the listing changes
// and commits. fn may run several times, so it must reset everything that it sets
// outside.
func (s *Store) write(ctx context.Context, fn func(ctx context.Context, tx *listedTransaction) error) error {
	return s.writeWithin(ctx, s.Limit, nil, fn)
}

// writeWithin is write within a time limit, with steps that begin the transaction.
func (s *Store) writeWithin(
	ctx context.Context, limit time.Duration, first []engine.Step, fn func(ctx context.Context, tx *listedTransaction) error,
) error {
	err := s.Transact(ctx, limit, first, func(ctx context.Context, t *engine.Transaction) ([]engine.Step, error) {
		tx := &listedTransaction{Transaction: t}
		if err := fn(ctx, tx); err != nil {
			return nil, err
		}
		return s.steps.stepsFor(tx.changes), nil
	})
	return s.orThrottled(ctx, err)
}

// writeAll runs the steps in their own transaction. If one misses, none writes.
func (s *Store) writeAll(ctx context.Context, steps []engine.Step) error {
	return s.orThrottled(ctx, s.TransactAll(ctx, steps))
}

// aggregate tells change how to load and save a T. Its row carries a revision.
type aggregate[T any] struct {
	// load returns the value and its revision. Within a transaction, which may be nil,
	// it locks the row first.
	load func(ctx context.Context, tx *engine.Transaction) (T, int64, error)
	// save stores the value if its revision is still the one that was loaded, and
	// reports whether it did.
	save func(ctx context.Context, tx *listedTransaction, old, next T, revision int64) (saved bool, err error)
}

// errConflict reports that another transaction changed the row.
var errConflict = errors.New("row changed concurrently")

// change loads a value, calls fn and stores the value that fn returns. fn must return a
// copy, because the loaded value is still needed. The last try locks the row first.
func change[T any](ctx context.Context, s *Store, a aggregate[T], fn func(T) (T, error)) (T, error) {
	for tries := s.Dialect.OptimisticTries(); ; tries-- {
		var old, next T
		var revision int64
		decide := func(ctx context.Context, tx *engine.Transaction) (err error) {
			if old, revision, err = a.load(ctx, tx); err != nil {
				return err
			}
			next, err = fn(old)
			return cmp.Or(err, ctx.Err())
		}
		if tries > 0 {
			if err := s.Read(ctx, func(ctx context.Context) error { return decide(ctx, nil) }); err != nil {
				return next, err
			}
		}
		err := s.write(ctx, func(ctx context.Context, tx *listedTransaction) error {
			if tries == 0 {
				if err := decide(ctx, tx.Transaction); err != nil {
					return err
				}
			}
			saved, err := a.save(ctx, tx, old, next, revision)
			if err == nil && !saved {
				return errConflict
			}
			return err
		})
		if tries == 0 || !errors.Is(err, errConflict) {
			return next, err
		}
	}
}
