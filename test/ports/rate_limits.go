package ports

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/ratelimit"
)

// RateLimits is the suite of all methods that take charges (GEN-14).
func RateLimits(t *testing.T, open Open) {
	for _, m := range guardedWrites {
		t.Run(m.name, func(t *testing.T) {
			promised := func(kept func(w *fixtures, c guardedWrite)) func(*fixtures) {
				return func(w *fixtures) { kept(w, m.prepare(w)) }
			}
			open.keeps(t, []promise{
				{"a limit admits its count, and again when the refusal said", promised(chargedCount)},
				{"writers at once never exceed a limit, and use all of it", promised(chargedAtOnce)},
				{"a write that fails is not charged", promised(failedNotCharged)},
				{"of several charges all are applied, or none", promised(chargedAll)},
				{"a charge that is undone gives back what it still takes up", promised(chargedUndone)},
				{"what a clock that ran ahead has charged is no debt", promised(chargedAhead)},
				{"accounts and actions are charged apart, and a free charge costs nothing", promised(chargedApart)},
			})
		})
	}
}

// charge is one unit of the account's comments, whichever method it pays for.
func (c guardedWrite) charge(limit ratelimit.Limit, now time.Time) ratelimit.Charge {
	return ratelimit.Limits{ratelimit.Comment: limit}.Charge(int64(c.account), ratelimit.Comment, now)
}

// pays is the write, which completes no key.
func (c guardedWrite) pays(i int, charges ...ratelimit.Charge) error {
	_, err := c.write(i, nil, charges...)
	return err
}

// requireThrottled asserts that the write was refused, and returns how long to wait.
func requireThrottled(w *fixtures, err error) time.Duration {
	w.Helper()
	f, isFault := fault.As(err)
	require.True(w, isFault, "%v", err)
	require.Equal(w, fault.Throttled, f.Kind, "%v", err)
	return f.RetryAfter
}

func chargedCount(w *fixtures, c guardedWrite) {
	limit := ratelimit.Limit{Count: 3, Period: time.Hour}
	for i := range 3 {
		require.NoError(w, c.pays(i, c.charge(limit, noon)))
	}
	assert.Equal(w, 20*time.Minute, requireThrottled(w, c.pays(3, c.charge(limit, noon))))
	almost := noon.Add(20*time.Minute - time.Microsecond)
	assert.Equal(w, time.Microsecond, requireThrottled(w, c.pays(3, c.charge(limit, almost))), "a refusal is not charged")
	assert.Len(w, c.stored(), 3, "a refused write stores nothing")
	require.NoError(w, c.pays(3, c.charge(limit, noon.Add(20*time.Minute))))
	assert.Len(w, c.stored(), 4)
	requireThrottled(w, c.pays(4, c.charge(limit, noon.Add(20*time.Minute))))

	later := noon.Add(24 * time.Hour)
	for i := range 3 {
		require.NoError(w, c.pays(4+i, c.charge(limit, later)))
	}
	assert.Equal(w, 20*time.Minute, requireThrottled(w, c.pays(7, c.charge(limit, later))), "unused time is not saved")
}

func chargedAtOnce(w *fixtures, c guardedWrite) {
	limit := ratelimit.Limit{Count: 5, Period: time.Hour}
	admitted := 0
	for _, err := range atOnce(many, func(i int) error { return c.pays(i, c.charge(limit, noon)) }) {
		if err == nil {
			admitted++
			continue
		}
		assert.Equal(w, 12*time.Minute, requireThrottled(w, err))
	}
	assert.Equal(w, 5, admitted)
	assert.Len(w, c.stored(), 5)
}

func failedNotCharged(w *fixtures, c guardedWrite) {
	limit := ratelimit.Limit{Count: 1, Period: time.Hour}
	for range 3 {
		_, err := c.fail(nil, c.charge(limit, noon))
		require.Error(w, err)
		require.False(w, fault.Is(err, fault.Throttled), "%v", err)
	}
	require.NoError(w, c.pays(0, c.charge(limit, noon)))
	assert.Equal(w, time.Hour, requireThrottled(w, c.pays(1, c.charge(limit, noon))))
}

func chargedAll(w *fixtures, c guardedWrite) {
	limits := ratelimit.Limits{ratelimit.Upload: {Count: 3, Period: time.Hour}, ratelimit.UploadBytes: {Count: 100, Period: time.Hour}}
	upload := func(bytes int64) []ratelimit.Charge { return limits.Upload(int64(c.account), bytes, noon) }
	require.NoError(w, c.pays(0, upload(60)...))
	for range 3 {
		assert.Equal(w, 12*time.Minute, requireThrottled(w, c.pays(1, upload(60)...)))
	}
	assert.Len(w, c.stored(), 1)
	require.NoError(w, c.pays(1, upload(20)...))
	require.NoError(w, c.pays(2, upload(10)...), "refused uploads have not used up the count")
	for range 3 {
		assert.Equal(w, 20*time.Minute, requireThrottled(w, c.pays(3, upload(10)...)))
	}
	assert.Len(w, c.stored(), 3)
	delete(limits, ratelimit.Upload)
	require.NoError(w, c.pays(3, upload(10)...), "nor the bytes")
	requireThrottled(w, c.pays(4, upload(1)...))
}

func chargedUndone(w *fixtures, c guardedWrite) {
	limit, later := ratelimit.Limit{Count: 2, Period: time.Hour}, noon.Add(10*time.Minute)
	first := c.charge(limit, noon)
	require.NoError(w, c.pays(0, first))
	require.NoError(w, c.pays(1, first))
	assert.Equal(w, 20*time.Minute, requireThrottled(w, c.pays(2, c.charge(limit, later))))
	require.NoError(w, c.pays(2, first.Undone(later)))
	require.NoError(w, c.pays(3, c.charge(limit, later)))
	require.NoError(w, c.pays(4, first.Undone(noon.Add(30*time.Minute))), "of which nothing is left")
	assert.Equal(w, 30*time.Minute, requireThrottled(w, c.pays(5, c.charge(limit, later))))
	assert.Len(w, c.stored(), 5)
}

func chargedAhead(w *fixtures, c guardedWrite) {
	limit := ratelimit.Limit{Count: 3, Period: time.Hour}
	for i := range 3 {
		require.NoError(w, c.pays(i, c.charge(limit, noon.Add(24*time.Hour))))
	}
	for i := range 3 {
		require.NoError(w, c.pays(3+i, c.charge(limit, noon)))
	}
	assert.Equal(w, 20*time.Minute, requireThrottled(w, c.pays(6, c.charge(limit, noon))))
	assert.Equal(w, 20*time.Minute+ratelimit.Skew, requireThrottled(w, c.pays(6, c.charge(limit, noon.Add(-ratelimit.Skew)))),
		"clocks differ by so much")
}

func chargedApart(w *fixtures, c guardedWrite) {
	limit := ratelimit.Limit{Count: 1, Period: time.Hour}
	require.NoError(w, c.pays(0, c.charge(limit, noon)))
	requireThrottled(w, c.pays(1, c.charge(limit, noon)))
	other := c.charge(limit, noon)
	other.Action = ratelimit.Like
	require.NoError(w, c.pays(1, other))
	another := c.charge(limit, noon)
	another.Account = int64(w.newUser())
	require.NoError(w, c.pays(2, another))
	for i := range 3 {
		require.NoError(w, c.pays(3+i, ratelimit.Charge{}, c.charge(ratelimit.Off, noon)))
	}
}
