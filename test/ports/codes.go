package ports

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/ratelimit"
	"plaza/domain/secret"
	"plaza/domain/verification"
)

// Codes is the suite of verification.Store, and of what the methods of access.Accounts do with spendings.
func Codes(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"Reserve stores the code, and Try returns it with its tries", codeIsStored},
		{"Reserve replaces the live code of the number and purpose, and no other", codeReplaces},
		{"Reserve counts in every group, over all purposes, and changes nothing when a limit is full", codeRequestLimits},
		{"Reserve counts addresses of IPv6 by their networks, too", codeNetworks},
		{"Reserve takes one message of the budgets of a day, and changes nothing when one is spent", codeBudgets},
		{"Take takes one message, none, or gives one back, and nothing of a budget that is spent", codeExpenses},
		{"requests at once can't exceed a limit or a budget", codeRequestsAtOnce},
		{"Try counts in every group of the address, and of the number if it returns a code", codeTryLimits},
		{"a try of another purpose or of a code that is tried too often does not count for the number", codeTriesInVain},
		{"of many tries at once all are counted, and MaxTries return the code", codeTriesAtOnce},
		{"what a clock that ran ahead has counted fills no limit, and its codes are not good", codeClockAhead},
		{"Try returns no code that has expired, and none of another purpose or number", codeOfAnother},
		{"a change spends its code and takes the try back, or neither", codeSpent},
		{"a change takes back the latest try", codeLatestTry},
		{"of two changes at once with one code, one is stored", codeSpentAtOnce},
		{"Erase leaves nothing of a number", codeErased},
		{"nothing stays of codes that are asked for and tried while the account is erased", codeErasedMeanwhile},
	})
}

var codeKeys, _ = verification.NewKeys(secret.New("a key of at least thirty-two bytes"))

// requested returns a request for a new code, of the n-th number from the m-th address.
func requested(p verification.Purpose, n, m int, now time.Time) (verification.Request, secret.String) {
	code, drawn := verification.New(p, verification.NumberOf(phone(n)), codeKeys, now)
	expense := verification.Expense{DiallingCode: "86", Messages: 1, Now: now}
	return verification.Request{Code: code.State(), From: try(n, m).Source.First(), Expense: expense}, drawn
}

// tried returns a try, of the n-th number from the m-th address.
func tried(p verification.Purpose, n, m int, now time.Time) verification.Attempt {
	return verification.Attempt{Purpose: p, Number: verification.NumberOf(phone(n)), From: try(n, m).Source.First(), Now: now}
}

// reserve reserves a code.
func (w *fixtures) reserve(p verification.Purpose, n, m int, now time.Time) (verification.State, secret.String) {
	w.Helper()
	r, drawn := requested(p, n, m, now)
	require.NoError(w, w.Codes.Reserve(w.Context(), r))
	return r.Code, drawn
}

// spending returns the spending of a new code to sign up.
func (w *fixtures) spending(n int, now time.Time) verification.Spending {
	w.Helper()
	_, drawn := w.reserve(verification.SignUp, n, n, now)
	code, err := w.Codes.Try(w.Context(), tried(verification.SignUp, n, n, now))
	require.NoError(w, err)
	s, err := code.Verify(codeKeys, drawn, try(n, n).Source.First())
	require.NoError(w, err)
	return s
}

func codeIsStored(w *fixtures) {
	want, _ := w.reserve(verification.ChangePhone, 1, 1, noon)
	for n := range verification.MaxTries {
		code, err := w.Codes.Try(w.Context(), tried(verification.ChangePhone, 1, 1, noon.Add(time.Minute)))
		require.NoError(w, err)
		want.Tries = n + 1
		assert.Equal(w, want, code.State())
	}
	_, err := w.Codes.Try(w.Context(), tried(verification.ChangePhone, 1, 1, noon.Add(time.Minute)))
	assert.Equal(w, verification.ErrWrongCode, err)
	assertComplete(w, []verification.State{want})
}

func codeReplaces(w *fixtures) {
	w.reserve(verification.SignUp, 1, 1, noon)
	other, _ := w.reserve(verification.Erase, 1, 1, noon.Add(2*time.Minute))
	next, _ := w.reserve(verification.SignUp, 1, 1, noon.Add(4*time.Minute))
	for _, want := range []verification.State{other, next} {
		code, err := w.Codes.Try(w.Context(), tried(want.Purpose, 1, 1, noon.Add(5*time.Minute)))
		require.NoError(w, err)
		assert.Equal(w, want.ID, code.State().ID)
	}
}

// codeLimitOf returns the tightest limit of the grouping.
func codeLimitOf(limits []verification.Limit, g verification.Grouping) (found verification.Limit) {
	for _, l := range limits {
		if l.Grouping == g && (found.Max == 0 || l.Max < found.Max) {
			found = l
		}
	}
	return found
}

// requireFull asserts that a limit refuses, and returns after what time it admits.
func requireFull(w *fixtures, err error, name string) time.Duration {
	w.Helper()
	f, is := fault.As(err)
	require.True(w, is, "%v", err)
	require.Equal(w, fault.Throttled, f.Kind)
	require.Equal(w, name, f.Limit)
	return f.RetryAfter
}

func codeRequestLimits(w *fixtures) {
	request := func(p verification.Purpose, n, m int, now time.Time) error {
		r, _ := requested(p, n, m, now)
		return w.Codes.Reserve(w.Context(), r)
	}
	state, _ := w.reserve(verification.SignUp, 1, 1, noon)
	again := request(verification.Erase, 1, 2, noon.Add(time.Second))
	assert.Equal(w, verification.ResendAfter-time.Second, requireFull(w, again, "code_requests"), "another purpose counts, too")
	requireFull(w, request(verification.SignUp, 1, 2, noon.Add(verification.ResendAfter-time.Microsecond)), "code_requests")
	code, err := w.Codes.Try(w.Context(), tried(verification.SignUp, 1, 1, noon.Add(2*time.Second)))
	require.NoError(w, err)
	assert.Equal(w, state.ID, code.State().ID, "a refused request leaves the code")
	require.NoError(w, request(verification.SignUp, 1, 2, noon.Add(verification.ResendAfter)))

	source := codeLimitOf(verification.RequestLimits(), verification.BySource)
	for n := range source.Max {
		require.NoError(w, request(verification.SignUp, 10_000*(n+1), 7, noon))
	}
	last := request(verification.SignUp, 990_000, 7, noon.Add(time.Minute))
	assert.Equal(w, source.Window-time.Minute, requireFull(w, last, "code_requests"))
	require.NoError(w, request(verification.SignUp, 990_000, 8, noon.Add(time.Minute)), "another address")
	require.NoError(w, request(verification.SignUp, 980_000, 7, noon.Add(source.Window)))

	prefix := codeLimitOf(verification.RequestLimits(), verification.ByPrefix)
	for n := range prefix.Max {
		require.NoError(w, request(verification.SignUp, 50_000_000+n, 1000+n, noon))
	}
	requireFull(w, request(verification.SignUp, 50_000_999, 2000, noon), "code_requests")
	require.NoError(w, request(verification.SignUp, 50_010_000, 2000, noon), "another prefix")
}

func codeBudgets(w *fixtures) {
	budget := verification.Budget{Messages: 3, Codes: map[string]int64{"86": 2, "44": 0}}
	request := func(n int, code string, now time.Time) error {
		r, _ := requested(verification.SignUp, 10_000*n, n, now)
		r.DiallingCode, r.Budget = code, budget
		return w.Codes.Reserve(w.Context(), r)
	}
	require.NoError(w, request(1, "86", noon))
	require.NoError(w, request(2, "86", noon))
	assert.Equal(w, verification.DayOf(noon).Add(24*time.Hour).Sub(noon), requireFull(w, request(3, "86", noon), "code_budget"))
	require.NoError(w, request(4, "44", noon))
	requireFull(w, request(5, "44", noon), "code_budget")
	taken, err := w.Codes.Taken(w.Context(), verification.DayOf(noon))
	require.NoError(w, err)
	assert.Equal(w, verification.Taken{Messages: 3, Codes: map[string]int64{"86": 2, "44": 1}}, taken)
	require.NoError(w, request(3, "86", noon.Add(12*time.Hour)), "a refused request counts nowhere, and it is another day")
	_, err = w.Codes.Try(w.Context(), tried(verification.SignUp, 50_000, 5, noon))
	assert.Equal(w, verification.ErrWrongCode, err, "a refused request stores no code")
}

// address is the m-th /64 of a /48.
func address(m int) netip.Addr {
	return netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 0, 0, byte(m >> 8), byte(m)})
}

func codeNetworks(w *fixtures) {
	request := func(n, m int) error {
		r, _ := requested(verification.SignUp, 10_000*n, 0, noon)
		r.From = address(m)
		return w.Codes.Reserve(w.Context(), r)
	}
	limits := verification.RequestLimits()
	source, larger, largest := codeLimitOf(limits, verification.BySource), codeLimitOf(limits, verification.By56),
		codeLimitOf(limits, verification.By48)
	for n := range largest.Max {
		m := n/larger.Max<<8 + n/source.Max
		require.NoError(w, request(n, m))
		switch {
		case n == source.Max-1:
			requireFull(w, request(9000, m), "code_requests")
		case n == larger.Max-1:
			requireFull(w, request(9000, 0xff), "code_requests")
		}
	}
	requireFull(w, request(9000, 0xffff), "code_requests")
	r, _ := requested(verification.SignUp, 9000, 0, noon)
	r.From = netip.MustParseAddr("2001:db8:1::")
	require.NoError(w, w.Codes.Reserve(w.Context(), r), "of another /48")
}

func codeExpenses(w *fixtures) {
	budget := verification.Budget{Messages: 3, Codes: map[string]int64{"86": 2}}
	take := func(code string, messages int64, b verification.Budget) error {
		return w.Codes.Take(w.Context(), verification.Expense{Budget: b, DiallingCode: code, Messages: messages, Now: noon})
	}
	taken := func(all, ofChina, ofHongKong int64) {
		w.Helper()
		got, err := w.Codes.Taken(w.Context(), verification.DayOf(noon))
		require.NoError(w, err)
		assert.Equal(w, verification.Taken{Messages: all, Codes: map[string]int64{"86": ofChina, "852": ofHongKong}}, got)
	}
	require.NoError(w, take("852", 0, budget))
	require.NoError(w, take("86", 0, budget))
	taken(0, 0, 0)
	require.NoError(w, take("86", 1, budget))
	require.NoError(w, take("86", 1, budget))
	requireFull(w, take("86", 1, budget), "code_budget")
	requireFull(w, take("86", 0, budget), "code_budget")
	require.NoError(w, take("852", 1, budget))
	requireFull(w, take("852", 1, budget), "code_budget")
	taken(3, 2, 1)
	require.NoError(w, take("86", -1, verification.Budget{}))
	taken(2, 1, 1)
	require.NoError(w, take("86", 1, budget), "what was given back")
	require.NoError(w, take("86", 1, verification.Budget{}), "no budget refuses none")
	taken(4, 3, 1)
}

func codeRequestsAtOnce(w *fixtures) {
	admitted := func(budget verification.Budget, n func(i int) int) (count int) {
		for _, err := range atOnce(many, func(i int) error {
			r, _ := requested(verification.SignUp, n(i), i, noon)
			r.Budget = budget
			return w.Codes.Reserve(w.Context(), r)
		}) {
			if err == nil {
				count++
			} else {
				assert.True(w, fault.Is(err, fault.Throttled), "%v", err)
			}
		}
		return count
	}
	assert.Equal(w, 1, admitted(verification.Budget{}, func(int) int { return 1 }), "of one number")
	assert.Equal(w, 4, admitted(verification.Budget{Messages: 5}, func(i int) int { return 10_000 * (i + 1) }), "one was taken before")

	prefix := codeLimitOf(verification.RequestLimits(), verification.ByPrefix)
	for n := range prefix.Max - 2 {
		w.reserve(verification.SignUp, 50_000_000+n, 1000+n, noon)
	}
	assert.Equal(w, 2, admitted(verification.Budget{}, func(i int) int { return 50_001_000 + i }), "of a prefix")
}

func codeClockAhead(w *fixtures) {
	ahead := noon.Add(24 * time.Hour)
	for n := range codeLimitOf(verification.RequestLimits(), verification.BySource).Max {
		w.reserve(verification.SignUp, 10_000*(n+1), 1, ahead)
	}
	for n := range codeLimitOf(verification.TryLimits(), verification.BySource).Max {
		_, err := w.Codes.Try(w.Context(), tried(verification.SignUp, 900+n, 1, ahead))
		require.Equal(w, verification.ErrWrongCode, err)
	}
	_, err := w.Codes.Try(w.Context(), tried(verification.SignUp, 10_000, 1, noon))
	assert.Equal(w, verification.ErrWrongCode, err, "a code of the clock that ran ahead")
	w.reserve(verification.SignUp, 10_000, 1, noon)
	_, err = w.Codes.Try(w.Context(), tried(verification.SignUp, 10_000, 1, noon))
	require.NoError(w, err)

	w.reserve(verification.SignUp, 1, 2, noon.Add(ratelimit.Skew))
	requireFull(w, func() error {
		r, _ := requested(verification.SignUp, 1, 2, noon)
		return w.Codes.Reserve(w.Context(), r)
	}(), "code_requests")
}
