package bunstore

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// transaction is an open transaction. Queries built by bun use IDB.
type transaction struct {
	bun.IDB
	// run runs the steps in order, in one round trip where the database supports it. A
	// miss does not undo the writes of earlier calls, or of steps before it; only an error
	// from the transaction's function does. So among the steps that this function returns
	// only the first may have to match, and only if nothing was written before.
	run func(ctx context.Context, steps ...step) error
	// copy adds the rows to the table faster than steps do.
	copy func(ctx context.Context, table string, columns []string, rows [][]any) error
	// changes are applied to the feed before the transaction commits.
	changes listingChanges
}

// step is a statement of a transaction, or a hot read. Unless it is built, its text is
// constant and its parameters are bound, so that the database can keep it prepared.
type step struct {
	statement string
	args      []any
	row       func(scan func(...any) error) error // receives every row; nil ignores them
	mustMatch bool                                // without a row, the steps after it write nothing and all fail with missed
	missed    error                               // nil: errMissed
	readsOnly bool                                // it writes nothing; it may lock
	built     bool                                // bun has written numbers and times into the text: it is never kept prepared
}

// built returns a query of bun as a step. It panics if the query does not fit its model.
func built(query fmt.Stringer) step {
	statement, values := bind(query.String())
	return step{statement: statement, args: values, built: true}
}

// builtRead returns a query for whole rows of a model as a step, which passes every row to
// fn.
func builtRead[R any](query *bun.SelectQuery, fn func(R)) step {
	s := built(query.Model((*R)(nil)))
	fields := query.DB().Table(reflect.TypeFor[R]()).Fields
	s.row = func(scan func(...any) error) error {
		var row R
		targets := make([]any, len(fields))
		for i, field := range fields {
			targets[i] = fieldTarget{field, reflect.ValueOf(&row).Elem()}
		}
		if err := scan(targets...); err != nil {
			return err
		}
		fn(row)
		return nil
	}
	return s
}

// fieldTarget scans into a field of a model, as bun does.
type fieldTarget struct {
	field *schema.Field
	row   reflect.Value
}

func (t fieldTarget) Scan(src any) error { return t.field.ScanValue(t.row, src) }

// errMissed reports that a step that must match returned no row.
var errMissed = errors.New("a step that must match found no row")

// stepStatements are the statements of constant text that are not hot reads: the steps
// of transactions, and other reads.
type stepStatements struct {
	eventSteps
	tokenSteps
	listingSteps
	tileSteps
	importSteps
	checkSteps
	howToSteps
	imageSteps
	rateLimitSteps
	quotaSteps
	throttleSteps
	keySteps
	telemetrySteps
	personalSteps
}

func newStepStatements(d dialect) stepStatements {
	return stepStatements{
		eventSteps: newEventSteps(d), tokenSteps: newTokenSteps(d), listingSteps: newListingSteps(d), tileSteps: newTileSteps(), importSteps: newImportSteps(d),
		checkSteps: newCheckSteps(d), howToSteps: newHowToSteps(d), imageSteps: newImageSteps(d),
		rateLimitSteps: newRateLimitSteps(d), quotaSteps: newQuotaSteps(d), throttleSteps: newThrottleSteps(d),
		keySteps:       newKeySteps(d),
		telemetrySteps: newTelemetrySteps(d),
		personalSteps:  newPersonalSteps(d),
	}
}

// write calls fn in a transaction. If fn succeeds, write applies the listing changes
// and commits. fn may run several times, so it must reset everything that it sets
// outside.
func (s *Store) write(ctx context.Context, fn func(ctx context.Context, tx *transaction) error) error {
	return s.writeWithin(ctx, s.limit, nil, fn)
}

// writeWithin is write within a time limit, with steps that begin the transaction.
func (s *Store) writeWithin(
	ctx context.Context, limit time.Duration, first []step, fn func(ctx context.Context, tx *transaction) error,
) error {
	err := s.callWithin(ctx, limit, func(ctx context.Context) error {
		return s.dialect.transact(ctx, s.db, first, func(ctx context.Context, tx *transaction) ([]step, error) {
			if err := fn(ctx, tx); err != nil {
				return nil, err
			}
			return s.sql.stepsFor(tx.changes), nil
		})
	})
	return s.orThrottled(ctx, err)
}

// writeAll runs the steps in their own transaction. If one misses, none writes.
func (s *Store) writeAll(ctx context.Context, steps []step) error {
	err := s.call(ctx, func(ctx context.Context) error { return s.dialect.transactAll(ctx, s.db, steps) })
	return s.orThrottled(ctx, err)
}
