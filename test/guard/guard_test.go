package guard_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/access"
	"plaza/domain/user"
	"plaza/test/guard"
)

// accounts needs no lock, so that a call from inside Change can return.
type accounts struct{ access.Accounts }

func (accounts) ByID(context.Context, user.ID) (access.Account, error) { return access.Account{}, nil }

func (accounts) Change(_ context.Context, _ user.ID, fn func(*access.Account) error) error {
	return fn(&access.Account{})
}

// test/ports tries every port.
func TestWrap_only_calls_on_the_same_goroutine_panic(t *testing.T) {
	s := guard.Wrap(guard.Stores{Accounts: accounts{}})
	read := func() { _, _ = s.Accounts.ByID(t.Context(), 1) }
	assert.NoError(t, s.Accounts.Change(t.Context(), 1, func(*access.Account) error {
		assert.Panics(t, read)
		var wait sync.WaitGroup
		wait.Go(func() { assert.NotPanics(t, read, "on another goroutine") })
		wait.Wait()
		return nil
	}))
}
