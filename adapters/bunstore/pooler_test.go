package bunstore_test

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/test/ports"
	"plaza/test/postgres"
)

// Behind a pooler no statement is prepared, so the same statements take another path, on which the
// driver knows no types of parameters. The soak runs more suites.
func TestPorts_without_cached_statements(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	uncached := uncachedStores(t)
	ports.Tokens(t, uncached)
}

// uncachedStores returns stores that prepare no statements.
func uncachedStores(t *testing.T) ports.Open {
	lend := postgres.Reuse(t, bunstore.MigrateAt, func(url string) (*bunstore.Store, error) {
		if err := postgres.MakeUnusual(url, true); err != nil {
			return nil, err
		}
		return bunstore.Open(context.Background(), bunstore.Options{URL: url, Uncached: true})
	})
	return func(t *testing.T) ports.Stores { return portsOf(lend(t)) }
}

// A pooler takes connections also while it cannot log in at any server, and then refuses what is
// sent. With many requests the pool of the program finds one such connection after the other.
func TestA_pooler_without_a_server(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	p := startPooler(t)
	s := bunstore.Opened(t, bunstore.Options{URL: p.url, Uncached: true, Connections: 8})
	p.refuses.Store(true)
	var callers sync.WaitGroup
	for range 32 {
		callers.Go(func() {
			for range 20 {
				assert.ErrorIs(t, s.Ping(t.Context()), engine.ErrAway)
			}
		})
	}
	callers.Wait()
	p.refuses.Store(false)
	assert.NoError(t, s.Ping(t.Context()))
}

// pooler answers pings as PgBouncer does.
type pooler struct {
	url     string
	refuses atomic.Bool // it has no server
}

func startPooler(t *testing.T) *pooler {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &pooler{url: "postgres://plaza@" + listener.Addr().String() + "/plaza?sslmode=disable"}
	var running sync.WaitGroup
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		running.Wait()
	})
	running.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() { p.serve(client) })
		}
	})
	return p
}

func (p *pooler) serve(client net.Conn) {
	defer client.Close()
	backend := pgproto3.NewBackend(client, client)
	if _, err := backend.ReceiveStartupMessage(); err != nil {
		return
	}
	backend.Send(&pgproto3.AuthenticationOk{})
	backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	for backend.Flush() == nil {
		message, err := backend.Receive()
		if err != nil {
			return
		}
		if p.refuses.Load() {
			backend.Send(&pgproto3.ErrorResponse{
				Severity: "FATAL", Code: "08P01", Message: "server login has been failing, try again later (server_login_retry)",
			})
			_ = backend.Flush()
			return
		}
		switch message.(type) {
		case *pgproto3.Query:
			backend.Send(&pgproto3.EmptyQueryResponse{})
			backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		case *pgproto3.Sync:
			answerSettings(backend)
			backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		}
	}
}

// answerSettings answers the only query that is no ping: what the settings are, in the order of
// their names, and the schema.
func answerSettings(backend *pgproto3.Backend) {
	var row pgproto3.RowDescription
	var values pgproto3.DataRow
	for _, value := range []string{
		"on", "hex", "UTF8", "ISO, MDY", "off", "read committed", "off", "1", "0", "postgres", "UTF8", "origin", "on", "UTC", "off", "public",
	} {
		row.Fields = append(row.Fields, pgproto3.FieldDescription{Name: []byte("setting"), DataTypeOID: pgtype.TextOID})
		values.Values = append(values.Values, []byte(value))
	}
	backend.Send(&pgproto3.ParseComplete{})
	backend.Send(&pgproto3.BindComplete{})
	backend.Send(&row)
	backend.Send(&values)
	backend.Send(&pgproto3.CommandComplete{CommandTag: []byte("SELECT 1")})
}
