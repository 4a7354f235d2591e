package page_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/fault"
	"plaza/domain/page"
)

func TestGEN04_sizes_and_numbers(t *testing.T) {
	var zero page.Request
	assert.Equal(t, 1, zero.Number())
	assert.Equal(t, page.DefaultSize, zero.Size())

	r, err := page.New(3, 101)
	require.NoError(t, err)
	assert.Equal(t, page.MaxSize, r.Size())
	assert.Equal(t, 200, r.Offset())

	_, err = page.New(0, -1)
	f, ok := fault.As(err)
	require.True(t, ok)
	assert.Len(t, f.Fields, 2, "both at once")
}

func TestGEN03_an_empty_list_has_one_page(t *testing.T) {
	p, err := page.Of[int](page.Request{}, nil, 0, nil)
	require.NoError(t, err)
	assert.Equal(t, 1, p.Request.Pages(p.Total))
	_, hasNext := p.Request.Next(p.Total)
	_, hasPrevious := p.Request.Previous()
	assert.False(t, hasNext)
	assert.False(t, hasPrevious)

	second, err := page.New(2, 20)
	require.NoError(t, err)
	_, err = page.Of[int](second, nil, 20, nil)
	assert.True(t, fault.Is(err, fault.NotFound), "past the last")
}

func TestPaging_through_yields_everything_once(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.IntRange(0, 500).Draw(t, "total")
		size := rapid.IntRange(1, 130).Draw(t, "size")
		seen, number, last := 0, 1, 0
		for {
			r, err := page.New(number, size)
			require.NoError(t, err)
			require.Equal(t, seen, r.Offset())
			p, err := page.Of(r, make([]int, min(r.Size(), total-r.Offset())), total, nil)
			require.NoError(t, err)
			if back, has := p.Request.Previous(); has {
				require.Equal(t, last, back)
			} else {
				require.Equal(t, 1, number)
			}
			seen += len(p.Items)
			next, has := p.Request.Next(p.Total)
			if !has {
				require.Equal(t, p.Request.Pages(p.Total), number)
				break
			}
			last, number = number, next
		}
		require.Equal(t, total, seen)
	})
}

func TestHuge_numbers_do_not_overflow(t *testing.T) {
	r, err := page.New(1<<62, 1<<62)
	require.NoError(t, err)
	assert.Positive(t, r.Offset())
	_, err = page.Of[int](r, nil, 1000, nil)
	assert.True(t, fault.Is(err, fault.NotFound))
}

func TestMap_and_With_keep_the_page(t *testing.T) {
	r, err := page.New(2, 2)
	require.NoError(t, err)
	p, err := page.Of(r, []int{3, 4}, 5, nil)
	require.NoError(t, err)
	doubled := page.Map(p, func(i int) int { return 2 * i })
	assert.Equal(t, []int{6, 8}, doubled.Items)
	named := page.With(p, []string{"three", "four"})
	assert.Equal(t, 2, named.Request.Number())
	assert.Equal(t, 3, named.Request.Pages(named.Total))
}

func TestEVT23_a_part_of_a_list_says_where_it_continues(t *testing.T) {
	key := func(n int64) page.Cursor { return page.Cursor{Rank: 1, ID: n} }
	more := page.UpTo(2, []int64{5, 4, 3}, key)
	assert.Equal(t, []int64{5, 4}, more.Items)
	assert.Equal(t, page.Cursor{Rank: 1, ID: 4}, more.Next)
	assert.Zero(t, page.UpTo(2, []int64{5, 4}, key).Next)

	assert.Equal(t, page.DefaultSize, page.CursorRequest{}.Size())
	assert.Equal(t, page.MaxSize, page.Behind(page.Cursor{}, page.MaxSize+1).Size())
}
