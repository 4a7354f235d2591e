package demo_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/signin"
	"plaza/bootstrap/demo"
	"plaza/domain/access"
	"plaza/domain/locale"
	"plaza/domain/page"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

func doorOf(p demo.Ports) *signin.Signin {
	return signin.New(p.Accounts, p.Tokens, p.Throttle, p.Hasher, p.Strength, signin.TokenTTL(time.Hour), nil,
		signin.Joining{}, signin.SecondFactor{}, today,
		func(context.Context) *slog.Logger { return slog.New(slog.DiscardHandler) })
}

// withPassword returns the uids of the accounts that demo.WithPassword finds.
func withPassword(t *testing.T, p demo.Ports) []user.ID {
	t.Helper()
	open, err := demo.WithPassword(t.Context(), p.Accounts, p.Directory, p.Hasher)
	require.NoError(t, err)
	return open
}

func change(t *testing.T, p demo.Ports, id user.ID, fn func(a *access.Account)) {
	t.Helper()
	require.NoError(t, p.Accounts.Change(t.Context(), id, func(a *access.Account) error {
		fn(a)
		return nil
	}))
}

func TestWithPassword_skips_changed_passwords(t *testing.T) {
	w := loaded(t, load)
	p := w.ports
	assert.Len(t, withPassword(t, p), len(w.accounts())-1, "one is disabled")

	require.NoError(t, doorOf(p).SetPassword(t.Context(), 2, secret.New("heron-gravel-tuba")))
	change(t, p, 3, func(a *access.Account) { a.Disabled = true })
	change(t, p, 4, func(a *access.Account) { a.Rehash("an upgraded hash of the same password") })
	change(t, p, 5, func(a *access.Account) { a.Generation = 0 }) // as programs left it that did not import the people
	change(t, p, 6, func(a *access.Account) { a.Hash, a.Generation = "", 0 })
	assert.Equal(t, []user.ID{1, 4, 5, 7, 8, 9, 10, 11, 12, 13}, withPassword(t, p))
}

func TestRemove(t *testing.T) {
	w := loaded(t, load)
	accounts := w.accounts()
	key, err := doorOf(w.ports).Issue(t.Context(), 4, nil, 0)
	require.NoError(t, err)
	require.NotEmpty(t, w.of(1))
	require.NoError(t, doorOf(w.ports).SetPassword(t.Context(), 2, secret.New("heron-gravel-tuba")))
	require.NoError(t, doorOf(w.ports).SetPhone(t.Context(), 4, "+1-2025550177", locale.Tag{}))
	assert.Contains(t, withPassword(t, w.ports), user.ID(4), "a number that has changed hides nobody")

	done, err := demo.Remove(t.Context(), w.ports, today())
	require.NoError(t, err)
	assert.Len(t, accounts, done.Accounts)
	assert.Equal(t, 12, done.Images)
	assert.Positive(t, done.Events)
	assert.Positive(t, done.Subscriptions)
	for _, a := range accounts {
		id := a.User
		account, err := w.ports.Accounts.ByID(t.Context(), id)
		require.NoError(t, err)
		assert.True(t, account.Disabled && !account.IsStaff() && account.Hash == "", id)
		assert.Empty(t, w.of(id), id)
		images, err := w.ports.Images.List(t.Context(), userimage.Query{Owner: id}, page.Request{})
		require.NoError(t, err)
		assert.Empty(t, images.Items, id)
		assert.Empty(t, w.subscriptions(id), id)
	}
	_, err = doorOf(w.ports).Authenticate(t.Context(), key)
	assert.ErrorIs(t, err, access.ErrBadKey)
	assert.Empty(t, withPassword(t, w.ports))

	change(t, w.ports, 4, func(a *access.Account) { a.Disabled = false })
	_, err = doorOf(w.ports).Authenticate(t.Context(), key)
	assert.ErrorIs(t, err, access.ErrBadKey, "tokens end for good")

	again, err := demo.Remove(t.Context(), w.ports, today())
	require.NoError(t, err)
	assert.Equal(t, demo.Removed{Accounts: 1}, again, "the one that was enabled")
	assert.ErrorIs(t, demo.Load(t.Context(), w.ports), demo.ErrRemoved)
	assert.ErrorIs(t, demo.Check(t.Context(), w.ports.Accounts, w.ports.Directory), demo.ErrRemoved)
}

func TestRemove_leaves_other_people_with_such_phone_numbers_alone(t *testing.T) {
	p := emptyFixture().ports
	word := secret.New("plaza-demo")
	id, err := doorOf(p).Register(t.Context(), signin.Registration{Username: "+86-13800000001", Password: word})
	require.NoError(t, err)
	assert.Empty(t, withPassword(t, p))
	done, err := demo.Remove(t.Context(), p, today())
	require.NoError(t, err)
	assert.Zero(t, done)
	account, err := p.Accounts.ByID(t.Context(), id)
	require.NoError(t, err)
	assert.False(t, account.Disabled)
	assert.ErrorIs(t, demo.Check(t.Context(), p.Accounts, p.Directory), access.ErrPhoneTaken)
}

func TestLoadRefusesTakenPhone(t *testing.T) {
	p := emptyFixture().ports
	id, err := doorOf(p).Register(t.Context(), signin.Registration{Username: "+34-600000003", Password: secret.New("my own words")})
	require.NoError(t, err)
	before, err := p.Accounts.ByID(t.Context(), id)
	require.NoError(t, err)
	require.ErrorIs(t, demo.Load(t.Context(), p), access.ErrPhoneTaken)
	after, err := p.Accounts.ByID(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, before, after)
	all, err := p.Accounts.List(t.Context(), 0, 10)
	require.NoError(t, err)
	assert.Len(t, all, 1, "nothing is written")
}
