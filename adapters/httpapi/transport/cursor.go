package transport

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"

	"plaza/domain/page"
)

// Problems of a cursor.
const (
	errCursor    = "The cursor is invalid. Use the one of the last answer."
	errBoth      = "Send either page or cursor."
	errNotSorted = "With a cursor, the list is in its usual order."
)

// List identifies a list in its cursors, so that the cursor of another list is a problem.
type List uint32

// ListAt returns the List of the path.
func ListAt(path string) List {
	h := fnv.New32a()
	h.Write([]byte(path))
	return List(h.Sum32())
}

// Cursor reads the parameters of a list that has cursors alone (EVT-23).
func (q *Query) Cursor() page.CursorRequest { return q.cursor(0) }

// SeenCursor is Cursor for a list whose cursors name what it has shown.
func (q *Query) SeenCursor() page.CursorRequest { return q.cursor(page.MaxSeen) }

func (q *Query) cursor(maxSeen int) page.CursorRequest {
	var after page.Cursor
	if sent := q.Text("cursor"); sent != "" {
		var is bool
		if after, is = parseCursor(q.list, maxSeen, sent); !is {
			q.Wrong.Add("cursor", errCursor)
		}
	}
	return page.Behind(after, q.pageSize())
}

// pageBehind reads the parameters of a page that is selected by a cursor (GEN-18).
func (q *Query) pageBehind() page.Request {
	if q.Text("page") != "" {
		q.Wrong.Add("cursor", errBoth)
	}
	return q.WordCursor().Paged()
}

// WordCursor is Cursor for a list whose keys have a part in words.
func (q *Query) WordCursor() page.CursorRequest {
	r := q.cursor(maxWord)
	r.After.Word, r.After.Seen = r.After.Seen, ""
	return r
}

// NeedUsualOrder notes the problem of a cursor in a list that has another order than its usual one (GEN-18).
func (q *Query) NeedUsualOrder(r page.Request, isUsual bool) {
	if r.IsBehind() && !isUsual {
		q.Wrong.Add("cursor", errNotSorted)
	}
}

const (
	maxWord = 256                     // bytes of the part of a key in words
	minTime = -62_135_596_800_000_000 // microseconds since 1970: the beginning of the year 1
	maxTime = 253_402_300_799_999_999 // the end of the year 9999
)

func formatCursor(list List, c page.Cursor) string {
	encoded := binary.BigEndian.AppendUint32(nil, uint32(list))
	for _, part := range []int64{c.Rank, c.Tie, c.ID} {
		encoded = binary.AppendVarint(encoded, part)
	}
	return base64.RawURLEncoding.EncodeToString(append(encoded, c.Word+c.Seen...))
}

func parseCursor(list List, maxSeen int, sent string) (c page.Cursor, is bool) {
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(sent)
	if err != nil || len(decoded) < 4 || List(binary.BigEndian.Uint32(decoded)) != list {
		return page.Cursor{}, false
	}
	rest := decoded[4:]
	for _, part := range []*int64{&c.Rank, &c.Tie, &c.ID} {
		n, length := binary.Varint(rest)
		if length <= 0 {
			return page.Cursor{}, false
		}
		*part, rest = n, rest[length:]
	}
	c.Seen = string(rest)
	isInRange := c.Rank >= minTime && c.Rank <= maxTime && c.Tie >= minTime && c.Tie <= maxTime
	return c, isInRange && c.ID != 0 && len(c.Seen) <= maxSeen && formatCursor(list, c) == sent
}

// cursors is the cursor object of a list.
type cursors struct {
	Next *string `json:"next"`
}

// wrappedPart is a part of a list with cursors.
type wrappedPart struct {
	Data   any     `json:"data"`
	Cursor cursors `json:"cursor"`
}

// Continued returns the reply of a list with cursors: items, and where the list continues.
func Continued[T any](c *Call, items []T, next page.Cursor) Reply {
	return Bare(wrappedPart{items, c.CursorOf(next)})
}

// CursorOf returns the cursor object for where the list of the call continues.
func (c *Call) CursorOf(next page.Cursor) cursors {
	return cursors{Optional(formatCursor(c.List, next), next != page.Cursor{})}
}
