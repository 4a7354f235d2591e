package bunstore_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/test/ports"
	"plaza/test/postgres"
)

// Behind a pooler no statement is prepared, so the same reads take another path. These
// suites cover every kind of parameter.
func TestPorts_without_cached_statements(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	open := func(t *testing.T) ports.Stores {
		s, err := bunstore.Open(t.Context(), bunstore.Options{URL: postgres.Lend(t, migrate), Uncached: true})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return portsOf(s)
	}
	ports.Tokens(t, open)
	ports.Feed(t, open)
	ports.News(t, open)
	ports.Images(t, open)
	ports.Ledger(t, open)
	ports.RateLimits(t, open)
}
