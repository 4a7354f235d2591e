package transport

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/user"
)

// large is a response that a client has to read.
var large = bytes.Repeat([]byte("x"), 300<<10)

// answering serves a large response, as the account if there is one, with one slot for requests.
func answering(as user.ID) http.Handler {
	return NewMiddleware(LimitRequests(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		RequestLogOf(r.Context()).User = as
		Reply{Status: http.StatusOK}.write(w, identity, "text/plain", large)
	}), 1), Config{Log: slog.New(slog.DiscardHandler)})
}

// asks connects as that address and sends a request.
func asks(t *testing.T, server chan<- net.Conn, address string) net.Conn {
	t.Helper()
	client, there := net.Pipe()
	server <- from{there, address}
	t.Cleanup(func() { client.Close() })
	_, err := fmt.Fprint(client, "GET / HTTP/1.1\r\nHost: plaza.example\r\n\r\n")
	require.NoError(t, err)
	return client
}

// from is a connection of a peer with an address.
type from struct {
	net.Conn
	address string
}

func (f from) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.ParseIP(f.address), Port: 1}
}

// served runs the handler in a bubble until the test ends.
func served(t *testing.T, h http.Handler) chan<- net.Conn {
	t.Helper()
	listener := make(pipes, 1)
	server := &http.Server{Handler: h, WriteTimeout: time.Hour}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		close(listener)
		assert.ErrorIs(t, <-done, net.ErrClosed)
		server.Close()
		<-time.After(time.Second)
	})
	return listener
}

func TestGEN_14_who_does_not_read_keeps_nobody_waiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := served(t, answering(0))
		for range maxSendingOf {
			asks(t, server, "203.0.113.1")
			synctest.Wait()
		}
		got, err := http.ReadResponse(bufio.NewReader(asks(t, server, "203.0.113.2")), nil)
		require.NoError(t, err)
		body, err := io.ReadAll(got.Body)
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, got.StatusCode)
		assert.Equal(t, large, body)

		refused, err := http.ReadResponse(bufio.NewReader(asks(t, server, "203.0.113.1")), nil)
		require.NoError(t, err)
		assert.Equal(t, http.StatusServiceUnavailable, refused.StatusCode)
		assert.Equal(t, "application/json", refused.Header.Get("Content-Type"))
		assert.NotEmpty(t, refused.Header.Get("Retry-After"))
	})
}

func TestGEN_14_who_reads_too_slowly_is_cut_off(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		client := asks(t, served(t, answering(0)), "203.0.113.1")
		for taken := 0; ; { // a piece in time each, and then too late
			n, err := io.ReadFull(client, make([]byte, sendPiece))
			if err != nil {
				assert.Less(t, taken+n, len(large))
				assert.Greater(t, taken, 4*sendPiece)
				break
			}
			if taken += n; taken > 5*sendPiece {
				time.Sleep(2 * time.Second)
			}
			time.Sleep(sendDeadline - time.Second)
		}
		assert.Less(t, time.Since(began), 90*time.Second)
	})
}

func TestGEN_14_responses_on_their_way_are_counted_by_account(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := served(t, answering(7))
		for n := range maxSendingOf {
			asks(t, server, fmt.Sprintf("203.0.113.%d", n))
			synctest.Wait()
		}
		refused, err := http.ReadResponse(bufio.NewReader(asks(t, server, "198.51.100.1")), nil)
		require.NoError(t, err)
		assert.Equal(t, http.StatusServiceUnavailable, refused.StatusCode)
	})
}

func TestGEN_14_a_caller_has_a_share_of_the_files_of_lists(t *testing.T) {
	limits := NewListLimits()
	for range listFilesOf {
		_, err := limits.fileOf("account 1")
		require.NoError(t, err)
	}
	_, err := limits.fileOf("account 1")
	assert.ErrorIs(t, err, errListsBusy)
	free, err := limits.fileOf("account 2")
	require.NoError(t, err)
	free()
	assert.Equal(t, map[caller]int{"account 1": listFilesOf}, limits.files.had)
}
