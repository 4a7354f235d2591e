package ports

import (
	"errors"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/privacy"
	"plaza/domain/access"
	"plaza/domain/personaldata"
	"plaza/domain/user"
	"plaza/domain/verification"
)

func codeTryLimits(w *fixtures) {
	attempt := func(p verification.Purpose, n, m int, now time.Time) error {
		_, err := w.Codes.Try(w.Context(), tried(p, n, m, now))
		return err
	}
	number, now := codeLimitOf(verification.TryLimits(), verification.ByNumber), noon
	for i := range number.Max {
		if i%verification.MaxTries == 0 {
			now = now.Add(verification.ResendAfter)
			w.reserve(verification.Purposes()[i/verification.MaxTries], 1, i, now)
		}
		require.NoError(w, attempt(verification.Purposes()[i/verification.MaxTries], 1, i, now))
	}
	state, _ := w.reserve(verification.SignUp, 1, 98, noon.Add(time.Hour))
	full := attempt(verification.SignUp, 1, 99, noon.Add(time.Hour))
	assert.Equal(w, number.Window-time.Hour+verification.ResendAfter, requireFull(w, full, "code_tries"))
	later := noon.Add(number.Window + verification.ResendAfter)
	require.Equal(w, verification.ErrWrongCode, attempt(verification.SignUp, 1, 99, later), "the code has expired")
	assert.Zero(w, state.Tries)
	source := codeLimitOf(verification.TryLimits(), verification.BySource)
	for n := range source.Max {
		require.Equal(w, verification.ErrWrongCode, attempt(verification.SignUp, 100+n, 500, noon))
	}
	requireFull(w, attempt(verification.SignUp, 900, 500, noon), "code_tries")
	require.Equal(w, verification.ErrWrongCode, attempt(verification.SignUp, 900, 501, noon))
	require.Equal(w, verification.ErrWrongCode, attempt(verification.SignUp, 901, 500, noon.Add(source.Window)))
}

func codeTriesInVain(w *fixtures) {
	number := codeLimitOf(verification.TryLimits(), verification.ByNumber)
	w.reserve(verification.SignUp, 1, 1, noon)
	for i := range 2 * number.Max {
		_, err := w.Codes.Try(w.Context(), tried(verification.ResetPassword, 1, i, noon))
		require.Equal(w, verification.ErrWrongCode, err, "no code of the purpose")
	}
	for i := range 2 * number.Max {
		_, err := w.Codes.Try(w.Context(), tried(verification.SignUp, 1, 100+i, noon))
		require.Equal(w, i >= verification.MaxTries, err != nil)
	}
	w.reserve(verification.SignUp, 1, 1, noon.Add(time.Hour))
	_, err := w.Codes.Try(w.Context(), tried(verification.SignUp, 1, 1, noon.Add(time.Hour)))
	require.NoError(w, err, "five of its tries were counted")
}

func codeTriesAtOnce(w *fixtures) {
	w.reserve(verification.SignUp, 1, 1, noon)
	returned, wrong, refused := 0, 0, 0
	for _, err := range atOnce(50, func(i int) error {
		_, err := w.Codes.Try(w.Context(), tried(verification.SignUp, 1, 1, noon))
		return err
	}) {
		switch {
		case err == nil:
			returned++
		case errors.Is(err, verification.ErrWrongCode):
			wrong++
		default:
			requireFull(w, err, "code_tries")
			refused++
		}
	}
	assert.Equal(w, []int{verification.MaxTries, 50 - verification.MaxTries, 0}, []int{returned, wrong, refused})
	for i := range codeLimitOf(verification.TryLimits(), verification.BySource).Max - 50 {
		_, err := w.Codes.Try(w.Context(), tried(verification.SignUp, 100+i, 1, noon))
		require.Equal(w, verification.ErrWrongCode, err)
	}
	_, err := w.Codes.Try(w.Context(), tried(verification.SignUp, 900, 1, noon))
	requireFull(w, err, "code_tries")
}

func codeOfAnother(w *fixtures) {
	w.reserve(verification.SignUp, 1, 1, noon)
	for name, a := range map[string]verification.Attempt{
		"expired":         tried(verification.SignUp, 1, 1, noon.Add(verification.Life)),
		"another purpose": tried(verification.ResetPassword, 1, 1, noon),
		"another number":  tried(verification.SignUp, 2, 1, noon),
	} {
		_, err := w.Codes.Try(w.Context(), a)
		assert.Equal(w, verification.ErrWrongCode, err, name)
	}
	_, err := w.Codes.Try(w.Context(), tried(verification.SignUp, 1, 1, noon.Add(verification.Life-time.Microsecond)))
	assert.NoError(w, err)
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
	for _, k := range kindsOfData() {
		_, err := w.PersonalData.Erase(w.Context(), id, k, 100)
		require.NoError(w, err)
	}
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
		_, err := w.PersonalData.Erase(w.Context(), id, k, 100)
		require.NoError(w, err)
	}
	again, err := w.Accounts.Open(w.Context(), access.Account{Phone: phone(1)}, user.Member{Timezone: "UTC", Joined: noon})
	require.NoError(w, err)
	assert.Empty(w, w.records(again, personaldata.Codes))
	assert.Empty(w, w.records(again, personaldata.CodeUses))
}
