package bunstore_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/feed"
	"plaza/domain/quota"
	"plaza/test/ports"
	"plaza/test/postgres"
)

func TestMain(m *testing.M) { os.Exit(postgres.Main(m)) }

// open opens a store with the schema until the test ends.
func open(t *testing.T, url string) *bunstore.Store {
	t.Helper()
	s := bunstore.Opened(t, bunstore.Options{URL: url})
	_, err := s.Migrate(t.Context())
	require.NoError(t, err)
	return s
}

func portsOf(s *bunstore.Store) ports.Stores { return portsWithin(s, quota.Limits{}) }

func portsWithin(s *bunstore.Store, l quota.Limits) ports.Stores {
	return ports.Stores{
		Ports:  s.WithQuotas(l),
		Within: func(l quota.Limits) ports.Stores { return portsWithin(s, l) },
		Check: func(t *testing.T) {
			t.Helper()
			assertConsistent(t, s)
		},
		Listings: func(t *testing.T) []feed.Listing {
			all, err := s.Listings(t.Context())
			require.NoError(t, err)
			return all
		},
	}
}

func TestPorts(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		ports.All(t, func(t *testing.T) ports.Stores { return portsOf(open(t, bunstore.MigratedSQLite(t))) })
	})
	t.Run("Postgres", func(t *testing.T) {
		t.Parallel()
		lend := postgres.Reuse(t, bunstore.MigrateAt, func(url string) (*bunstore.Store, error) {
			if err := postgres.MakeUnusual(url, false); err != nil {
				return nil, err
			}
			return bunstore.Open(context.Background(), bunstore.Options{URL: url})
		})
		ports.All(t, func(t *testing.T) ports.Stores { return portsOf(lend(t)) }, "Images", "Ledger")
	})
}
