package transport

import (
	"encoding/base64"
	"encoding/binary"

	"plaza/domain/page"
)

// errCursor is the problem of a cursor that no answer of the list had.
const errCursor = "The cursor is invalid. Use the one of the last answer."

// Cursor reads the parameters of a list with cursors (EVT-23). The list is a letter of its own, so that the
// cursor of another list is a problem.
func (q *Query) Cursor(list byte) page.CursorRequest { return q.cursor(list, 0) }

// SeenCursor is Cursor for a list whose cursors name what it has shown.
func (q *Query) SeenCursor(list byte) page.CursorRequest { return q.cursor(list, page.MaxSeen) }

func (q *Query) cursor(list byte, maxSeen int) page.CursorRequest {
	var after page.Cursor
	if sent := q.Text("cursor"); sent != "" {
		var is bool
		if after, is = parseCursor(list, maxSeen, sent); !is {
			q.Wrong.Add("cursor", errCursor)
		}
	}
	return page.Behind(after, q.pageSize())
}

// cursorBytes is the length of a cursor without what its list has shown: the letter of the list and two numbers.
const cursorBytes = 1 + 8 + 8

func formatCursor(list byte, c page.Cursor) string {
	encoded := binary.BigEndian.AppendUint64([]byte{list}, uint64(c.Rank))
	return base64.RawURLEncoding.EncodeToString(append(binary.BigEndian.AppendUint64(encoded, uint64(c.ID)), c.Seen...))
}

func parseCursor(list byte, maxSeen int, sent string) (page.Cursor, bool) {
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(sent)
	if err != nil || len(decoded) < cursorBytes || len(decoded) > cursorBytes+maxSeen || decoded[0] != list {
		return page.Cursor{}, false
	}
	c := page.Cursor{
		Rank: int64(binary.BigEndian.Uint64(decoded[1:])), ID: int64(binary.BigEndian.Uint64(decoded[9:])), Seen: string(decoded[cursorBytes:]),
	}
	return c, c.Rank >= 0 && c.ID > 0
}

// cursors is the cursor object of a list.
type cursors struct {
	Next *string `json:"next"`
}

// Continued returns the reply of a list with cursors: items, and where the list continues.
func Continued[T any](list byte, items []T, next page.Cursor) Reply {
	return Bare(struct {
		Data   []T     `json:"data"`
		Cursor cursors `json:"cursor"`
	}{items, CursorOf(list, next)})
}

// CursorOf returns the cursor object for where a list continues.
func CursorOf(list byte, next page.Cursor) cursors {
	return cursors{Optional(formatCursor(list, next), next != page.Cursor{})}
}
