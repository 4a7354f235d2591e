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

// cable stands before Postgres. What passes it are round trips: what the client sends
// before it waits, and all that comes back, each named by the statements in it.
type cable struct {
	crossing
	URL              string // of the database, through the cable
	network, address string
	listener         net.Listener
	carrying         sync.WaitGroup
	trips            atomic.Int64 // so far
}

// The messages that pass, before the statements.
const (
	theTrip   = "what is asked:\n"
	theReturn = "what comes back:\n"
)

// stopAtTrip holds the next trip, or its return, that has all the statements, without
// quotes. A trip that commits has all statements of its transaction.
func (c *cable) stopAtTrip(direction string, statements ...string) *stop {
	return c.stopAt(func(what string) bool {
		lacks := func(statement string) bool { return !strings.Contains(what, statement) }
		return strings.HasPrefix(what, direction) && !slices.ContainsFunc(statements, lacks)
	})
}

func newCable(t *testing.T, database string) *cable {
	t.Helper()
	c := &cable{}
	c.network, c.address = postgres.Address(t, database)
	var err error
	c.listener, err = net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c.URL = postgres.Through(t, database, c.listener.Addr().String())
	c.carrying.Go(func() {
		for {
			client, err := c.listener.Accept()
			if err != nil {
				return
			}
			c.carrying.Go(func() { c.carry(client) })
		}
	})
	return c
}

// close waits until all connections have ended, so their clients must be dead.
func (c *cable) close() {
	c.clear()
	c.listener.Close()
	c.carrying.Wait()
}

func (c *cable) carry(client net.Conn) {
	defer client.Close()
	server, err := net.Dial(c.network, c.address)
	if err != nil {
		return
	}
	defer server.Close()
	var held atomic.Pointer[stop] // of what comes back next
	c.carrying.Go(func() {
		defer client.Close()
		defer server.Close()
		_ = bringBack(server, client, &held) // how a connection ends doesn't matter
	})
	_ = c.bring(client, server, &held)
}

// endsTrip are the messages after which the client waits.
const endsTrip = "SQXHpcf"

func (c *cable) bring(client io.Reader, server io.Writer, held *atomic.Pointer[stop]) error {
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
		c.trips.Add(1)
		what := strings.ReplaceAll(strings.Join(statements, "\n"), `"`, "")
		if s := c.at(theTrip + what); s != nil && !s.hold() {
			return errors.New("lost on the way")
		}
		if s := c.at(theReturn + what); s != nil {
			held.Store(s)
		}
		_, err = server.Write(trip)
	}
	return err
}

// bringBack brings back all of a trip at once if it is to be held.
func bringBack(server io.Reader, client io.Writer, held *atomic.Pointer[stop]) error {
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

// packet reads a message of Postgres's protocol, whose length stands behind so many
// bytes.
func packet(from *bufio.Reader, before int) ([]byte, error) {
	head, err := from.Peek(before + 4)
	if err != nil {
		return nil, err
	}
	message := make([]byte, before+int(binary.BigEndian.Uint32(head[before:])))
	_, err = io.ReadFull(from, message)
	return message, err
}

// text is a text up to its NUL, and what comes after it.
func text(b []byte) (string, []byte) {
	before, after, _ := bytes.Cut(b, []byte{0})
	return string(before), after
}
