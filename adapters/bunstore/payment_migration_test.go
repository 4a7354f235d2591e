package bunstore_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/migrations"
)

func TestPAY11_orders_from_before_there_was_a_wallet_end_as_well(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	bunstore.OnEachEmpty(t, func(t *testing.T, url string) {
		folder, name, instants, now, later := fs.FS(migrations.Postgres), "postgres", "timestamptz", "now()", "now() + interval '1 hour'"
		if strings.HasPrefix(url, "sqlite:") {
			folder, name, instants, now, later = migrations.SQLite, "sqlite", "integer", "1", "3600000001"
		}
		db := rawSQL(t, url)
		execute(t, db, "CREATE TABLE schema_migrations (name text NOT NULL PRIMARY KEY, applied "+instants+" NOT NULL)")
		for _, step := range []string{"0001_initial", "0002_crawler"} {
			text, err := fs.ReadFile(folder, name+"/"+step+".sql")
			require.NoError(t, err)
			execute(t, db, string(text))
			execute(t, db, "INSERT INTO schema_migrations VALUES ('"+step+"', "+now+")")
		}
		s := unmigrated(t, url)
		who := member(t, s)
		for _, state := range []string{"open", "paid", "closed"} {
			execute(t, db, fmt.Sprintf("INSERT INTO orders (user_id, subject, amount, currency, state, created, expires) VALUES (%d, 'Tea', 1, 'CNY', '%s', %s, %s)",
				who, state, now, later))
		}
		_, err := s.Migrate(t.Context())
		require.NoError(t, err)
		ledger := s.Ledger()
		for _, state := range payment.States() {
			orders, err := ledger.Orders(t.Context(), who, state, page.Request{})
			require.NoError(t, err)
			require.Len(t, orders.Items, 1)
			o := orders.Items[0]
			noted, err := ledger.Journal(t.Context(), o.ID)
			require.NoError(t, err)
			assert.Equal(t, []payment.Entry{{At: o.Created, Noted: payment.NotedOrdered}}, noted)
			if state == payment.Open {
				due, err := ledger.Due(t.Context(), o.Expires, o.Expires, 10)
				require.NoError(t, err)
				assert.Equal(t, []payment.OrderID{o.ID}, due)
			}
		}
	})
}
