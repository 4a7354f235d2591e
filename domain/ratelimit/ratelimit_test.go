package ratelimit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/fault"
	"plaza/domain/ratelimit"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestGEN_14_a_limit_admits_its_count_at_once_and_then_evenly(t *testing.T) {
	charge := ratelimit.Charge{Limit: ratelimit.Limit{Count: 60, Period: time.Hour}, Cost: 1, Now: noon}
	var paid time.Time
	var err error
	for range 60 {
		paid, err = charge.Apply(paid)
		require.NoError(t, err)
	}
	_, err = charge.Apply(paid)
	f, isFault := fault.As(err)
	require.True(t, isFault)
	assert.Equal(t, fault.Throttled, f.Kind)
	assert.Equal(t, time.Minute, f.RetryAfter)

	charge.Now = noon.Add(time.Minute - time.Microsecond)
	_, err = charge.Apply(paid)
	assert.Error(t, err)
	charge.Now = noon.Add(time.Minute)
	paid, err = charge.Apply(paid)
	require.NoError(t, err)
	_, err = charge.Apply(paid)
	assert.Error(t, err)

	charge.Now = noon.Add(24 * time.Hour)
	paid, err = charge.Apply(paid)
	require.NoError(t, err)
	assert.Equal(t, charge.Now.Add(time.Minute), paid, "unused time is not saved")
}

func TestGEN_14_a_limit_that_is_off_admits_everything(t *testing.T) {
	for _, off := range []ratelimit.Limit{{}, {Count: 5}, {Period: time.Hour}} {
		paid := noon.Add(1000 * time.Hour)
		after, err := ratelimit.Charge{Limit: off, Cost: 1 << 60, Now: noon}.Apply(paid)
		require.NoError(t, err)
		assert.Equal(t, paid, after)
	}
}

func TestGEN_14_a_charge_above_the_limit_takes_all_of_it(t *testing.T) {
	charge := ratelimit.Charge{Limit: ratelimit.Limit{Count: 10, Period: time.Hour}, Cost: 1000, Now: noon}
	paid, err := charge.Apply(time.Time{})
	require.NoError(t, err)
	assert.Equal(t, noon.Add(time.Hour), paid)
	charge.Cost = 1
	_, err = charge.Apply(paid)
	assert.Error(t, err)
}

// TestGEN_14_no_window_has_more_than_twice_the_count: of any calls, those that are admitted
// within a period are at most the count at once and the count spread.
func TestGEN_14_no_window_has_more_than_twice_the_count(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := ratelimit.Limit{Count: rapid.Int64Range(1, 20).Draw(t, "count"), Period: time.Hour}
		now, paid := noon, time.Time{}
		var admitted []time.Time
		for _, pause := range rapid.SliceOfN(rapid.Int64Range(0, int64(20*time.Minute)), 1, 200).Draw(t, "pauses") {
			now = now.Add(time.Duration(pause))
			after, err := ratelimit.Charge{Limit: limit, Cost: 1, Now: now}.Apply(paid)
			if err != nil {
				f, _ := fault.As(err)
				later := ratelimit.Charge{Limit: limit, Cost: 1, Now: now.Add(f.RetryAfter)}
				_, err := later.Apply(paid)
				require.NoError(t, err, "RetryAfter is enough")
				continue
			}
			paid = after
			admitted = append(admitted, now)
		}
		for i, began := range admitted {
			n := int64(0)
			for _, at := range admitted[i:] {
				if at.Sub(began) < limit.Period {
					n++
				}
			}
			assert.LessOrEqual(t, n, 2*limit.Count)
		}
	})
}
