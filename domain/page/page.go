// Package page implements paged lists (GEN-03, GEN-04): pages are numbered from 1, an
// empty list has one empty page, and a page past the last is not found. A list may also be read by
// cursors (GEN-18).
package page

import (
	"cmp"
	"math"
	"slices"
	"time"

	"plaza/domain/fault"
)

// Sizes of pages, in items.
const (
	DefaultSize = 20
	MaxSize     = 100
)

// maxNumber keeps number times size within the integers of every database. A page with
// such a number is always past the last.
const maxNumber = math.MaxInt32

// Request selects a page, by its number or by what it is behind. The zero Request is the first page of DefaultSize items.
type Request struct {
	number int
	size   int
	behind *Cursor // nil: it is selected by its number
}

// New returns the request for a page. A size above MaxSize is reduced to it. Both
// numbers must be positive.
func New(number, size int) (Request, error) {
	var wrong fault.Fields
	if number < 1 {
		wrong.Add("page", "A positive integer is required.")
	}
	if size < 1 {
		wrong.Add("page_size", "A positive integer is required.")
	}
	return Request{number: min(number, maxNumber), size: min(size, MaxSize)}, wrong.Err()
}

// Paged returns the request for the same items of a list that has numbered pages, too (GEN-18).
func (r CursorRequest) Paged() Request { return Request{size: r.size, behind: &r.After} }

// IsBehind reports whether the page is selected by what it is behind. Such a page has no total.
func (r Request) IsBehind() bool { return r.behind != nil }

// After returns the key that the items of the page are behind. It is zero for a page that is selected by its number.
func (r Request) After() Cursor {
	if r.behind == nil {
		return Cursor{}
	}
	return *r.behind
}

// Limit returns how many items a store reads for the page: behind a cursor one more than the page has, which tells whether
// the list continues.
func (r Request) Limit() int {
	if r.IsBehind() {
		return r.Size() + 1
	}
	return r.Size()
}

// Number returns the page's number, from 1.
func (r Request) Number() int { return max(r.number, 1) }

// Size returns the number of items of a full page.
func (r Request) Size() int {
	if r.size == 0 {
		return DefaultSize
	}
	return r.size
}

// Offset returns the number of items before the page.
func (r Request) Offset() int { return (r.Number() - 1) * r.Size() }

// Pages returns the number of pages of a list with so many items; an empty list has one.
func (r Request) Pages(total int) int { return max(1, (total+r.Size()-1)/r.Size()) }

// Next returns the number of the page after this one. It reports false on the last page of a list
// with so many items.
func (r Request) Next(total int) (int, bool) { return r.Number() + 1, r.Number() < r.Pages(total) }

// Previous returns the number of the page before this one. It reports false on the first page.
func (r Request) Previous() (int, bool) { return r.Number() - 1, r.Number() > 1 }

// Page is one page of a list. It has no methods: they would be compiled again for each type of
// items, in each package that uses it.
type Page[T any] struct {
	Items   []T
	Total   int     // items in the whole list; zero behind a cursor
	Next    Cursor  // where the list continues behind a cursor; zero: nowhere
	Request Request // which page it is
}

// Of returns the requested page of the items, of which there are as many as its Limit if the list has them. key returns the
// key of an item. A page past the last is a NotFound fault, which stores return unchanged.
func Of[T any](r Request, items []T, total int, key func(T) Cursor) (Page[T], error) {
	if r.IsBehind() {
		part := UpTo(r.Size(), items, key)
		return Page[T]{Items: part.Items, Next: part.Next, Request: r}, nil
	}
	if r.Number() > r.Pages(total) {
		return Page[T]{}, fault.New(fault.NotFound, "Page not found.")
	}
	return Page[T]{Items: items, Total: total, Request: r}, nil
}

// Slice returns the requested page of the whole list, as Of does. The list is in the order of its keys if the page is
// selected by a cursor.
func Slice[T any](r Request, all []T, key func(T) Cursor) (Page[T], error) {
	from := min(r.Offset(), len(all))
	if after := r.After(); after != (Cursor{}) {
		from = len(all)
		if i := slices.IndexFunc(all, func(item T) bool { return key(item).Compare(after) < 0 }); i >= 0 {
			from = i
		}
	}
	return Of(r, all[from:min(from+r.Limit(), len(all))], len(all), key)
}

// Map returns the page with every item converted by turn.
func Map[T, U any](p Page[T], turn func(T) U) Page[U] {
	items := make([]U, len(p.Items))
	for i, item := range p.Items {
		items[i] = turn(item)
	}
	return With(p, items)
}

// TryMap is Map for a function that may fail.
func TryMap[T, U any](p Page[T], turn func(T) (U, error)) (_ Page[U], failed error) {
	return Map(p, func(item T) U {
		turned, err := turn(item)
		failed = cmp.Or(failed, err)
		return turned
	}), failed
}

// With returns the page with its items replaced one for one.
func With[T, U any](p Page[T], items []U) Page[U] {
	return Page[U]{Items: items, Total: p.Total, Next: p.Next, Request: p.Request}
}

// Span selects what a list has by its time, and orders it (OFF-05). The zero Span selects everything, the latest first.
type Span struct {
	From, Until   time.Time // not before the first, and before the second; zero: any
	IsOldestFirst bool
	IsByAmount    bool // the greatest amount first; of lists of money
}

// Has reports whether the time is in the span.
func (s Span) Has(t time.Time) bool {
	return !t.Before(s.From) && (s.Until.IsZero() || t.Before(s.Until))
}

// key returns the key of an item in the order of the span. Its key in a list whose latest item is the first is c.
func (s Span) key(c Cursor) Cursor {
	if s.IsOldestFirst {
		c.Rank, c.Tie = -c.Rank, -c.Tie
		if c.Word == "" { // ties of words keep their order
			c.ID = -c.ID
		}
	}
	return c
}

// Money returns the key of an amount of the time in the order of the span, ties by descending id.
func (s Span) Money(at time.Time, amount, id int64) Cursor {
	if s.IsByAmount {
		return Cursor{Rank: amount, ID: id}
	}
	return s.key(At(at, id))
}

// Keys returns the function of the keys of items in the order of the span. key is that of a list whose latest item is the first.
func Keys[T any](s Span, key func(T) Cursor) func(T) Cursor {
	return func(item T) Cursor { return s.key(key(item)) }
}

// Usual returns the key in a list whose latest item is the first of an item whose key in the order of the span is c.
func (s Span) Usual(c Cursor) Cursor { return s.key(c) }
