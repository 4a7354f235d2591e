package allocations_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/test/allocations"
)

var kept []*int

func TestOther_allocations_of_the_program_do_not_count(t *testing.T) {
	const runs = 10
	calls := 0
	got := allocations.PerRun(runs, func() {
		if calls++; calls <= runs { // as a background job would, during the first series
			kept = append(kept[:0], new(int), new(int), new(int))
		}
		kept = append(kept[:0], new(int))
	})
	assert.Equal(t, 1.0, got)
	assert.Equal(t, allocations.Series*(runs+1), calls)
}
