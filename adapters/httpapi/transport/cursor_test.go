package transport

import (
	"math"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/page"
)

func TestEVT23_a_cursor_is_taken_back_by_its_own_list_alone(t *testing.T) {
	read := func(list byte, sent string) (page.Cursor, error) {
		q := &Query{Values: url.Values{"cursor": {sent}}}
		return q.Cursor(list).After, q.Err()
	}
	for _, c := range []page.Cursor{{ID: 1}, {Rank: 1764201600123456, ID: 7}, {Rank: math.MaxInt64, ID: math.MaxInt64}} {
		got, err := read('t', formatCursor('t', c))
		assert.NoError(t, err)
		assert.Equal(t, c, got)
	}
	good := formatCursor('t', page.Cursor{Rank: 5, ID: 7})
	_, err := read('n', good)
	assert.Error(t, err, "the cursor of another list")
	for _, sent := range []string{
		"x", "null", good + "=", good + "A", good[1:], good[:len(good)-1] + "_", formatCursor('t', page.Cursor{Rank: -1, ID: 7}),
		formatCursor('t', page.Cursor{Rank: 5, ID: -7}), formatCursor('t', page.Cursor{Rank: 5}),
	} {
		_, err := read('t', sent)
		assert.Error(t, err, sent)
	}
	start, err := read('t', " ")
	assert.NoError(t, err)
	assert.Zero(t, start)
}
