// Package page implements paged lists (GEN-03, GEN-04): pages are numbered from 1, an
// empty list has one empty page, and a page past the last is not found.
package page

import (
	"cmp"
	"math"

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

// Request selects a page. The zero Request is the first page of DefaultSize items.
type Request struct {
	number int
	size   int
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
	Total   int     // items in the whole list
	Request Request // which page it is
}

// Of returns the requested page of the items. A page past the last is a NotFound fault,
// which stores return unchanged.
func Of[T any](r Request, items []T, total int) (Page[T], error) {
	if r.Number() > r.Pages(total) {
		return Page[T]{}, fault.New(fault.NotFound, "Page not found.")
	}
	return Page[T]{Items: items, Total: total, Request: r}, nil
}

// Slice returns the requested page of the whole list, as Of does.
func Slice[T any](r Request, all []T) (Page[T], error) {
	from := min(r.Offset(), len(all))
	return Of(r, all[from:min(from+r.Size(), len(all))], len(all))
}

// Map returns the page with every item converted by turn.
func Map[T, U any](p Page[T], turn func(T) U) Page[U] {
	items := make([]U, len(p.Items))
	for i, item := range p.Items {
		items[i] = turn(item)
	}
	return Page[U]{Items: items, Total: p.Total, Request: p.Request}
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
	return Page[U]{Items: items, Total: p.Total, Request: p.Request}
}
