package ports

import (
	"context"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/event"
	"plaza/domain/personaldata"
)

// Cancelled is the suite of what holds for every method of every port: a call whose context has been
// cancelled, or whose deadline has passed, returns the error of the context, and calls no function
// that it was given.
func Cancelled(t *testing.T, open Open) {
	stores := reflect.ValueOf(open(t).Ports)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), noon.AddDate(-10, 0, 0))
	defer cancel()
	for i := range stores.NumField() {
		port, name := stores.Field(i), stores.Type().Field(i).Name
		if port.Kind() != reflect.Interface || port.IsNil() {
			continue
		}
		for method := range port.Type().Methods() {
			if takes := method.Type; takes.NumIn() == 0 || takes.In(0) != reflect.TypeFor[context.Context]() {
				continue
			}
			t.Run(name+"."+method.Name, func(t *testing.T) {
				assert.ErrorIs(t, resultOf(t, port.MethodByName(method.Name), gone), context.Canceled)
				assert.ErrorIs(t, resultOf(t, port.MethodByName(method.Name), late), context.DeadlineExceeded)
			})
		}
	}
}

// resultOf returns the error of the call with arguments of no meaning, or the first that its sequence
// yields.
func resultOf(t *testing.T, method reflect.Value, ctx context.Context) (err error) {
	t.Helper()
	args := []reflect.Value{reflect.ValueOf(ctx)}
	for i := 1; i < method.Type().NumIn(); i++ {
		if method.Type().IsVariadic() && i == method.Type().NumIn()-1 {
			break
		}
		args = append(args, anyArgument(t, method.Type().In(i)))
	}
	results := method.Call(args)
	last := results[len(results)-1]
	if last.Kind() != reflect.Func {
		err, _ = last.Interface().(error)
		return err
	}
	last.Call([]reflect.Value{reflect.MakeFunc(last.Type().In(0), func(yielded []reflect.Value) []reflect.Value {
		err, _ = yielded[len(yielded)-1].Interface().(error)
		return []reflect.Value{reflect.ValueOf(false)}
	})})
	return err
}

// anyArgument returns a value that a store does not refuse for itself, or a function that must not be
// called.
func anyArgument(t *testing.T, typ reflect.Type) reflect.Value {
	t.Helper()
	e, err := event.New(1, event.Change{}, pi, noon)
	require.NoError(t, err)
	switch {
	case typ == reflect.TypeFor[*event.Event]():
		return reflect.ValueOf(e)
	case typ == reflect.TypeFor[event.Entry]():
		return reflect.ValueOf(event.Entry{Event: e})
	case typ == reflect.TypeFor[personaldata.Kind]():
		return reflect.ValueOf(personaldata.Events)
	case typ.Kind() == reflect.Int, typ.Kind() == reflect.Int64:
		return reflect.ValueOf(1).Convert(typ)
	case typ.Kind() == reflect.Slice:
		return reflect.MakeSlice(typ, 1, 1)
	case typ.Kind() == reflect.Func:
		return reflect.MakeFunc(typ, func([]reflect.Value) []reflect.Value {
			t.Error("a function was called")
			t.FailNow()
			return nil
		})
	}
	return reflect.Zero(typ)
}
