//go:build soak

package bunstore_test

import (
	"testing"

	"plaza/test/ports"
)

// The other suites behind a pooler: they repeat statements whose parameters are of the same kinds.
func TestMore_ports_without_cached_statements(t *testing.T) {
	t.Parallel()
	uncached := uncachedStores(t)
	ports.Images(t, uncached)
	ports.News(t, uncached)
	ports.RateLimits(t, uncached)
	ports.Imports(t, uncached)
	ports.Feed(t, uncached)
	ports.Ledger(t, uncached)
}
