package page

import (
	"cmp"
	"time"
)

// Cursor is the key of an item in the order of a list, whose keys descend. A list continues behind it, so items that are
// added or removed between two pages never make the later one repeat or skip another. The zero Cursor is before the
// first item.
type Cursor struct {
	Rank int64  // the first part of the key: a time in microseconds since 1970, or what the list says
	Tie  int64  // the second part, in lists whose keys have more than two
	Word string // a part in words, which ascends, in lists that have one
	ID   int64  // the last part, not zero; negative where a list has the lesser id first
	// Seen names what the list has shown outside of the order of its keys, in a form of its own; empty: nothing. It has at
	// most MaxSeen bytes. A list has either words or this.
	Seen string
}

// At returns the key of what a list has in the order of a time and an id, the latest first.
func At[ID ~int64](t time.Time, id ID) Cursor { return Cursor{Rank: t.UnixMicro(), ID: int64(id)} }

// MaxSeen is the maximum length of Seen.
const MaxSeen = 2000

// Compare orders cursors by their keys.
func (c Cursor) Compare(other Cursor) int {
	return cmp.Or(
		cmp.Compare(c.Rank, other.Rank), cmp.Compare(c.Tie, other.Tie), cmp.Compare(other.Word, c.Word), cmp.Compare(c.ID, other.ID))
}

// CursorRequest selects the items behind a cursor. The zero CursorRequest selects the first DefaultSize items.
type CursorRequest struct {
	After Cursor
	size  int
}

// Behind returns the request for so many items behind the cursor. A size above MaxSize is reduced to it.
func Behind(after Cursor, size int) CursorRequest {
	return CursorRequest{After: after, size: min(size, MaxSize)}
}

// Size returns the maximum number of items.
func (r CursorRequest) Size() int { return Request{size: r.size}.Size() }

// CursorPage is a part of a list behind a cursor.
type CursorPage[T any] struct {
	Items []T
	Next  Cursor // where the list continues; zero: nowhere
}

// UpTo returns the first size of the items, and the key of the last of them if there are more.
func UpTo[T any](size int, items []T, key func(T) Cursor) CursorPage[T] {
	if len(items) <= size {
		return CursorPage[T]{Items: items}
	}
	return CursorPage[T]{Items: items[:size], Next: key(items[size-1])}
}
