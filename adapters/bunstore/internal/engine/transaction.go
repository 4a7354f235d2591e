package engine

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// Transaction is an open transaction. Queries built by bun use IDB.
type Transaction struct {
	bun.IDB
	// Run runs the steps in order, in one round trip where the database supports it. A
	// miss does not undo the writes of earlier calls, or of steps before it; only an error
	// from the transaction's function does. So among the steps that this function returns
	// only the first may have to match, and only if nothing was written before.
	Run func(ctx context.Context, steps ...Step) error
	// Copy adds the rows to the table faster than steps do.
	Copy func(ctx context.Context, table string, columns []string, rows [][]any) error
}

// Step is a statement of a transaction, or a hot read. Unless it is built, its text is
// constant and its parameters are bound, so that the database can keep it prepared.
type Step struct {
	Statement string
	Args      []any
	Row       func(scan func(...any) error) error // receives every row; nil ignores them
	MustMatch bool                                // without a row, the steps after it write nothing and all fail with missed
	Missed    error                               // nil: errMissed
	ReadsOnly bool                                // it writes nothing; it may lock
	built     bool                                // bun has written numbers and times into the text: it is never kept prepared
}

// Built returns a query of bun as a step. It panics if the query does not fit its model.
func Built(query fmt.Stringer) Step {
	statement, values := bind(query.String())
	return Step{Statement: statement, Args: values, built: true}
}

// BuiltRead returns a query for whole rows of a model as a step, which passes every row to
// fn.
func BuiltRead[R any](query *bun.SelectQuery, fn func(R)) Step {
	s := Built(query.Model((*R)(nil)))
	fields := query.DB().Table(reflect.TypeFor[R]()).Fields
	s.Row = func(scan func(...any) error) error {
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

// ErrMissed reports that a step that must match returned no row.
var ErrMissed = errors.New("a step that must match found no row")

// Transact calls fn in a transaction that begins with the first steps, within a time limit. If fn
// succeeds, the steps that it returns are the last ones before the commit. fn may run several times,
// so it must reset everything that it sets outside.
func (s *DB) Transact(
	ctx context.Context, limit time.Duration, first []Step, fn func(ctx context.Context, tx *Transaction) ([]Step, error),
) error {
	joining := s.joining(ctx)
	if joining != nil {
		fn = joining.after(fn)
	}
	err := s.callWithin(ctx, limit, func(ctx context.Context) error { return s.Dialect.Transact(ctx, s.Writer, first, fn) })
	if joining != nil {
		joining.Ended(err == nil)
	}
	return err
}

// TransactAll runs the steps in their own transaction. If one misses, none writes.
func (s *DB) TransactAll(ctx context.Context, steps []Step) error {
	if joining := s.joining(ctx); joining != nil {
		fn := joining.after(func(context.Context, *Transaction) ([]Step, error) { return nil, nil })
		err := s.Call(ctx, func(ctx context.Context) error { return s.Dialect.Transact(ctx, s.Writer, steps, fn) })
		joining.Ended(err == nil)
		return err
	}
	return s.Call(ctx, func(ctx context.Context) error { return s.Dialect.TransactAll(ctx, s.Writer, steps) })
}

// Joining is what a store adds to one transaction.
type Joining struct {
	// Last returns the steps that the transaction ends with. It is called when all others have run, in each try of the
	// transaction. Its error rolls the transaction back.
	Last func() ([]Step, error)
	// Ended is called once, with whether the transaction has committed.
	Ended func(committed bool)
}

func (s *DB) joining(ctx context.Context) *Joining {
	if s.Joins == nil {
		return nil
	}
	return s.Joins(ctx)
}

// after returns the function of a transaction that ends with the steps of Last, behind those of fn.
func (j *Joining) after(fn func(context.Context, *Transaction) ([]Step, error)) func(context.Context, *Transaction) ([]Step, error) {
	return func(ctx context.Context, tx *Transaction) ([]Step, error) {
		steps, err := fn(ctx, tx)
		if err == nil {
			err = tx.Run(ctx, steps...)
		}
		if err != nil {
			return nil, err
		}
		return j.Last()
	}
}
