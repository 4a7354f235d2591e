package ports

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/imported"
	"plaza/domain/personaldata"
	"plaza/domain/quota"
)

// Calls is the suite of what all methods of a store's ports have in common.
func Calls(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"a call whose context has ended returns the error of its context and stores nothing", callsRefused},
	})
}

func callsRefused(w *fixtures) {
	p := w.storePerson(1)
	before, listed, sample := w.everything(p.id), w.Listings(w.T), w.sample()
	calls := w.calls()
	require.NotEmpty(w, calls)
	w.refuseCancelled(calls)
	w.within(quota.Limits{Pictures: 1}).refuseCancelled(calls)
	assert.Equal(w, before, w.everything(p.id))
	assert.Equal(w, listed, w.Listings(w.T))
	assert.Equal(w, sample, w.sample())
	w.consistent()
}

// calls are all methods of the stores' ports, with arguments of which none is empty. Numbers are one, which
// the stores must have.
func (w *fixtures) calls() (all []call) {
	w.Helper()
	samples := map[reflect.Type]any{}
	for _, sample := range []any{
		noon, pi, w.written(1, noon), w.got(1), personaldata.Events,
		imported.Batch{File: "new", Progress: []byte("new"), Lines: []imported.Line{{Number: 1, Record: categoryRecord(newcomer, 0)}}},
	} {
		samples[reflect.TypeOf(sample)] = sample
	}
	stores := reflect.ValueOf(w.Stores)
	for i := range stores.NumField() {
		port := stores.Field(i)
		if port.Kind() != reflect.Interface || port.IsNil() {
			continue
		}
		for m := range port.NumMethod() {
			name := port.Type().Method(m).Name
			all = append(all, call{
				name: fmt.Sprint(stores.Type().Field(i).Name, ".", name),
				make: func(ctx context.Context, s Stores) error {
					method := reflect.ValueOf(s).Field(i).MethodByName(name)
					args := []reflect.Value{reflect.ValueOf(ctx)}
					for n := 1; n < method.Type().NumIn(); n++ {
						if !method.Type().IsVariadic() || n < method.Type().NumIn()-1 {
							args = append(args, filled(method.Type().In(n), samples))
						}
					}
					return errorOf(method.Call(args))
				},
			})
		}
	}
	return all
}

// errorOf is the error among the results, or the first one that they yield.
func errorOf(results []reflect.Value) error {
	last := results[len(results)-1]
	if last.Kind() == reflect.Func {
		for _, err := range last.Seq2() {
			last = err
			break
		}
	}
	err, _ := last.Interface().(error)
	return err
}

// filled is a value of the type that is not empty. What only its package can fill stays empty.
func filled(t reflect.Type, samples map[reflect.Type]any) reflect.Value {
	if sample, is := samples[t]; is {
		return reflect.ValueOf(sample)
	}
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.String:
		v.SetString("a")
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		v.Elem().Set(filled(t.Elem(), samples))
	case reflect.Slice:
		v.Set(reflect.Append(v, filled(t.Elem(), samples)))
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		v.SetMapIndex(filled(t.Key(), samples), filled(t.Elem(), samples))
	case reflect.Func:
		return reflect.MakeFunc(t, func([]reflect.Value) (results []reflect.Value) {
			for n := range t.NumOut() {
				results = append(results, reflect.Zero(t.Out(n)))
			}
			return results
		})
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				v.Field(i).Set(filled(t.Field(i).Type, samples))
			}
		}
	}
	return v
}
