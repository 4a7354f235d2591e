// Package usecases has what the tests of use cases share. The tests are scenarios over test/memory, in
// three programs below this folder: each program links the store again, and compiles anew when a
// package of the domain changes that its tests import.
//
//	imported  what the importer stores, and how it is browsed, read and translated
//	money     orders: paying, refunding, reconciling
//	people    what members do: sign in, write, keep images, follow, leave
//
// The name of a test file begins with the package of application that it tests.
package usecases

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/user"
	"plaza/test/memory"
)

// Noon is when most tests begin.
var Noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// ErrInjected is the failure of a port that a test lets fail.
var ErrInjected = errors.New("the test lets this fail")

// OpenAccount opens the account of a member with the phone, who joined at Noon.
func OpenAccount(t *testing.T, store *memory.Store, phone string) user.ID {
	t.Helper()
	parsed, err := user.ParsePhone(phone)
	require.NoError(t, err)
	id, err := store.Accounts.Open(t.Context(), access.Account{Phone: parsed}, user.Member{Timezone: "UTC", Joined: Noon})
	require.NoError(t, err)
	return id
}

// OpenActor is OpenAccount for a caller without scopes.
func OpenActor(t *testing.T, store *memory.Store, phone string) access.Actor {
	t.Helper()
	return access.Actor{ID: OpenAccount(t, store, phone)}
}
