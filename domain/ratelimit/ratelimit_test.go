package ratelimit_test

import (
	"encoding/binary"
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
	charge := ratelimit.Charge{Limit: ratelimit.Limit{Count: 60, Period: time.Hour}, Units: 1, Now: noon}
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

func TestGEN_14_a_clock_that_ran_ahead_locks_nobody_out(t *testing.T) {
	charge := ratelimit.Charge{Limit: ratelimit.Limit{Count: 60, Period: time.Hour}, Units: 1, Now: noon}
	_, err := charge.Apply(noon.Add(time.Hour + ratelimit.Skew))
	require.Error(t, err, "clocks differ by so much")
	paid, err := charge.Apply(noon.Add(time.Hour + ratelimit.Skew + time.Microsecond))
	require.NoError(t, err)
	assert.Equal(t, noon.Add(time.Minute), paid, "as without the debt")
}

func TestGEN_14_a_limit_that_is_off_admits_everything(t *testing.T) {
	for _, off := range []ratelimit.Limit{{}, {Count: 5}, {Period: time.Hour}, ratelimit.Off} {
		paid := noon.Add(1000 * time.Hour)
		after, err := ratelimit.Charge{Limit: off, Units: 1 << 60, Now: noon}.Apply(paid)
		require.NoError(t, err)
		assert.Equal(t, paid, after)
	}
}

func TestGEN_14_a_charge_above_the_limit_takes_all_of_it(t *testing.T) {
	charge := ratelimit.Charge{Limit: ratelimit.Limit{Count: 10, Period: time.Hour}, Units: 1000, Now: noon}
	paid, err := charge.Apply(time.Time{})
	require.NoError(t, err)
	assert.Equal(t, noon.Add(time.Hour), paid)
	charge.Units = 1
	_, err = charge.Apply(paid)
	assert.Error(t, err)
}

// TestGEN_14_the_whole_count_is_admitted_at_once holds for counts that do not divide the period.
func TestGEN_14_the_whole_count_is_admitted_at_once(t *testing.T) {
	for count := int64(1); count <= 300; count++ {
		charge := ratelimit.Charge{Limit: ratelimit.Limit{Count: count, Period: time.Hour}, Units: 1, Now: noon}
		var paid time.Time
		var err error
		for range count {
			paid, err = charge.Apply(paid)
			require.NoError(t, err, "%d/h", count)
		}
		_, err = charge.Apply(paid)
		require.Error(t, err, "%d/h", count)
	}
}

func TestGEN_14_limits_charge_only_what_is_limited(t *testing.T) {
	limits := ratelimit.Limits{ratelimit.Comment: {Count: 5, Period: time.Hour}, ratelimit.Like: {}}
	assert.Equal(t, ratelimit.Charge{Account: 7, Action: ratelimit.Comment, Limit: limits[ratelimit.Comment], Units: 1, Now: noon},
		limits.Charge(7, ratelimit.Comment, noon))
	limits[ratelimit.UploadBytes] = ratelimit.Limit{Count: 100, Period: time.Hour}
	assert.Equal(t, []ratelimit.Charge{
		{}, {Account: 7, Action: ratelimit.UploadBytes, Limit: limits[ratelimit.UploadBytes], Units: 12, Now: noon},
	}, limits.Upload(7, 12, noon))
	for _, free := range []ratelimit.Charge{
		limits.Charge(7, ratelimit.Like, noon), limits.Charge(7, ratelimit.Follow, noon), ratelimit.Limits(nil).Charge(7, ratelimit.Like, noon),
	} {
		assert.Zero(t, free)
		assert.True(t, free.IsFree())
	}
}

func TestGEN_14_a_refusal_names_the_action(t *testing.T) {
	texts := map[string]bool{}
	for _, action := range []ratelimit.Action{
		ratelimit.Comment, ratelimit.Like, ratelimit.Follow, ratelimit.Event, ratelimit.Upload, ratelimit.UploadBytes, ratelimit.Login,
		ratelimit.Search,
	} {
		f, isFault := fault.As(ratelimit.ErrThrottled(action, time.Second))
		require.True(t, isFault)
		assert.Regexp(t, `^You are .+ too .+\. Try again later\.$`, f.Text)
		assert.False(t, texts[f.Text], f.Text)
		texts[f.Text] = true
	}
}

func TestLimit_of_a_text(t *testing.T) {
	for text, want := range map[string]ratelimit.Limit{
		"300/h": {Count: 300, Period: time.Hour}, "1/s": {Count: 1, Period: time.Second}, "5/m": {Count: 5, Period: time.Minute},
		"8GiB/d": {Count: 8 << 30, Period: 24 * time.Hour}, "2KiB/s": {Count: 2048, Period: time.Second},
		"3MiB/h": {Count: 3 << 20, Period: time.Hour},
		"off":    ratelimit.Off,
	} {
		limit := ratelimit.Limit{Count: 1, Period: 1}
		require.NoError(t, limit.UnmarshalText([]byte(text)), text)
		assert.Equal(t, want, limit, text)
	}
	for _, text := range []string{
		"", "300", "/h", "300/", "300/w", "0/h", "-1/h", "many/h", "1.5/h", "5GB/d", "GiB/d", "5/h/h", " 5/h", "none",
		"9223372036854775807/h", "9999999999GiB/d", "99999999999999999999/h",
	} {
		var limit ratelimit.Limit
		assert.ErrorContains(t, limit.UnmarshalText([]byte(text)), "300/h", text)
	}
}

// keyOf returns a key of its own for each number, as long as an address.
func keyOf(n int) []byte { return binary.BigEndian.AppendUint64(make([]byte, 8), uint64(n)) }

// once is a limit of one within an hour, and a charge that uses it up.
var once = ratelimit.Charge{Limit: ratelimit.Limit{Count: 1, Period: time.Hour}, Units: 1, Now: noon}

func TestGEN_14_a_sketch_admits_what_the_limit_of_each_key_admits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := ratelimit.Limit{Count: rapid.Int64Range(1, 5).Draw(t, "count"), Period: time.Hour}
		now, paid := noon, map[int]time.Time{}
		sketch := ratelimit.NewSketch(now)
		for range rapid.IntRange(1, 200).Draw(t, "charges") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(10*time.Minute)).Draw(t, "pause")))
			key := rapid.IntRange(1, 5).Draw(t, "key")
			charge := ratelimit.Charge{Limit: limit, Units: 1, Now: now}
			after, want := charge.Apply(paid[key])
			if want == nil {
				paid[key] = after
			}
			assert.Equal(t, want == nil, sketch.Admits(keyOf(key), charge))
			assert.Equal(t, want, sketch.Charge(keyOf(key), charge))
		}
	})
}

func TestGEN_14_a_sketch_forgets_no_debt_however_many_keys_it_is_charged_for(t *testing.T) {
	sketch := ratelimit.NewSketch(noon)
	all := ratelimit.Charge{Limit: ratelimit.Limit{Count: 1000, Period: time.Hour}, Units: 1000, Now: noon}
	one := all
	one.Units = 1
	require.NoError(t, sketch.Charge(keyOf(0), all))
	for i := range 300_000 {
		if err := sketch.Charge(keyOf(1+i), one); err != nil {
			require.NoError(t, err, "key %d", 1+i)
		}
	}
	one.Now = noon.Add(3599 * time.Millisecond)
	assert.Error(t, sketch.Charge(keyOf(0), one))
	one.Now = noon.Add(3600 * time.Millisecond)
	assert.NoError(t, sketch.Charge(keyOf(0), one), "a thousandth of an hour")
}

func TestGEN_14_a_sketch_has_no_debts_at_first_whatever_the_clock_says(t *testing.T) {
	before := once
	before.Now = noon.Add(-24 * time.Hour)
	assert.NoError(t, ratelimit.NewSketch(noon).Charge(keyOf(0), before))
}

func TestGEN_14_keys_at_their_limit_stop_few_other_keys(t *testing.T) {
	sketch := ratelimit.NewSketch(noon)
	for i := range 10_000 {
		_ = sketch.Charge(keyOf(i), once)
	}
	stopped := 0
	for i := range 100_000 {
		if !sketch.Admits(keyOf(1_000_000+i), once) {
			stopped++
		}
	}
	assert.Less(t, stopped, 200, "about 40, one of 2,500")
}
