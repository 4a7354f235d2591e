//go:build soak

package contract

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
	"plaza/test/cluster"
	"plaza/test/postgres"
)

// TestContractOnACluster shows the rows on two servers behind HAProxy, whose database is behind PgBouncer and replicated.
func TestContractOnACluster(t *testing.T) {
	c := cluster.Start(t, nil)
	app := c.App("app1")
	db, err := pgx.Connect(t.Context(), app.Superuser())
	require.NoError(t, err)
	_, err = db.Exec(t.Context(), "ALTER ROLE plaza SUPERUSER") // makes databases and empties them
	require.NoError(t, errors.Join(err, db.Close(t.Context())))
	lender := postgres.NewLender(t, app.Superuser())
	on := store{name: "cluster", servers: 2, isPooled: true}
	on.fresh = func(t *testing.T) string {
		at, err := url.Parse(lender.Lend(t, migrate))
		require.NoError(t, err)
		pooled, err := url.Parse(app.DatabaseAt(app.Pooler()))
		require.NoError(t, err)
		pooled.Path = at.Path
		// PgBouncer must have seen that the sessions of the test before have ended.
		require.Eventually(t, func() bool {
			conn, err := pgx.Connect(t.Context(), pooled.String())
			if err != nil {
				return false
			}
			_, err = conn.Exec(t.Context(), "SELECT")
			return errors.Join(err, conn.Close(t.Context())) == nil
		}, time.Minute, 10*time.Millisecond)
		return pooled.String()
	}
	on.balance = func(t *testing.T, s *settings.Config) (string, func()) {
		node, url, start := c.Balancer(t)
		s.Addr, s.AdminAddr = node+":8080", node+":9080"
		require.NoError(t, s.TrustedProxies.UnmarshalText([]byte("127.0.0.0/8")))
		return url, start
	}
	for _, r := range rows {
		if r.needs == oneStore && !strings.HasPrefix(r.name, "GEN-09") { // HAProxy reads addresses
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			r.show(t, on.start(t))
		})
	}
}
