package page_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/page"
)

func TestEVT23_a_part_of_a_list_says_where_it_continues(t *testing.T) {
	key := func(n int64) page.Cursor { return page.Cursor{Rank: 1, ID: n} }
	more := page.UpTo(2, []int64{5, 4, 3}, key)
	assert.Equal(t, []int64{5, 4}, more.Items)
	assert.Equal(t, page.Cursor{Rank: 1, ID: 4}, more.Next)
	assert.Zero(t, page.UpTo(2, []int64{5, 4}, key).Next)

	assert.Equal(t, page.DefaultSize, page.CursorRequest{}.Size())
	assert.Equal(t, page.MaxSize, page.Behind(page.Cursor{}, page.MaxSize+1).Size())
}
