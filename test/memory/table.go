package memory

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"reflect"
	"slices"
	"time"

	"plaza/domain/instant"
	"plaza/domain/page"
)

// table has the stored values of one kind by their keys.
type table[K comparable, V any] map[K]V

func (t *table[K, V]) make() { *t = table[K, V]{} }

// get returns the value with the key, or the error if the key has no value.
func (t table[K, V]) get(key K, missing error) (V, error) {
	v, exists := t[key]
	if !exists {
		return v, missing
	}
	return v, nil
}

// among returns the values with the keys, each once.
func (t table[K, V]) among(keys []K) (found []V) {
	for _, key := range unique(keys) {
		if v, exists := t[key]; exists {
			found = append(found, v)
		}
	}
	return found
}

// where yields the values that are admitted. The caller may remove them meanwhile.
func (t table[K, V]) where(admits func(V) bool) iter.Seq[V] { return filter(maps.Values(t), admits) }

func filter[V any](all iter.Seq[V], admits func(V) bool) iter.Seq[V] {
	return func(yield func(V) bool) {
		for v := range all {
			if admits(v) && !yield(v) {
				return
			}
		}
	}
}

// count returns how many values are admitted.
func (t table[K, V]) count(admits func(V) bool) (n int) {
	for range t.where(admits) {
		n++
	}
	return n
}

// find returns a value that is admitted.
func (t table[K, V]) find(admits func(V) bool) (found V, exists bool) {
	for v := range t.where(admits) {
		return v, true
	}
	return found, false
}

// claimDue returns at most limit of the keys that are due, the earliest first, and makes them due at the next time.
func claimDue[K cmp.Ordered](due map[K]time.Time, now, next time.Time, limit int) []K {
	var keys []K
	for key, at := range due {
		if !at.After(now) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b K) int { return cmp.Or(due[a].Compare(due[b]), cmp.Compare(a, b)) })
	keys = first(keys, limit)
	for _, key := range keys {
		due[key] = instant.Normalise(next)
	}
	return keys
}

// sorted returns the values in the order. It sorts pointers to them: the compiler makes one sort for all pointers, but
// one for each type of values.
func sorted[V any](values iter.Seq[V], order func(a, b V) int) (all []V) {
	var pointers []*V
	for v := range values {
		pointers = append(pointers, &v)
	}
	slices.SortFunc(pointers, func(a, b *V) int { return order(*a, *b) })
	for _, p := range pointers {
		all = append(all, *p)
	}
	return all
}

// latest returns the order of a list, whose keys descend.
func latest[V any](key func(V) page.Cursor) func(a, b V) int {
	return func(a, b V) int { return key(b).Compare(key(a)) }
}

// keyIn returns the key of a list whose key depends on its span.
func keyIn[V any](s page.Span, key func(V, page.Span) page.Cursor) func(V) page.Cursor {
	return func(v V) page.Cursor { return key(v, s) }
}

// pageOf reads a page of the list of the values, whose keys descend.
func pageOf[V any](ctx context.Context, s *Store, r page.Request, values iter.Seq[V], key func(V) page.Cursor) (page.Page[V], error) {
	return read(ctx, s, func() (page.Page[V], error) {
		p, err := page.Slice(r, sorted(values, latest(key)), key)
		return page.Map(p, copyOf), err
	})
}

// upTo returns the page of the values, the latest first.
func upTo[V any](r page.CursorRequest, values iter.Seq[V], key func(V) page.Cursor) page.CursorPage[V] {
	behind := filter(values, func(v V) bool { return r.After == page.Cursor{} || key(v).Compare(r.After) < 0 })
	return page.UpTo(r.Size(), sorted(behind, latest(key)), key)
}

// by returns the order of the IDs.
func by[V any, ID cmp.Ordered](id func(V) ID) func(a, b V) int {
	return func(a, b V) int { return cmp.Compare(id(a), id(b)) }
}

// copyOf returns a copy of the value that shares no list and no pointer with it. Those in fields that are not exported
// are shared: a value of the domain never changes them.
func copyOf[T any](value T) T {
	unshare(reflect.ValueOf(&value).Elem())
	return value
}

func unshare(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Field(i); field.CanSet() {
				unshare(field)
			}
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		v.Set(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v))
		for i := range v.Len() {
			unshare(v.Index(i))
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		pointed := reflect.New(v.Type().Elem())
		pointed.Elem().Set(v.Elem())
		v.Set(pointed)
		unshare(v.Elem())
	}
}

// first returns the first n elements, or all if there are fewer.
func first[T any](all []T, n int) []T { return all[:min(max(n, 0), len(all))] }

// unique returns the keys, each once.
func unique[K comparable](all []K) []K {
	seen := make(map[K]bool, len(all))
	var once []K
	for _, k := range all {
		if !seen[k] {
			seen[k] = true
			once = append(once, k)
		}
	}
	return once
}
