package page

import "time"

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
