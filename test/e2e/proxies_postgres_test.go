package e2e

import (
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/require"

	"plaza/test/postgres"
)

// databaseProxy passes messages on to Postgres. A message is what the client sends before it waits, or all that the
// database returns then, and is named by its statements.
type databaseProxy struct {
	*interceptor
	URL              string // of the database, through the proxy
	network, address string
	listener         net.Listener
	carrying         sync.WaitGroup
}

// How the names of messages begin, before the statements.
const (
	theTrip   = "what is asked:\n"
	theReturn = "what comes back:\n"
)

func newDatabaseProxy(t *testing.T, database string, i *interceptor) *databaseProxy {
	t.Helper()
	p := &databaseProxy{interceptor: i}
	p.network, p.address = postgres.Address(t, database)
	var err error
	p.listener, err = net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p.URL = postgres.Through(t, database, p.listener.Addr().String())
	p.carrying.Go(func() {
		for {
			client, err := p.listener.Accept()
			if err != nil {
				return
			}
			p.carrying.Go(func() { p.carry(client) })
		}
	})
	return p
}

// close waits until all connections have ended, so their clients must be dead.
func (p *databaseProxy) close() {
	p.clear()
	p.listener.Close()
	p.carrying.Wait()
}

func (p *databaseProxy) carry(client net.Conn) {
	defer client.Close()
	server, err := net.Dial(p.network, p.address)
	if err != nil {
		return
	}
	defer server.Close()
	var held atomic.Pointer[breakpoint] // of what comes back next
	p.carrying.Go(func() {
		defer client.Close()
		defer server.Close()
		_ = bringBack(server, client, &held) // how a connection ends doesn't matter
	})
	_ = p.bring(client, server, &held)
}

func (p *databaseProxy) bring(client io.Reader, server io.Writer, held *atomic.Pointer[breakpoint]) error {
	from := pgproto3.NewBackend(client, io.Discard)
	startup, err := from.ReceiveStartupMessage()
	if err != nil {
		return err
	}
	trip, err := startup.Encode(nil)
	if err == nil {
		_, err = server.Write(trip)
	}
	texts := map[string]string{} // of prepared statements
	var transaction []string     // the statements since BEGIN; nil: there was none
	for err == nil {
		var statements []string
		trip = nil
		for ended := false; !ended; { // until the client waits
			message, err := from.Receive()
			if err != nil {
				return err
			}
			if trip, err = message.Encode(trip); err != nil {
				return err
			}
			switch m := message.(type) {
			case *pgproto3.Parse:
				texts[m.Name] = m.Query
			case *pgproto3.Bind:
				statements = append(statements, texts[m.PreparedStatement])
			case *pgproto3.Query:
				statements, ended = append(statements, m.String), true
			case *pgproto3.Sync, *pgproto3.Flush, *pgproto3.Terminate, *pgproto3.CopyDone, *pgproto3.CopyFail:
				ended = true
			}
		}
		if transaction != nil || slices.Contains(statements, "BEGIN") {
			transaction = append(transaction, statements...)
		}
		if slices.Contains(statements, "COMMIT") {
			statements, transaction = transaction, nil
		}
		what := strings.ReplaceAll(strings.Join(statements, "\n"), `"`, "")
		if s := p.at(theTrip + what); s != nil && !s.hold() {
			return errors.New("lost on the way")
		}
		if s := p.at(theReturn + what); s != nil {
			held.Store(s)
		}
		_, err = server.Write(trip)
	}
	return err
}

// bringBack brings back all of a trip at once if it is to be held.
func bringBack(server io.Reader, client io.Writer, held *atomic.Pointer[breakpoint]) error {
	from := pgproto3.NewFrontend(server, io.Discard)
	var kept []byte
	for {
		message, err := from.Receive()
		if err != nil {
			return err
		}
		if kept, err = message.Encode(kept); err != nil {
			return err
		}
		if s := held.Load(); s != nil {
			if _, isReady := message.(*pgproto3.ReadyForQuery); !isReady {
				continue
			}
			held.Store(nil)
			if !s.hold() {
				return errors.New("lost on the way back")
			}
		}
		if _, err = client.Write(kept); err != nil {
			return err
		}
		kept = kept[:0]
	}
}
