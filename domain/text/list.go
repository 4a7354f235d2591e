package text

import (
	"fmt"
	"slices"
)

// Distinct returns the values converted by read, in order and each once. It returns the
// first problem: a problem of read, or more than most distinct values. It stops at the
// problem, so its cost is bounded by most times the number of values.
func Distinct[T comparable](values []T, most int, read func(T) (T, string)) (distinct []T, problem string) {
	for _, value := range values {
		value, problem := read(value)
		switch {
		case problem != "":
			return nil, problem
		case slices.Contains(distinct, value):
			continue
		case len(distinct) == most:
			return nil, fmt.Sprintf("Ensure this field has no more than %d elements.", most)
		}
		distinct = append(slices.Grow(distinct, min(len(values), most)-len(distinct)), value)
	}
	return distinct, ""
}
