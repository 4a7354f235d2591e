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
