package ports

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/privacy"
	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/personaldata"
	"plaza/domain/ratelimit"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/domain/verification"
)

// Codes is the suite of verification.Store, and of what the methods of access.Accounts do with spendings.
func Codes(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"Reserve stores the code, and Try returns it with its tries", codeIsStored},
		{"Reserve replaces the live code of the number and purpose, and no other", codeReplaces},
		{"Reserve counts addresses of IPv6 by their networks, too", codeNetworks},
		{"Take takes one message, none, or gives one back, and nothing of a budget that is spent", codeExpenses},
		{"requests at once can't exceed a limit or a budget", codeRequestsAtOnce},
		{"what a clock that ran ahead has counted fills no limit, and its codes are not good", codeClockAhead},
		{"a change spends its code and takes the try back, or neither", codeSpent},
		{"a change takes back the latest try", codeLatestTry},
		{"of two changes at once with one code, one is stored", codeSpentAtOnce},
		{"Erase leaves nothing of a number", codeErased},
		{"nothing stays of codes that are asked for and tried while the account is erased", codeErasedMeanwhile},
	})
}

var codeKeys, _ = verification.NewKey(secret.New("a key of at least thirty-two bytes"))

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
	r, drawn := requested(p, n, m, now)
	require.NoError(w, w.Codes.Reserve(w.Context(), r))
	return r.Code, drawn
}

// spending returns the spending of a new code to sign up.
func (w *fixtures) spending(n int, now time.Time) verification.Spending {
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
	f, is := fault.As(err)
	require.True(w, is, "%v", err)
	require.Equal(w, fault.Throttled, f.Kind)
	require.Equal(w, name, f.Limit)
	return f.RetryAfter
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

func codeSpent(w *fixtures) {
	s, now := w.spending(1, noon), noon
	id, err := w.Accounts.Open(w.Context(), access.Account{Phone: phone(1)}, user.Member{Timezone: "UTC", Joined: noon}, s)
	require.NoError(w, err)
	_, err = w.Accounts.Open(w.Context(), access.Account{Phone: phone(1)}, user.Member{Timezone: "UTC", Joined: noon}, s)
	assert.Equal(w, verification.ErrWrongCode, err, "judged before the phone is")
	assert.Equal(w, verification.ErrWrongCode, w.Accounts.Change(w.Context(), id, func(a *access.Account) error {
		a.SetPassword("changed")
		return nil
	}, s))
	assert.Empty(w, w.account(id).Hash)
	assert.Len(w, w.records(id, "code_uses"), 1, "the request; the try was taken back")

	now = now.Add(time.Hour)
	s = w.spending(1, now)
	refused := errors.New("refused")
	require.ErrorIs(w, w.Accounts.Change(w.Context(), id, func(*access.Account) error { return refused }, s), refused)
	_, err = w.Accounts.Open(w.Context(), access.Account{Phone: phone(1)}, user.Member{Timezone: "UTC", Joined: noon}, s)
	require.ErrorIs(w, err, access.ErrPhoneTaken)
	assert.Len(w, w.records(id, "code_uses"), 3)
	require.NoError(w, w.Accounts.Change(w.Context(), id, func(a *access.Account) error {
		a.SetPassword("changed")
		return nil
	}, s), "a change that fails spends nothing")
	assert.Equal(w, "changed", w.account(id).Hash)

	now = now.Add(time.Hour)
	s = w.spending(1, now)
	w.reserve(verification.Erase, 1, 1, now.Add(2*time.Minute))
	require.NoError(w, w.Accounts.Change(w.Context(), id, func(*access.Account) error { return nil }, s))
	for _, r := range w.records(id, "code_uses") {
		assert.Equal(w, verification.Requested, valueOf(r, "use"), "a later request for another purpose is no try")
	}

	now = now.Add(time.Hour)
	s = w.spending(1, now)
	w.reserve(verification.SignUp, 1, 1, now.Add(2*time.Minute))
	assert.Equal(w, verification.ErrWrongCode, w.Accounts.Change(w.Context(), id, func(*access.Account) error { return nil }, s), "replaced")
}

func codeLatestTry(w *fixtures) {
	_, drawn := w.reserve(verification.SignUp, 1, 1, noon)
	var code *verification.Code
	for minute := range 2 {
		var err error
		code, err = w.Codes.Try(w.Context(), tried(verification.SignUp, 1, 1, noon.Add(time.Duration(minute)*time.Minute)))
		require.NoError(w, err)
	}
	s, err := code.Verify(codeKeys, drawn, try(1, 1).Source.First())
	require.NoError(w, err)
	id, err := w.Accounts.Open(w.Context(), access.Account{Phone: phone(1)}, user.Member{Timezone: "UTC", Joined: noon}, s)
	require.NoError(w, err)
	var left []privacy.Record
	for _, use := range w.records(id, personaldata.CodeUses) {
		assert.Equal(w, noon, use[2].Value, "%v", use)
		left = append(left, use)
	}
	assert.Len(w, left, 2, "the request and the first try")
}

func codeSpentAtOnce(w *fixtures) {
	s := w.spending(1, noon)
	errs := atOnce(many, func(i int) error {
		_, err := w.Accounts.Open(w.Context(), access.Account{Phone: phone(i + 1)}, user.Member{Timezone: "UTC", Joined: noon}, s)
		return err
	})
	assertOneWins(w, errs, verification.ErrWrongCode)
}

func codeErased(w *fixtures) {
	w.spending(1, noon)
	w.reserve(verification.Erase, 2, 2, noon)
	id, other := w.newUser(), w.newUser()
	require.Len(w, w.records(id, "codes"), 1)
	require.Len(w, w.records(id, "code_uses"), 2)
	w.erase(id)
	again, err := w.Accounts.Open(w.Context(), access.Account{Phone: phone(1)}, user.Member{Timezone: "UTC", Joined: noon})
	require.NoError(w, err)
	assert.Empty(w, w.records(again, "codes"))
	assert.Empty(w, w.records(again, "code_uses"))
	assert.Len(w, w.records(other, "codes"), 1)
}

func codeErasedMeanwhile(w *fixtures) {
	id := w.newUser()
	for _, k := range kindsOfData() {
		if k == personaldata.Account {
			w.spending(1, noon)
		}
		w.erase(id, k)
	}
	again, err := w.Accounts.Open(w.Context(), access.Account{Phone: phone(1)}, user.Member{Timezone: "UTC", Joined: noon})
	require.NoError(w, err)
	assert.Empty(w, w.records(again, personaldata.Codes))
	assert.Empty(w, w.records(again, personaldata.CodeUses))
}
