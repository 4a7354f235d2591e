package demo_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/signin"
	"plaza/bootstrap/demo"
	"plaza/domain/access"
	"plaza/domain/secret"
	"plaza/domain/user"
)

// joined opens an account that is not of the demo data and has a phone number of it.
func joined(t *testing.T, p demo.Ports, phone string) user.ID {
	t.Helper()
	door := signin.New(p.Accounts, p.Tokens, p.Throttle, p.Hasher, p.Strength, 0, nil, today, func(context.Context) *slog.Logger { return slog.New(slog.DiscardHandler) })
	id, err := door.Register(t.Context(), signin.Registration{
		Username: phone, Password: secret.New("my own words"), Member: user.Member{Firstname: "Somebody"},
	})
	require.NoError(t, err)
	return id
}

func TestLoadRefusesTakenPhone(t *testing.T) {
	p := emptyFixture().ports
	id := joined(t, p, "+34-600000003")
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
