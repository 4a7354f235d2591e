package bunstore

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/instant"
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

// lockStep returns the step that only locks, or none if the statement is empty: there is one writer
// at a time.
func lockStep(statement string, args ...any) []engine.Step {
	if statement == "" {
		return nil
	}
	return []engine.Step{{Statement: statement, Args: args, ReadsOnly: true}}
}

// exec runs a query of bun in its own transaction.
func (s *Store) exec(ctx context.Context, query fmt.Stringer) error {
	return s.writeAll(ctx, []engine.Step{engine.Built(query)})
}

// remove deletes a row in its own transaction, and returns missed if the row does not exist.
func (s *Store) remove(ctx context.Context, query *bun.DeleteQuery, missed error) error {
	step := engine.Built(query.Returning("1"))
	step.MustMatch, step.Missed = true, missed
	return s.writeAll(ctx, []engine.Step{step})
}

// claim returns at most limit rows whose time in the column is now or past, the earliest first, and moves it to next. It
// skips rows that another transaction has locked. The rows have the former time.
func claim[R, K any](
	ctx context.Context, s *Store, column, key string, keyOf func(R) K, now, next time.Time, limit int,
) (rows []R, err error) {
	if limit <= 0 { // bun takes zero for no limit
		return nil, nil
	}
	err = s.Transact(ctx, s.Limit, nil, func(ctx context.Context, tx *engine.Transaction) ([]engine.Step, error) {
		rows = nil
		query := tx.NewSelect().Model(&rows).Where("? <= ?", bun.Ident(column), engine.At(instant.Normalise(now))).
			Order(column, key).Limit(int64(limit))
		if err := s.Locking(query, "UPDATE SKIP LOCKED").Scan(ctx); err != nil || len(rows) == 0 {
			return nil, err
		}
		return []engine.Step{engine.Built(tx.NewUpdate().Model((*R)(nil)).
			Set("? = ?", bun.Ident(column), engine.At(instant.Normalise(next))).
			Where("? IN (?)", bun.Ident(key), bun.List(engine.Mapped(rows, keyOf))))}, nil
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}
