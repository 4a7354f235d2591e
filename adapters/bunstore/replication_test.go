package bunstore_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/access"
	"plaza/domain/user"
	"plaza/test/postgres"
)

// A commit waits for the synchronous replica. When a time limit ends the wait, Postgres
// acknowledges the commit with a warning only, and a failover would lose it.
func TestA_commit_without_its_replica_is_not_acknowledged(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	server := postgres.Start(t)
	require.NoError(t, bunstore.MigrateAt(t.Context(), server.URL("postgres")))
	const limit = time.Second
	opens := map[string]bunstore.Options{
		"Postgres ends the statement": {URL: server.URL("postgres") + "&statement_timeout=200", Limit: limit},
		"the program cancels it":      {URL: server.URL("postgres") + "&statement_timeout=0", Limit: limit},
	}
	db := rawSQL(t, server.URL("postgres"))
	for name, o := range opens {
		t.Run(name, func(t *testing.T) {
			s := bunstore.Opened(t, o)
			write := func() error { return openAccount(t, s) }
			require.NoError(t, write())
			execute(t, db, "ALTER SYSTEM SET synchronous_standby_names = 'away'")
			execute(t, db, "SELECT pg_reload_conf()")
			require.Eventually(t, func() bool { return write() != nil }, eventually, 10*time.Millisecond)
			assert.ErrorIs(t, write(), engine.ErrAway)
			execute(t, db, "ALTER SYSTEM RESET synchronous_standby_names")
			execute(t, db, "SELECT pg_reload_conf()")
			require.Eventually(t, func() bool { return write() == nil }, eventually, 10*time.Millisecond)
		})
	}
}

// openAccount opens an account with another phone number each time.
func openAccount(t *testing.T, s *bunstore.Store) error {
	phone, err := user.ParsePhone(fmt.Sprintf("+86-138%08d", rand.IntN(1e8)))
	require.NoError(t, err)
	_, err = s.Accounts.Open(t.Context(), access.Account{Phone: phone, Hash: "hash", Scopes: access.DefaultScopes()},
		user.Member{Firstname: "丽", Timezone: "Asia/Shanghai", Joined: time.Now()})
	return err
}
