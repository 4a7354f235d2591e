package transport

import (
	"encoding/base64"
	"math"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/page"
)

func TestEVT23_a_cursor_is_taken_back_by_its_own_list_alone(t *testing.T) {
	read := func(list List, sent string) (page.Cursor, error) {
		q := &Query{Values: url.Values{"cursor": {sent}}, list: list}
		return q.Cursor().After, q.Err()
	}
	mine, other := ListAt("/api/xfile/event/following/"), ListAt("/api/user/search/")
	for _, c := range []page.Cursor{
		{ID: 1}, {Rank: 1764201600123456, ID: 7}, {Rank: maxTime, Tie: maxTime, ID: math.MaxInt64}, {Rank: minTime, ID: math.MinInt64},
	} {
		got, err := read(mine, formatCursor(mine, c))
		assert.NoError(t, err)
		assert.Equal(t, c, got)
	}
	good := formatCursor(mine, page.Cursor{Rank: 5, ID: 7})
	_, err := read(other, good)
	assert.Error(t, err, "the cursor of another list")
	long := base64.RawURLEncoding.EncodeToString([]byte{1, 2, 3, 4, 0x80, 0x00, 0, 2}) // 0 in two bytes
	for _, sent := range []string{
		"x", "null", good + "=", good + "A", good[1:], good[:len(good)-1] + "_", long, formatCursor(mine, page.Cursor{Rank: minTime - 1, ID: 7}),
		formatCursor(mine, page.Cursor{Rank: maxTime + 1, ID: 7}), formatCursor(mine, page.Cursor{Tie: maxTime + 1, ID: 7}),
		formatCursor(mine, page.Cursor{Rank: 5}), formatCursor(mine, page.Cursor{Rank: 5, ID: 7, Seen: "x"}),
	} {
		_, err := read(mine, sent)
		assert.Error(t, err, sent)
	}
	start, err := read(mine, " ")
	assert.NoError(t, err)
	assert.Zero(t, start)
}
