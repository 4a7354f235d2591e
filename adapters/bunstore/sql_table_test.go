package bunstore

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/calendar"
	"plaza/domain/media"
)

// named are the fields whose columns have another name.
var named = map[string]string{
	"day": "Date", "original_id": "Original", "first_original_id": "FirstOriginal", "starts": "Start", "ends": "End",
	"lat": "Place", "lng": "Place", "phone": "phone",
}

// assertColumns asserts that each column reads and stores the field of its name. Two columns
// with each other's fields would read back what they store, but misread older rows.
func assertColumns[R any](t *testing.T, c columns[R], others map[string]string) {
	t.Helper()
	for _, column := range c {
		row := new(R)
		target := reflect.ValueOf(column.target(row, postgres{}))
		if target.Kind() == reflect.Struct {
			target = target.Field(0) // the pointer of a scan target of our own
		}
		want := others[column.name]
		if want == "" {
			want = named[column.name]
		}
		if want == "" {
			want = strings.ReplaceAll(strings.TrimSuffix(column.name, "_id"), "_", "")
		}
		is := fieldAt(reflect.ValueOf(row).Elem(), target.Pointer())
		require.NotEmpty(t, is, column.name)
		assert.True(t, strings.EqualFold(want, is), "the column %s is the field %s", column.name, is)
		assert.NotPanics(t, func() { column.value(row, postgres{}) })
	}
	names := c.names()
	slices.Sort(names)
	assert.Equal(t, slices.Compact(slices.Clone(names)), names, "no column occurs twice")
}

// fieldAt returns the name of the field at the address, which may be within a struct.
func fieldAt(v reflect.Value, at uintptr) string {
	for i := range v.NumField() {
		field, name := v.Field(i), v.Type().Field(i).Name
		whole := []reflect.Type{reflect.TypeFor[calendar.Date](), reflect.TypeFor[media.Picture]()}
		if field.Kind() == reflect.Struct && field.Type().PkgPath() != "time" && !slices.Contains(whole, field.Type()) {
			if inner := fieldAt(field, at); inner != "" {
				return inner
			}
		} else if field.UnsafeAddr() == at {
			return name
		}
	}
	return ""
}

func TestColumns_are_those_of_the_fields_of_their_names(t *testing.T) {
	assertColumns(t, eventAll, nil)
	assertColumns(t, publicationTable.columns, map[string]string{"bundle_id": "ID"})
	assertColumns(t, nodeTable.columns, nil)
	assertColumns(t, demandTable.columns, nil)
	assertColumns(t, bundleTable.columns, nil)
	assertColumns(t, howToTable.columns, nil)
	assertColumns(t, newsTable.columns, nil)
	assertColumns(t, categoryTable.columns, nil)
	assertColumns(t, listingTable.columns, map[string]string{"lat": "Point", "lng": "Point"})
	assertColumns(t, imageAll, nil)
	assertColumns(t, accountColumns, nil)
}
