package contract

import (
	"testing"

	"plaza/test/postgres"

	"github.com/stretchr/testify/require"
)

// lending lends databases of Postgres to the tests within one.
type lending struct{ t *testing.T }

// lend returns the address of an empty database, which is the test's until it ends.
func (*lending) lend(t *testing.T) string {
	at := postgres.Lend(t, migrate)
	require.NoError(t, postgres.MakeUnusual(at, false))
	return at
}
