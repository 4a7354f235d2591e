package engine

import (
	"strconv"

	"github.com/uptrace/bun/dialect"
	"github.com/uptrace/bun/schema"
)

// Mapped returns what convert returns for each row.
func Mapped[R, T any](rows []R, convert func(R) T) (all []T) {
	for _, row := range rows {
		all = append(all, convert(row))
	}
	return all
}

// Converted is Mapped for rows that may be broken: then it returns the error of the first that is, or else err.
func Converted[R, T any](rows []R, err error, convert func(R) (T, error)) (all []T, _ error) {
	for _, row := range rows {
		one, broken := convert(row)
		if broken != nil {
			return nil, broken
		}
		all = append(all, one)
	}
	return all, err
}

// Filled returns the list, or an empty list for nil, which would be null in JSON, and NULL if it has bytes.
func Filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Distinct returns the values without duplicates.
func Distinct[T comparable](all []T) []T {
	seen := make(map[T]bool, len(all))
	once := make([]T, 0, len(all))
	for _, value := range all {
		if !seen[value] {
			seen[value] = true
			once = append(once, value)
		}
	}
	return once
}

// AnyOf is the condition that a column is one of the keys: Where("id ?", AnyOf(keys)). Postgres parses a list of thousands as one
// array seven times as fast as each of it (2.3 in place of 15 ms for 3,500).
func AnyOf[K ~int64](keys []K) schema.QueryAppender { return anyKey[K](keys) }

type anyKey[K ~int64] []K

// AppendQuery appends the condition behind the column to a query of bun.
func (keys anyKey[K]) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	begin, end := " = ANY('{", "}')"
	if gen.Dialect().Name() == dialect.SQLite {
		begin, end = " IN (", ")"
	}
	b = append(b, begin...)
	for i, key := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(key), 10)
	}
	return append(b, end...), nil
}
