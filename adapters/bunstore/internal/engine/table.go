package engine

import (
	"strconv"
	"strings"
	"time"

	"plaza/domain/calendar"
	"plaza/domain/geo"
	"plaza/domain/media"
)

// column is a column of a table whose rows are the Rs. It is the only place that says
// how a field of an R is stored and read.
type column[R any] struct {
	name   string
	value  func(*R, Dialect) any // the parameter that stores the field
	target func(*R, Dialect) any // the scan target that reads the field
}

// Columns are columns of a table, in the order in which statements list, bind and scan
// them.
type Columns[R any] []column[R]

func (c Columns[R]) Names() []string {
	names := make([]string, len(c))
	for i, column := range c {
		names[i] = column.name
	}
	return names
}

// List returns the columns for a statement.
func (c Columns[R]) List() string { return strings.Join(c.Names(), ", ") }

// Of returns the columns of the table with the alias.
func (c Columns[R]) Of(alias string) string {
	return alias + "." + strings.Join(c.Names(), ", "+alias+".")
}

// Parameters returns as many parameters as columns, from $first on.
func (c Columns[R]) Parameters(first int) string {
	all := make([]string, len(c))
	for i := range c {
		all[i] = "$" + strconv.Itoa(first+i)
	}
	return strings.Join(all, ", ")
}

// Set returns the assignments of the parameters from $first on.
func (c Columns[R]) Set(first int) string {
	all := make([]string, len(c))
	for i, column := range c {
		all[i] = column.name + " = $" + strconv.Itoa(first+i)
	}
	return strings.Join(all, ", ")
}

// Values returns the parameters that store the row.
func (c Columns[R]) Values(r *R, d Dialect) []any {
	all := make([]any, len(c))
	for i, column := range c {
		all[i] = column.value(r, d)
	}
	return all
}

// Targets returns the scan targets that read the row, after those of other columns.
func (c Columns[R]) Targets(r *R, d Dialect, before ...any) []any {
	all := append(make([]any, 0, len(before)+len(c)+manyOthers), before...)
	for _, column := range c {
		all = append(all, column.target(r, d))
	}
	return all
}

// manyOthers is room for the targets that callers append.
const manyOthers = 4

// Reader returns a function that scans a row.
func (c Columns[R]) Reader(d Dialect) func(Scanner) (R, error) {
	return func(scan Scanner) (r R, err error) {
		err = scan(c.Targets(&r, d)...)
		return r, err
	}
}

// Table is a table whose first columns, the keys, identify a row.
type Table[R any] struct {
	Name string
	Keys int
	Columns[R]
}

// Among returns the query for the rows whose column has one of the values of the
// parameter.
func (t Table[R]) Among(d Dialect, column, parameter string) string {
	return "SELECT " + t.List() + " FROM " + t.Name + " WHERE " + d.Among(column, parameter)
}

// Update returns the statement that stores the values of an existing row, and also
// makes other assignments.
func (t Table[R]) Update(also string) string {
	return "UPDATE " + t.Name + " SET " + t.Columns[t.Keys:].Set(t.Keys+1) + also +
		" WHERE " + strings.ReplaceAll(t.Columns[:t.Keys].Set(1), ", ", " AND ")
}

// Plain returns a column of a type that the drivers know. Fields of other types are
// converted, which saves the driver a slow lookup.
func Plain[R any, T bool | int | int64 | string](name string, field func(*R) *T) column[R] {
	return column[R]{
		name:   name,
		value:  func(r *R, _ Dialect) any { return *field(r) },
		target: func(r *R, _ Dialect) any { return field(r) },
	}
}

// Optional returns a column whose zero is NULL.
func Optional[R any, T int64 | string](name string, field func(*R) *T) column[R] {
	return column[R]{
		name: name,
		value: func(r *R, _ Dialect) any {
			if value := *field(r); value != *new(T) {
				return value
			}
			return nil
		},
		target: func(r *R, _ Dialect) any {
			if text, is := any(field(r)).(*string); is {
				return OrZeroText[string]{text}
			}
			return OrZeroNumber[int64]{any(field(r)).(*int64)}
		},
	}
}

// Instant returns a column of instants.
func Instant[R any](name string, field func(*R) *time.Time) column[R] {
	return column[R]{
		name:   name,
		value:  func(r *R, d Dialect) any { return d.Instant(*field(r)) },
		target: func(r *R, _ Dialect) any { return IntoTime{field(r)} },
	}
}

// Day returns a column of dates.
func Day[R any](name string, field func(*R) *calendar.Date) column[R] {
	return column[R]{
		name:   name,
		value:  func(r *R, d Dialect) any { return d.date(*field(r)) },
		target: func(r *R, _ Dialect) any { return (*dbDate)(field(r)) },
	}
}

// Picture returns a column of pictures.
func Picture[R any](name string, field func(*R) *media.Picture) column[R] {
	return column[R]{
		name:   name,
		value:  func(r *R, _ Dialect) any { return Cover(*field(r)).NullIfZero() },
		target: func(r *R, _ Dialect) any { return (*Cover)(field(r)) },
	}
}

// List returns a column of lists of texts or numbers, which is never NULL.
func List[R, T any](name string, field func(*R) *[]T) column[R] {
	return column[R]{
		name:   name,
		value:  func(r *R, d Dialect) any { return d.ListOf(Filled(*field(r))) },
		target: func(r *R, d Dialect) any { return d.List(field(r)) },
	}
}

// Point returns the columns lat and lng, both of which are NULL without a point.
func Point[R any](field func(*R) **geo.Point) Columns[R] {
	degrees := func(name string, of func(*geo.Point) *float64) column[R] {
		return column[R]{
			name: name,
			value: func(r *R, _ Dialect) any {
				if p := *field(r); p != nil {
					return *of(p)
				}
				return nil
			},
			target: func(r *R, _ Dialect) any { return intoPoint{field(r), of} },
		}
	}
	return Columns[R]{
		degrees("lat", func(p *geo.Point) *float64 { return &p.Lat }),
		degrees("lng", func(p *geo.Point) *float64 { return &p.Lng }),
	}
}
