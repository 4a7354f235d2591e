package ports

import (
	"reflect"
	"slices"
	"strings"

	"github.com/stretchr/testify/assert"
)

// assertComplete asserts that each field of the values, however deep, differs from zero in one of them. A test that stores them and
// compares what comes back then notices a store that drops a field. The names are those of fields that are not stored so.
func assertComplete[T any](w *fixtures, values []T, but ...string) {
	w.Helper()
	all := make([]reflect.Value, len(values))
	for i, v := range values {
		all[i] = reflect.ValueOf(v)
	}
	var unset []string
	for _, path := range unsetFields(reflect.TypeFor[T](), all) {
		if !slices.ContainsFunc(but, func(name string) bool { return strings.HasPrefix(path+".", "."+name+".") }) {
			unset = append(unset, path[1:])
		}
	}
	assert.Empty(w, unset, "no value of %T sets these: whether they are stored is not shown", *new(T))
}

// unsetFields returns the paths of the fields of a type that are zero in all values: .Place.City.
func unsetFields(of reflect.Type, values []reflect.Value) (paths []string) {
	switch {
	case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct:
		var elements []reflect.Value
		for _, v := range values {
			for i := range v.Len() {
				elements = append(elements, v.Index(i))
			}
		}
		return unsetFields(of.Elem(), elements)
	case of.Kind() == reflect.Struct && slices.ContainsFunc(reflect.VisibleFields(of), reflect.StructField.IsExported):
		for field := range of.Fields() {
			if !field.IsExported() {
				continue
			}
			var inside []reflect.Value
			for _, v := range values {
				inside = append(inside, v.FieldByIndex(field.Index))
			}
			for _, path := range unsetFields(field.Type, inside) {
				paths = append(paths, "."+field.Name+path)
			}
		}
		return paths
	case slices.ContainsFunc(values, func(v reflect.Value) bool { return !v.IsZero() }):
		return nil
	}
	return []string{""}
}
