package engine

import (
	"reflect"
	"time"

	"plaza/domain/calendar"
	"plaza/domain/media"
)

// bindArgs returns the arguments of a statement as the database takes them: numbers, texts and bytes of named types as
// the drivers know them, instants, durations to add to them, days and lists of these (but not of instants and durations) as the
// database stores them, pictures as JSON. A nil pointer, the zero instant and no picture are NULL. It changes the slice.
func bindArgs(d Dialect, args []any) []any {
	for i, arg := range args {
		args[i] = bound(d, arg)
	}
	return args
}

func bound(d Dialect, arg any) any {
	switch arg := arg.(type) {
	case nil, int64, int, string, bool, float64, []byte:
		return arg
	case time.Time:
		if arg.IsZero() {
			return nil
		}
		return d.Instant(arg)
	case Time:
		return bound(d, arg.Time)
	case time.Duration:
		return d.interval(arg)
	case calendar.Date:
		return d.date(arg)
	case Date:
		return d.date(arg.Date)
	case Cover:
		return arg.NullIfZero()
	case media.Picture:
		return Cover(arg).NullIfZero()
	}
	value := reflect.ValueOf(arg)
	switch value.Kind() {
	case reflect.Pointer:
		if value.IsNil() {
			return nil
		}
		return bound(d, value.Elem().Interface())
	case reflect.Int, reflect.Int64:
		return value.Int()
	case reflect.String:
		return value.String()
	case reflect.Bool:
		return value.Bool()
	case reflect.Array: // the bytes of a hash
		copied := make([]byte, value.Len())
		reflect.Copy(reflect.ValueOf(copied), value)
		return copied
	case reflect.Slice:
		return d.List(boundList(d, value))
	}
	return arg // an argument that the drivers know
}

// boundList returns a list of Go's own types, because behind a pooler pgx knows no types of parameters.
func boundList(d Dialect, all reflect.Value) any {
	element := reflect.TypeOf(bound(d, reflect.Zero(all.Type().Elem()).Interface()))
	list := reflect.MakeSlice(reflect.SliceOf(element), all.Len(), all.Len())
	for i := range all.Len() {
		switch from, to := all.Index(i), list.Index(i); from.Kind() {
		case reflect.Int64:
			to.SetInt(from.Int())
		case reflect.String:
			to.SetString(from.String())
		default:
			to.Set(reflect.ValueOf(bound(d, from.Interface())))
		}
	}
	return list.Interface()
}
