package transport

import (
	"encoding/base64"
	"encoding/binary"

	"plaza/domain/page"
)

// Problems of a cursor.
const (
	errCursor    = "The cursor is invalid. Use the one of the last answer."
	errBoth      = "Send either page or cursor."
	errNotSorted = "With a cursor, the list is in its usual order."
)

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
	if err != nil || len(decoded) < 4 {
		return page.Cursor{}, false
	}
	rest := decoded[4:] // the list is compared at the end
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

// CursorOf returns the cursor object for where the list of the call continues.
func (c *Call) CursorOf(next page.Cursor) cursors {
	return cursors{Optional(formatCursor(c.List, next), next != page.Cursor{})}
}
