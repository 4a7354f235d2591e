// Package ports holds the contract suites of the ports: one exported function for each, which every implementation passes, Plaza's own
// and those that others plug in.
//
// Each sentence of a port's comment is one subtest, but for what a row of the contract shows on every store. A suite is handed a function
// that makes a fresh implementation, so that its subtests share nothing.
package ports

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/store"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/personaldata"
	"plaza/domain/quota"
)

// Stores are the store ports of one adapter over the same data: events need authors, so no suite gets by with a single port.
type Stores struct {
	store.Ports
	// Within returns the stores over the same data as if they were opened with the quotas.
	Within func(quota.Limits) Stores
	// Listings returns what the feed lists at present, by kind and id.
	Listings func(t *testing.T) []feed.Listing
	// Check fails the test when what the store derives from something else is not what it must be; nil: it derives nothing.
	Check func(t *testing.T)
}

// Open opens stores that are empty and share nothing with others.
type Open func(t *testing.T) Stores

// All is every suite of a store. With -short only those run that are named, if any are.
func All(t *testing.T, open Open, inShort ...string) {
	for _, suite := range []struct {
		port string
		run  func(*testing.T, Open)
	}{
		{"Accounts", Accounts}, {"Search", Search}, {"Texts", Texts}, {"Tokens", Tokens}, {"Throttle", Throttle}, {"Codes", Codes},
		{"Categories", Categories}, {"Subscriptions", Subscriptions}, {"Blocks", Blocks},
		{"Events", Events}, {"Notifications", Notifications}, {"Moderation", Moderation}, {"News", News},
		{"Feed", Feed}, {"Publications", Publications}, {"HowTos", HowTos}, {"Cache", Cache},
		{"Images", Images}, {"Ledger", Ledger}, {"Keys", Keys}, {"RateLimits", RateLimits}, {"Quotas", Quotas},
		{"Imports", Imports}, {"DeletionQueue", DeletionQueue},
		{"Telemetry", Telemetry},
		{"PersonalData", PersonalData}, {"Cancelled", Cancelled}, {"Audit", Audit},
	} {
		t.Run(suite.port, func(t *testing.T) {
			if testing.Short() && len(inShort) > 0 && !slices.Contains(inShort, suite.port) {
				t.Skip("make test-all runs this")
			}
			suite.run(t, open)
		})
	}
}

// promise is a sentence of a port's comment, and what shows that it is kept.
type promise struct {
	sentence string
	kept     func(w *fixtures)
}

func (open Open) keeps(t *testing.T, promises []promise) {
	for _, p := range promises {
		t.Run(p.sentence, func(t *testing.T) { p.kept(open.fixtures(t)) })
	}
}

func (open Open) fixtures(t *testing.T) *fixtures {
	return &fixtures{T: t, Stores: open(t), open: open}
}

// assertComplete asserts that each field of the values, however deep, differs from zero in one of them. A test that stores them and
// compares what comes back then notices a store that drops a field. The names are those of fields that are not stored so.
func assertComplete[T any](w *fixtures, values []T, but ...string) {
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

// Cancelled is the suite of what holds for every method of every port: a call whose context has been cancelled, or whose deadline has
// passed, returns the error of the context, and calls no function that it was given.
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

// resultOf returns the error of the call with arguments of no meaning, or the first that its sequence yields.
func resultOf(t *testing.T, method reflect.Value, ctx context.Context) (err error) {
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

// anyArgument returns a value that a store does not refuse for itself, or a function that must not be called.
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
