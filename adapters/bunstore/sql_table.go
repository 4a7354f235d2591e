package bunstore

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
	value  func(*R, dialect) any // the parameter that stores the field
	target func(*R, dialect) any // the scan target that reads the field
}

// columns are columns of a table, in the order in which statements list, bind and scan
// them.
type columns[R any] []column[R]

func (c columns[R]) names() []string {
	names := make([]string, len(c))
	for i, column := range c {
		names[i] = column.name
	}
	return names
}

// list returns the columns for a statement.
func (c columns[R]) list() string { return strings.Join(c.names(), ", ") }

// of returns the columns of the table with the alias.
func (c columns[R]) of(alias string) string {
	return alias + "." + strings.Join(c.names(), ", "+alias+".")
}

// parameters returns as many parameters as columns, from $first on.
func (c columns[R]) parameters(first int) string {
	all := make([]string, len(c))
	for i := range c {
		all[i] = "$" + strconv.Itoa(first+i)
	}
	return strings.Join(all, ", ")
}

// set returns the assignments of the parameters from $first on.
func (c columns[R]) set(first int) string {
	all := make([]string, len(c))
	for i, column := range c {
		all[i] = column.name + " = $" + strconv.Itoa(first+i)
	}
	return strings.Join(all, ", ")
}

// values returns the parameters that store the row.
func (c columns[R]) values(r *R, d dialect) []any {
	all := make([]any, len(c))
	for i, column := range c {
		all[i] = column.value(r, d)
	}
	return all
}

// targets returns the scan targets that read the row, after those of other columns.
func (c columns[R]) targets(r *R, d dialect, before ...any) []any {
	all := append(make([]any, 0, len(before)+len(c)+manyOthers), before...)
	for _, column := range c {
		all = append(all, column.target(r, d))
	}
	return all
}

// manyOthers is room for the targets that callers append.
const manyOthers = 4

// reader returns a function that scans a row.
func (c columns[R]) reader(d dialect) func(scanner) (R, error) {
	return func(scan scanner) (r R, err error) {
		err = scan(c.targets(&r, d)...)
		return r, err
	}
}

// table is a table whose first columns, the keys, identify a row.
type table[R any] struct {
	name string
	keys int
	columns[R]
}

// among returns the query for the rows whose column has one of the values of the
// parameter.
func (t table[R]) among(d dialect, column, parameter string) string {
	return "SELECT " + t.list() + " FROM " + t.name + " WHERE " + d.among(column, parameter)
}

// update returns the statement that stores the values of an existing row, and also
// makes other assignments.
func (t table[R]) update(also string) string {
	return "UPDATE " + t.name + " SET " + t.columns[t.keys:].set(t.keys+1) + also +
		" WHERE " + strings.ReplaceAll(t.columns[:t.keys].set(1), ", ", " AND ")
}

// plain returns a column of a type that the drivers know. Fields of other types are
// converted, which saves the driver a slow lookup.
func plain[R any, T bool | int | int64 | string](name string, field func(*R) *T) column[R] {
	return column[R]{
		name:   name,
		value:  func(r *R, _ dialect) any { return *field(r) },
		target: func(r *R, _ dialect) any { return field(r) },
	}
}

// optional returns a column whose zero is NULL.
func optional[R any, T int64 | string](name string, field func(*R) *T) column[R] {
	return column[R]{
		name: name,
		value: func(r *R, _ dialect) any {
			if value := *field(r); value != *new(T) {
				return value
			}
			return nil
		},
		target: func(r *R, _ dialect) any {
			if text, is := any(field(r)).(*string); is {
				return orZeroText[string]{text}
			}
			return orZeroNumber[int64]{any(field(r)).(*int64)}
		},
	}
}

// moment returns a column of instants.
func moment[R any](name string, field func(*R) *time.Time) column[R] {
	return column[R]{
		name:   name,
		value:  func(r *R, d dialect) any { return d.instant(dbTime{*field(r)}) },
		target: func(r *R, _ dialect) any { return intoTime{field(r)} },
	}
}

// day returns a column of dates.
func day[R any](name string, field func(*R) *calendar.Date) column[R] {
	return column[R]{
		name:   name,
		value:  func(r *R, d dialect) any { return d.date(*field(r)) },
		target: func(r *R, _ dialect) any { return (*dbDate)(field(r)) },
	}
}

// picture returns a column of pictures.
func picture[R any](name string, field func(*R) *media.Picture) column[R] {
	return column[R]{
		name:   name,
		value:  func(r *R, _ dialect) any { return cover(*field(r)).orNull() },
		target: func(r *R, _ dialect) any { return (*cover)(field(r)) },
	}
}

// list returns a column of lists of texts or numbers, which is never NULL.
func list[R, T any](name string, field func(*R) *[]T) column[R] {
	return column[R]{
		name:   name,
		value:  func(r *R, d dialect) any { return d.listOf(filled(*field(r))) },
		target: func(r *R, d dialect) any { return d.list(field(r)) },
	}
}

// point returns the columns lat and lng, both of which are NULL without a point.
func point[R any](field func(*R) **geo.Point) columns[R] {
	degrees := func(name string, of func(*geo.Point) *float64) column[R] {
		return column[R]{
			name: name,
			value: func(r *R, _ dialect) any {
				if p := *field(r); p != nil {
					return *of(p)
				}
				return nil
			},
			target: func(r *R, _ dialect) any { return intoPoint{field(r), of} },
		}
	}
	return columns[R]{
		degrees("lat", func(p *geo.Point) *float64 { return &p.Lat }),
		degrees("lng", func(p *geo.Point) *float64 { return &p.Lng }),
	}
}
