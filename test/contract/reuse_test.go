package contract

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/postgres"
)

// lending lends databases of Postgres to the tests within one. To empty one that
// was used takes a tenth of the time that it takes to make another.
type lending struct {
	t    *testing.T
	mu   sync.Mutex
	free []string
}

// lend returns the address of an empty database, which is the test's until it ends.
func (l *lending) lend(t *testing.T) string {
	t.Helper()
	url := l.idle()
	if url == "" {
		url = postgres.New(l.t, migrate)
		rows, err := countIn(url)
		require.NoError(t, err)
		require.Zero(t, rows, "a new database has rows, which would be gone from one that was emptied")
	}
	t.Cleanup(func() {
		if assert.NoError(t, empty(url)) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.free = append(l.free, url)
		}
	})
	return url
}

func (l *lending) idle() (url string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if last := len(l.free) - 1; last >= 0 {
		url, l.free = l.free[last], l.free[:last]
	}
	return url
}

// What a database has that the schema does not: rows in tables, and how far the
// numbers have come.
const (
	tablesOf    = "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_migrations'"
	sequencesOf = "SELECT format('setval(%L, %s, false)', quote_ident(sequencename), start_value) FROM pg_sequences WHERE schemaname = 'public'"
)

// empty makes a database as good as new. Nobody may be connected to it.
func empty(url string) error {
	return connected(url, func(ctx context.Context, conn *pgx.Conn) error {
		tables, err := namesIn(ctx, conn, tablesOf)
		if err != nil {
			return err
		}
		sequences, err := namesIn(ctx, conn, sequencesOf)
		if err != nil {
			return err
		}
		// TRUNCATE makes a new file for every table, ALTER SEQUENCE for every sequence. As
		// a replica the server doesn't ask which rows refer to which.
		_, err = conn.Exec(ctx, "SET session_replication_role = replica"+
			";DELETE FROM "+strings.Join(tables, ";DELETE FROM ")+
			";SELECT "+strings.Join(sequences, ", "))
		return err
	})
}

// countIn is how many tables have rows.
func countIn(url string) (filled int, err error) {
	err = connected(url, func(ctx context.Context, conn *pgx.Conn) error {
		tables, err := namesIn(ctx, conn, tablesOf)
		if err != nil {
			return err
		}
		some := "EXISTS (SELECT FROM " + strings.Join(tables, ")::int + EXISTS (SELECT FROM ") + ")::int"
		return conn.QueryRow(ctx, "SELECT "+some).Scan(&filled)
	})
	return filled, err
}

func namesIn(ctx context.Context, conn *pgx.Conn, query string) ([]string, error) {
	rows, err := conn.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// connected outlives the context of the test, which has ended when it is tidied up.
func connected(url string, do func(context.Context, *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return do(ctx, conn)
}

// TestStores_are_given_afresh: a store is empty, and its numbers start again, whatever a
// test before has left in it.
func TestStores_are_given_afresh(t *testing.T) {
	t.Parallel()
	onEach(t, everyStore, func(t *testing.T, on store) {
		var given []int
		for range 2 {
			t.Run("test", func(t *testing.T) {
				s := on.start(t)
				ada := s.member(t)
				given = append(given, int(ada.id), ada.publishes(t, "x"))
				assert.Len(t, ada.get(t, events).is(200).list("data"), 1)
			})
		}
		require.Len(t, given, 4)
		assert.Equal(t, given[:2], given[2:])
	})
}
