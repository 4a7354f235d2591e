package transport

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGEN_14_connections_beyond_the_bound_are_answered_503_and_closed(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var refused atomic.Int64
	limited := LimitConnections(tcp.(*net.TCPListener), 2, nil, func(limit string) {
		assert.Equal(t, "connections", limit)
		refused.Add(1)
	})
	server := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	done := make(chan error, 1)
	go func() { done <- server.Serve(limited) }()
	t.Cleanup(func() {
		server.Close()
		assert.ErrorIs(t, <-done, http.ErrServerClosed)
	})
	type client struct {
		net.Conn
		in *bufio.Reader
	}
	dial := func() client {
		conn, err := net.Dial("tcp", tcp.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
		return client{conn, bufio.NewReader(conn)}
	}
	get := func(c client) *http.Response {
		_, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: plaza.example\r\n\r\n")
		require.NoError(t, err)
		res, err := http.ReadResponse(c.in, nil)
		require.NoError(t, err)
		return res
	}
	first, second := dial(), dial()
	for _, c := range []client{first, second, first} {
		assert.Equal(t, http.StatusOK, get(c).StatusCode)
	}
	for range 3 {
		res := get(dial())
		assert.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
		assert.Equal(t, "1", res.Header.Get("Retry-After"))
		assert.NotEmpty(t, res.Header.Get("X-Request-ID"))
		assert.Equal(t, "nosniff", res.Header.Get("X-Content-Type-Options"))
		assert.True(t, res.Close)
		var said envelope
		require.NoError(t, json.NewDecoder(res.Body).Decode(&said))
		assert.Equal(t, "SERVICE_UNAVAILABLE", said.Code)
	}
	assert.EqualValues(t, 3, refused.Load(), "each refusal is counted")
	first.Close()
	require.Eventually(t, func() bool { return get(dial()).StatusCode == http.StatusOK }, 5e9, 1e7)
	assert.Equal(t, http.StatusOK, get(second).StatusCode)
}

func TestGEN_14_a_connection_that_is_closed_twice_makes_room_for_one(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := LimitConnections(tcp.(*net.TCPListener), 2, nil, nil).(*limitedListener)
	defer l.Close()
	var accepted []net.Conn
	for range 2 {
		conn, err := net.Dial("tcp", tcp.Addr().String())
		require.NoError(t, err)
		defer conn.Close()
		there, err := l.Accept()
		require.NoError(t, err)
		accepted = append(accepted, there)
	}
	accepted[0].Close()
	accepted[0].Close()
	assert.Equal(t, 1, l.open.taken)
	accepted[1].Close()
	assert.Zero(t, l.open.taken)
}

func TestGEN_14_one_network_does_not_have_all_connections(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	trusted := []netip.Prefix{netip.MustParsePrefix("127.0.0.3/32")}
	l := LimitConnections(tcp.(*net.TCPListener), 100, trusted, nil).(*limitedListener)
	defer l.Close()
	admitted := func(from string) (leave func()) {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		conn, err := dialer.Dial("tcp", tcp.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { conn.Close() })
		there, err := l.AcceptTCP()
		require.NoError(t, err)
		t.Cleanup(func() { there.Close() })
		return l.admit(there)
	}
	var leave func()
	for range 64 {
		leave = admitted("127.0.0.1")
		require.NotNil(t, leave)
	}
	assert.Nil(t, admitted("127.0.0.1"))
	assert.NotNil(t, admitted("127.0.0.2"), "another network")
	leave()
	assert.NotNil(t, admitted("127.0.0.1"))
	for range 35 {
		assert.NotNil(t, admitted("127.0.0.3"), "a trusted proxy has no share of its own")
	}
	assert.Nil(t, admitted("127.0.0.3"), "but all together have one")
}
