package bunstore_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/feed"
	"plaza/domain/quota"
	"plaza/test/ports"
	"plaza/test/postgres"
	"plaza/test/sqlite"
)

func TestMain(m *testing.M) { os.Exit(postgres.Main(m)) }

// databases are the databases on which every test must hold.
var databases = map[string]func(t *testing.T) string{
	"SQLite":   func(t *testing.T) string { return copyOfSQLite(t, scratch(t)) },
	"Postgres": func(t *testing.T) string { return postgres.New(t, migrate) },
}

var copyOfSQLite = sqlite.Copies(migrate)

// scratch returns a folder in memory if possible: synced writes are slow on a disk, and
// no test here cuts the power.
func scratch(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "plaza-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// open opens a store with the schema until the test ends.
func open(t *testing.T, url string) *bunstore.Store {
	t.Helper()
	s, err := bunstore.Open(t.Context(), bunstore.Options{URL: url})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	_, err = s.Migrate(t.Context())
	require.NoError(t, err)
	return s
}

func migrate(ctx context.Context, url string) error {
	s, err := bunstore.Open(ctx, bunstore.Options{URL: url})
	if err != nil {
		return err
	}
	_, err = s.Migrate(ctx)
	return errors.Join(err, s.Close())
}

func portsOf(s *bunstore.Store) ports.Stores { return portsWithin(s, quota.Limits{}) }

func portsWithin(s *bunstore.Store, l quota.Limits) ports.Stores {
	events, accounts := s.Events().Within(l), s.Accounts().Within(l)
	return ports.Stores{
		Accounts: accounts, Directory: accounts, Tokens: s.Tokens(), Throttle: s.Throttle(),
		Categories: s.Categories(), Subscriptions: s.Subscriptions(),
		Events: events, EventReader: events, Discussion: events, Related: events,
		Feed: s.Feed(), Publications: s.Publications(), HowTos: s.HowTos(), Translations: s.Translations(),
		Images: s.Images().Within(l), Ledger: s.Ledger(), Keys: s.Keys(), Deletions: s.DeletionQueue(), Room: s.Room(l),
		Imports: s.Imports(), Telemetry: s.Telemetry(), PersonalData: s.PersonalData(),
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
		ports.All(t, func(t *testing.T) ports.Stores { return portsOf(open(t, databases["SQLite"](t))) })
	})
	t.Run("Postgres", func(t *testing.T) {
		t.Parallel()
		lend := postgres.Reuse(t, migrate, func(url string) (*bunstore.Store, error) {
			if err := postgres.MakeUnusual(url, false); err != nil {
				return nil, err
			}
			return bunstore.Open(context.Background(), bunstore.Options{URL: url})
		})
		all := func(t *testing.T) ports.Stores { return portsOf(lend(t)) }
		if testing.Short() { // those whose statements differ most from SQLite's
			t.Run("Events", func(t *testing.T) { ports.Events(t, all) })
			t.Run("Feed", func(t *testing.T) { ports.Feed(t, all) })
			t.Run("Ledger", func(t *testing.T) { ports.Ledger(t, all) })
			return
		}
		ports.All(t, all)
	})
}
