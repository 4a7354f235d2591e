package bunstore

import (
	"context"
	"errors"
	"time"

	"github.com/uptrace/bun"
)

// transaction is one, under way. What is built by bun goes through IDB.
type transaction struct {
	bun.IDB
	// driver takes queries whose parameters are the driver's.
	driver querier
	// run runs the steps in their order, in one round trip where the database has
	// any. A step that must is the first. When it misses, what was written before is
	// undone only by an error of what runs in the transaction: so it is among the last
	// steps only where nothing was written.
	run func(ctx context.Context, steps ...step) error
	// copy adds the rows to the table, faster than steps could.
	copy func(ctx context.Context, table string, columns []string, rows [][]any) error
	// changes are what must be done to the feed before the transaction ends.
	changes listingChanges
}

// step is a statement of a transaction, or a hot read: always of the same text, with
// bound parameters, so that the database keeps it for the next time.
type step struct {
	statement string
	args      []any
	row       func(scan func(...any) error) error // given every row that comes back; nil: none is wanted
	must      bool                                // come back with a row, else those behind it write nothing, and all fail with errMissed
	sure      bool                                // always comes back with a row
}

// errMissed says that a step that must has not come back with a row.
var errMissed = errors.New("a step has found nothing")

// errUnsure says that a step has found nothing that always finds its row.
var errUnsure = errors.New("a row is gone that the transaction has locked")

// stepStatements are the statements of all steps.
type stepStatements struct {
	eventSteps
	tokenSteps
	listingSteps
	intakeSteps
	ledgerSteps
}

func newStepStatements(d dialect) stepStatements {
	return stepStatements{
		eventSteps: newEventSteps(d), tokenSteps: newTokenSteps(d), listingSteps: newListingSteps(d), intakeSteps: newIntakeSteps(d),
		ledgerSteps: newLedgerSteps(d),
	}
}

// write calls fn in a transaction, which is committed when fn succeeds, with what
// fn has put into the books. fn may run several times, so whatever it leaves
// outside must be set anew each time.
func (s *Store) write(ctx context.Context, fn func(ctx context.Context, tx *transaction) error) error {
	return s.writeWithin(ctx, s.limit, fn)
}

func (s *Store) writeWithin(ctx context.Context, limit time.Duration, fn func(ctx context.Context, tx *transaction) error) error {
	return s.callWithin(ctx, limit, func(ctx context.Context) error {
		return s.dialect.transact(ctx, s.db, func(ctx context.Context, tx *transaction) ([]step, error) {
			if err := fn(ctx, tx); err != nil {
				return nil, err
			}
			return s.sql.stepsOf(tx.changes), nil
		})
	})
}

// writeAll runs the steps in a transaction of nothing else.
func (s *Store) writeAll(ctx context.Context, steps []step) error {
	return s.call(ctx, func(ctx context.Context) error { return s.dialect.transactAll(ctx, s.db, steps) })
}

// insert adds an event by the first step, which comes back with its number, and runs
// the steps that others returns for it, in a transaction of nothing else. Others may be
// called several times, and before the number is known.
func (s *Store) insert(ctx context.Context, first step, others func(id int64) ([]step, error)) (id int64, err error) {
	err = s.call(ctx, func(ctx context.Context) (err error) {
		id, err = s.dialect.insert(ctx, s.db, first, others)
		return err
	})
	return id, err
}
