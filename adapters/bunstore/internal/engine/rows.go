package engine

import (
	"cmp"
	"context"
	"database/sql"
	"reflect"

	"github.com/jackc/pgx/v5/pgtype/zeronull"
	"github.com/uptrace/bun/schema"

	"plaza/domain/page"
)

// All runs a hot read, and returns its rows as models of bun: the value of each column is in the field that
// has the column's name. bindArgs says which arguments it takes.
func All[R any](ctx context.Context, s *DB, statement string, args ...any) (rows []R, err error) {
	read := Rows(s, &rows, statement, args...)
	err = s.ReadRows(ctx, func() { rows = nil }, read)
	return rows, err
}

// One is All for the only row. It returns missing if no row is found.
func One[R any](ctx context.Context, s *DB, missing error, statement string, args ...any) (row R, err error) {
	rows, err := All[R](ctx, s, statement, args...)
	if err != nil || len(rows) == 0 {
		return row, cmp.Or(err, missing)
	}
	return rows[0], nil
}

// PageOf is All for a page of a list. Each row carries the total; see PageRow.
func PageOf[R interface{ total() int }](
	ctx context.Context, s *DB, r page.Request, key func(R) page.Cursor, statement string, args ...any,
) (page.Page[R], error) {
	rows, err := All[R](ctx, s, statement, args...)
	return pageOf(r, rows, key, err)
}

// Rows returns a hot read that appends its rows to the list.
func Rows[R any](s *DB, into *[]R, statement string, args ...any) Step {
	return Each(s, func(row *R) error {
		*into = append(*into, *row)
		return nil
	}, statement, args...)
}

// Each returns a hot read that passes each of its rows to fn, which must not keep the pointer.
func Each[R any](s *DB, fn func(row *R) error, statement string, args ...any) Step {
	step := Step{Statement: statement, Args: bindArgs(s.Dialect, args)}
	scanInto(s, &step, fn)
	return step
}

// Found makes the statement of a transaction pass each of its rows to fn, as Each does.
func Found[R any](tx *Tx, step *Step, fn func(row *R) error) { scanInto(tx.s, step, fn) }

// scanInto makes the step scan its rows into one R after the other.
func scanInto[R any](s *DB, step *Step, fn func(row *R) error) {
	var row R
	var targets []any
	step.columns = func(names func() ([]string, error)) error {
		plan, err := planOf(s, reflect.TypeFor[R](), step.Statement, names)
		targets = Mapped(plan, func(target func(reflect.Value) any) any { return target(reflect.ValueOf(&row).Elem()) })
		return err
	}
	step.Row = func(scan Scanner) error {
		row = *new(R) // no memory is shared with the row before
		if err := scan(targets...); err != nil {
			return err
		}
		return fn(&row)
	}
}

// scanPlan has the target of each column of a statement, for a model.
type scanPlan []func(row reflect.Value) any

// scanKey is what a plan is kept for. The number of plans is bounded: statements are constants.
type scanKey struct {
	model     reflect.Type
	statement string
}

func planOf(s *DB, model reflect.Type, statement string, columns func() ([]string, error)) (scanPlan, error) {
	if plan, is := s.scanPlans.Load(scanKey{model, statement}); is {
		return plan.(scanPlan), nil
	}
	names, err := columns()
	if err != nil {
		return nil, err
	}
	table := s.Writer.Table(model)
	plan := make(scanPlan, len(names))
	for i, name := range names {
		field, err := table.Field(name)
		if err != nil {
			return nil, err
		}
		plan[i] = targetOf(s.Dialect, field)
	}
	s.scanPlans.Store(scanKey{model, statement}, plan)
	return plan, nil
}

// kindsOf are the types by which both drivers know numbers and texts best: to convert a pointer saves them a slow lookup.
// zeroKinds are those of fields that are zero for NULL; zeronull has none for an int.
var (
	scanner = reflect.TypeFor[sql.Scanner]()
	kindsOf = map[reflect.Kind]reflect.Type{
		reflect.Int: reflect.TypeFor[*int](), reflect.Int64: reflect.TypeFor[*int64](), reflect.String: reflect.TypeFor[*string](),
	}
	zeroKinds = map[reflect.Kind]reflect.Type{
		reflect.Int64: reflect.TypeFor[*zeronull.Int8](), reflect.String: reflect.TypeFor[*zeronull.Text](),
	}
)

// targetOf returns what scans into the field.
func targetOf(d Dialect, field *schema.Field) func(row reflect.Value) any {
	kinds, pointer := kindsOf, reflect.PointerTo(field.StructField.Type)
	if field.NullZero {
		kinds = zeroKinds
	}
	into := kinds[field.StructField.Type.Kind()]
	switch {
	case field.Tag.HasOption("array"):
		return func(row reflect.Value) any { return d.List(field.Value(row).Addr().Interface()) }
	case into == nil || pointer.Implements(scanner):
		into = pointer
	}
	return func(row reflect.Value) any { return field.Value(row).Addr().Convert(into).Interface() }
}
