// Package page is the arithmetic of paged lists (GEN-03, GEN-04): pages are
// counted from 1, an empty list has one empty page, and there is no page past
// the last.
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

// maxNumber keeps number times size within what every database counts with;
// any page up there is past the last one.
const maxNumber = math.MaxInt32

// Request says which page is wanted. The zero Request is the first page of
// DefaultSize items.
type Request struct {
	number int
	size   int
}

// New returns the request for a page. A size above MaxSize is cut down to it. The
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

// Number is the page's number, from 1.
func (r Request) Number() int { return max(r.number, 1) }

// Size is how many items a full page has.
func (r Request) Size() int {
	if r.size == 0 {
		return DefaultSize
	}
	return r.size
}

// Offset is how many items come before the page.
func (r Request) Offset() int { return (r.Number() - 1) * r.Size() }

// Page is one page of a list.
type Page[T any] struct {
	Items   []T
	Total   int // items in the whole list
	request Request
}

// Of returns the page that was asked for. Past the last page it is a NotFound
// fault: stores return it as it is.
func Of[T any](r Request, items []T, total int) (Page[T], error) {
	p := Page[T]{Items: items, Total: total, request: r}
	if r.Number() > p.Pages() {
		return Page[T]{}, fault.New(fault.NotFound, "There is no such page.")
	}
	return p, nil
}

// Map turns a page of one thing into the same page of another.
func Map[T, U any](p Page[T], turn func(T) U) Page[U] {
	items := make([]U, len(p.Items))
	for i, item := range p.Items {
		items[i] = turn(item)
	}
	return Page[U]{Items: items, Total: p.Total, request: p.request}
}

// With is the same page with other items in place of its own, one for one.
func With[T, U any](p Page[T], items []U) Page[U] {
	return Page[U]{Items: items, Total: p.Total, request: p.request}
}

// Number is the page's number, from 1.
func (p Page[T]) Number() int { return p.request.Number() }

// Size is how many items a full page has.
func (p Page[T]) Size() int { return p.request.Size() }

// Pages is how many pages the list has; an empty list has one.
func (p Page[T]) Pages() int { return max(1, (p.Total+p.Size()-1)/p.Size()) }

// Next is the number of the next page; false on the last.
func (p Page[T]) Next() (int, bool) { return p.Number() + 1, p.Number() < p.Pages() }

// Previous is the number of the page before; false on the first.
func (p Page[T]) Previous() (int, bool) { return p.Number() - 1, p.Number() > 1 }
