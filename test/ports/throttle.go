package ports

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// Throttle is the suite of access.Throttle. No user in it has an account: phones without an account count alike.
func Throttle(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"Begin takes as many of a phone from unusual sources as ByUnusual allows", beginByUnusual},
		{"Begin takes as many from a source as BySourceAny allows", beginBySource},
		{"Begin counts nothing when one grouping is full", beginRefused},
		{"of several full groupings the fault has the time until the last one is free", beginLatest},
		{"attempts at once can't slip by", beginAtOnce},
		{"what a clock that ran ahead has counted stops no attempt", beginAhead},
		{"Succeed takes the attempt back in every grouping", succeedTakesBack},
		{"Succeed forgets what counted ByPair, and nothing else", succeedForgets},
		{"Succeed makes the source a usual one of the phone", succeedUsual},
		{"Abandon takes back one attempt, and nothing else", abandon},
		{"Forget takes back the phone's attempts from all sources, and leaves its usual sources", forgetFailures},
	})
}

// limit finds the limit of the grouping.
func limit(g access.Grouping) access.Limit {
	for _, l := range access.Limits() {
		if l.Grouping == g {
			return l
		}
	}
	panic("there is no such limit")
}

// try is an attempt for the n-th phone from the m-th source.
func try(n, m int) access.Attempt {
	addr := netip.AddrFrom4([4]byte{192, 0, byte(m >> 8), byte(m)})
	return access.Attempt{Phone: phone(n), Source: access.SourceOf(addr)}
}

// fail makes attempts that stay failed, all of which must be taken.
func (w *fixtures) fail(now time.Time, attempts ...access.Attempt) {
	for i, a := range attempts {
		require.NoError(w, w.Throttle.Begin(w.Context(), a, now), "attempt %d", i+1)
	}
}

// login makes an attempt that succeeds, for an account.
func (w *fixtures) login(now time.Time, a access.Attempt) {
	if _, err := w.Accounts.ByPhone(w.Context(), a.Phone); err != nil {
		_, err := w.Accounts.Open(w.Context(), access.Account{Phone: a.Phone}, user.Member{Timezone: "UTC", Joined: noon})
		require.NoError(w, err)
	}
	w.fail(now, a)
	require.NoError(w, w.Throttle.Succeed(w.Context(), a, now))
}

// full asserts that the attempt is not taken, and returns when it will be.
func (w *fixtures) full(now time.Time, a access.Attempt) time.Duration {
	err := w.Throttle.Begin(w.Context(), a, now)
	require.True(w, fault.Is(err, fault.Throttled), "%v", err)
	f, _ := fault.As(err)
	require.Positive(w, f.RetryAfter)
	return f.RetryAfter
}

// attempts are so many, each made with its number.
func attempts(n int, make func(i int) access.Attempt) (all []access.Attempt) {
	for i := range n {
		all = append(all, make(i))
	}
	return all
}

// times is the attempt so many times.
func times(n int, a access.Attempt) []access.Attempt {
	return attempts(n, func(int) access.Attempt { return a })
}

// strangers are attempts for the n-th phone from sources of their own, numbered from the first on.
func strangers(n, first, count int) []access.Attempt {
	return attempts(count, func(i int) access.Attempt { return try(n, first+i) })
}

// neighbours are attempts from the m-th source for phones of their own.
func neighbours(m, first, count int) []access.Attempt {
	return attempts(count, func(i int) access.Attempt { return try(first+i, m) })
}

func beginByUnusual(w *fixtures) {
	l := limit(access.ByUnusual)
	w.login(noon, try(1, 1))
	now := noon.Add(time.Hour)
	w.fail(now, times(2, try(1, 1))...) // usual: not counted
	w.fail(now, strangers(1, 100, l.Max)...)
	w.full(now, try(1, 500))
	w.full(now, try(1, 100))
	w.fail(now, try(1, 1), try(2, 500))
	w.full(now.Add(l.Window-time.Microsecond), try(1, 500))
	w.fail(now.Add(l.Window), try(1, 500))
}

func beginBySource(w *fixtures) {
	l := limit(access.BySourceAny)
	w.login(noon, try(1, 1))
	w.fail(noon, neighbours(1, 1, l.Max-1)...)
	w.login(noon, try(900, 1))
	w.fail(noon, try(901, 1))
	w.full(noon, try(902, 1))
	w.fail(noon, try(902, 2))
	w.full(noon.Add(l.Window-time.Microsecond), try(902, 1))
	w.fail(noon.Add(l.Window), try(902, 1))
}

func beginRefused(w *fixtures) {
	pair, unusual := limit(access.ByPair), limit(access.ByUnusual)
	w.fail(noon, times(pair.Max, try(1, 1))...)
	for minute := range int(pair.Window / time.Minute) {
		w.full(noon.Add(time.Duration(minute)*time.Minute), try(1, 1))
	}
	w.fail(noon.Add(pair.Window), times(pair.Max, try(1, 1))...)
	w.fail(noon.Add(pair.Window), strangers(1, 100, unusual.Max-2*pair.Max)...)
	w.full(noon.Add(pair.Window), try(1, 500))
}

func beginLatest(w *fixtures) {
	pair, source := limit(access.ByPair), limit(access.BySourceAny)
	w.fail(noon, neighbours(1, 100, source.Max-pair.Max)...)
	later := noon.Add(5 * time.Minute)
	w.fail(later, times(pair.Max, try(1, 1))...)
	assert.Equal(w, source.Window-5*time.Minute, w.full(later, try(2, 1)))
	after := w.full(later, try(1, 1))
	assert.Equal(w, pair.Window, after)
	w.fail(later.Add(after), try(1, 1))
}

func beginAtOnce(w *fixtures) {
	taken := 0
	for _, err := range atOnce(50, func(int) error { return w.Throttle.Begin(w.Context(), try(1, 1), noon) }) {
		if err == nil {
			taken++
			continue
		}
		assert.True(w, fault.Is(err, fault.Throttled), "%v", err)
	}
	assert.Equal(w, limit(access.ByPair).Max, taken)
}

func beginAhead(w *fixtures) {
	pair, unusual, source := limit(access.ByPair).Max, limit(access.ByUnusual).Max, limit(access.BySourceAny).Max
	w.fail(noon.Add(24*time.Hour), slices.Concat(times(pair, try(1, 1)), strangers(1, 100, unusual-pair), neighbours(1, 1000, source-pair))...)
	w.fail(noon.Add(ratelimit.Skew), times(pair, try(1, 1))...)
	requireThrottled(w, w.Throttle.Begin(w.Context(), try(1, 1), noon))
	w.fail(noon, try(1, 2), try(2, 1))
}

func succeedTakesBack(w *fixtures) {
	pair, unusual := limit(access.ByPair), limit(access.ByUnusual)
	w.fail(noon, strangers(1, 100, unusual.Max-1)...)
	for m := range 3 {
		w.login(noon, try(1, m)) // each from an unusual source
	}
	w.fail(noon, try(1, 500))
	w.full(noon, try(1, 501))

	for range 2 * pair.Max {
		w.login(noon, try(1, 1))
	}
	w.fail(noon, times(pair.Max, try(1, 1))...)
	w.full(noon, try(1, 1))
}

func succeedForgets(w *fixtures) {
	pair, unusual := limit(access.ByPair), limit(access.ByUnusual)
	w.fail(noon, times(pair.Max, try(1, 2))...)
	w.fail(noon, times(pair.Max-1, try(1, 1))...)
	w.login(noon, try(1, 1))

	w.fail(noon, times(pair.Max, try(1, 1))...)
	w.full(noon, try(1, 1))
	w.full(noon, try(1, 2))
	w.fail(noon, strangers(1, 100, unusual.Max-2*pair.Max+1)...)
	w.full(noon, try(1, 500))
}

func succeedUsual(w *fixtures) {
	unusual := limit(access.ByUnusual)
	for n, now := range []time.Time{noon.Add(time.Hour), noon.Add(access.UsualFor - time.Second)} {
		w.login(noon, try(n, 1))
		w.fail(now, strangers(n, 100, unusual.Max)...)
		w.fail(now, try(n, 1))
		w.full(now, try(n, 2))
	}
	tooLate := noon.Add(access.UsualFor + time.Second)
	w.login(noon, try(9, 1))
	w.fail(tooLate, strangers(9, 100, unusual.Max)...)
	w.full(tooLate, try(9, 1))

	// A server whose clock is behind does not make a usual source less of one.
	w.login(noon, try(10, 1))
	w.login(noon.Add(-time.Hour), try(10, 1))
	late := noon.Add(access.UsualFor - time.Second)
	w.fail(late, strangers(10, 100, unusual.Max)...)
	w.fail(late, try(10, 1))
}

func abandon(w *fixtures) {
	pair, unusual := limit(access.ByPair), limit(access.ByUnusual)
	w.fail(noon, times(pair.Max, try(1, 1))...)
	require.NoError(w, w.Throttle.Abandon(w.Context(), try(1, 1), noon))
	w.fail(noon, try(1, 1))
	w.full(noon, try(1, 1))

	w.fail(noon, strangers(1, 100, unusual.Max-pair.Max)...)
	w.full(noon, try(1, 500))
	require.NoError(w, w.Throttle.Abandon(w.Context(), try(1, 100), noon))
	w.fail(noon, try(1, 500))
	w.full(noon, try(1, 501))
	w.full(noon, try(1, 100)) // coming to no decision made it no usual source
}

func forgetFailures(w *fixtures) {
	pair, unusual := limit(access.ByPair), limit(access.ByUnusual)
	w.login(noon, try(1, 1))
	w.fail(noon, times(pair.Max, try(1, 1))...)
	w.fail(noon, strangers(1, 100, unusual.Max)...)
	w.fail(noon, times(pair.Max, try(2, 100))...)
	require.NoError(w, w.Throttle.Forget(w.Context(), phone(1)))
	w.fail(noon, times(pair.Max, try(1, 1))...)
	w.fail(noon, strangers(1, 100, unusual.Max)...)
	w.full(noon, try(2, 100))
	for at, want := range map[time.Time]bool{noon.Add(access.UsualFor - time.Microsecond): true, noon.Add(access.UsualFor): false} {
		is, err := w.Throttle.IsUsual(w.Context(), try(1, 1), at)
		require.NoError(w, err)
		assert.Equal(w, want, is)
	}
}
