package e2e

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

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

// endsTrip are the messages after which the client waits.
const endsTrip = "SQXHpcf"

func (p *databaseProxy) bring(client io.Reader, server io.Writer, held *atomic.Pointer[breakpoint]) error {
	from := bufio.NewReader(client)
	trip, err := packet(from, 0)
	if err == nil {
		_, err = server.Write(trip)
	}
	texts := map[string]string{} // of prepared statements
	var transaction []string     // the statements since BEGIN; nil: there was none
	for err == nil {
		var statements []string
		trip = nil
		for ended := false; !ended; {
			message, err := packet(from, 1)
			if err != nil {
				return err
			}
			trip = append(trip, message...)
			ended = strings.ContainsRune(endsTrip, rune(message[0]))
			switch first, rest := text(message[5:]); message[0] {
			case 'P': // parse: name, text
				texts[first], _ = text(rest)
			case 'B': // bind: portal, name
				name, _ := text(rest)
				statements = append(statements, texts[name])
			case 'Q':
				statements = append(statements, first)
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
	from := bufio.NewReader(server)
	var kept []byte
	for {
		message, err := packet(from, 1)
		if err != nil {
			return err
		}
		kept = append(kept, message...)
		if s := held.Load(); s != nil {
			if message[0] != 'Z' { // ready for another query
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

func packet(from *bufio.Reader, before int) ([]byte, error) {
	head, err := from.Peek(before + 4)
	if err != nil {
		return nil, err
	}
	message := make([]byte, before+int(binary.BigEndian.Uint32(head[before:])))
	_, err = io.ReadFull(from, message)
	return message, err
}

func text(b []byte) (string, []byte) {
	before, after, _ := bytes.Cut(b, []byte{0})
	return string(before), after
}
