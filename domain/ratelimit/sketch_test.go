package ratelimit_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/ratelimit"
)

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

func TestGEN_14_a_charge_allocates_nothing(t *testing.T) {
	sketch, charge := ratelimit.NewSketch(noon), once
	charge.Limit.Count = 1 << 40
	key := keyOf(1)
	assert.Zero(t, testing.AllocsPerRun(1000, func() { _ = sketch.Charge(key, charge) }))
}

// BenchmarkSketch charges as many keys as the name says in turn.
func BenchmarkSketch(b *testing.B) {
	for name, keys := range map[string]int{"one": 1, "100000": 100_000} {
		b.Run(name, func(b *testing.B) {
			sketch := ratelimit.NewSketch(time.Now())
			charge := ratelimit.Charge{Limit: ratelimit.Limit{Count: 6000, Period: time.Minute}, Units: 1, Now: time.Now()}
			all := make([][]byte, keys)
			for i := range all {
				all[i] = keyOf(i)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				charge.Now = charge.Now.Add(10 * time.Millisecond) // as fast as the limit admits
				if err := sketch.Charge(all[i%keys], charge); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
