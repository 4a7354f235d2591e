// Package page implements paged lists (GEN-03, GEN-04): pages are numbered from 1, an
// empty list has one empty page, and a page past the last is not found.
package page

import (
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

// Page is one page of a list.
type Page[T any] struct {
	Items   []T
	Total   int // items in the whole list
	request Request
}

// Of returns the requested page of the items. A page past the last is a NotFound fault,
// which stores return unchanged.
func Of[T any](r Request, items []T, total int) (Page[T], error) {
	p := Page[T]{Items: items, Total: total, request: r}
	if r.Number() > p.Pages() {
		return Page[T]{}, fault.New(fault.NotFound, "Page not found.")
	}
	return p, nil
}

// Map returns the page with every item converted by turn.
func Map[T, U any](p Page[T], turn func(T) U) Page[U] {
	items := make([]U, len(p.Items))
	for i, item := range p.Items {
		items[i] = turn(item)
	}
	return Page[U]{Items: items, Total: p.Total, request: p.request}
}

// With returns the page with its items replaced one for one.
func With[T, U any](p Page[T], items []U) Page[U] {
	return Page[U]{Items: items, Total: p.Total, request: p.request}
}

// Number returns the page's number, from 1.
func (p Page[T]) Number() int { return p.request.Number() }

// Size returns the number of items of a full page.
func (p Page[T]) Size() int { return p.request.Size() }

// Pages returns the number of pages of the list; an empty list has one.
func (p Page[T]) Pages() int { return max(1, (p.Total+p.Size()-1)/p.Size()) }

// Next returns the number of the next page. It reports false on the last page.
func (p Page[T]) Next() (int, bool) { return p.Number() + 1, p.Number() < p.Pages() }

// Previous returns the number of the previous page. It reports false on the first page.
func (p Page[T]) Previous() (int, bool) { return p.Number() - 1, p.Number() > 1 }
