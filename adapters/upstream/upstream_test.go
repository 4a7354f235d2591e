package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/ports"
)

func TestHTTP2ConnectionThatDiedSilentlyIsReplaced(t *testing.T) {
	ports.HTTP2Reconnects(t, func(url string) (http.RoundTripper, func(context.Context) error) {
		c, err := Open(Connection{URL: url, Deadline: time.Second}, 1<<10)
		require.NoError(t, err)
		return c.http.Transport, func(ctx context.Context) error {
			_, err := c.Send(ctx, http.MethodPost, "", nil, nil)
			return err
		}
	})
}

func TestAConnectionKnowsNoProxies(t *testing.T) {
	transport := Connection{}.HTTPClient(func(*http.Transport) {}).Transport.(*http.Transport)
	assert.Nil(t, transport.Proxy)
	assert.GreaterOrEqual(t, transport.TLSClientConfig.MinVersion, uint16(tls.VersionTLS12))
}

func TestSendKnowsWhenNothingWasSent(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	notSent := func(url string, client *http.Client) bool {
		c, err := Open(Connection{URL: url, Deadline: time.Second, Client: client}, 1<<10)
		require.NoError(t, err)
		_, err = c.Send(t.Context(), http.MethodPost, "", nil, strings.NewReader("x"))
		require.Error(t, err)
		return errors.Is(err, ErrNotSent)
	}
	assert.True(t, notSent("http://127.0.0.1:1", nil), "a port below those that programs are given")
	assert.True(t, notSent(server.URL, nil), "an unknown certificate")
	for range 2 { // by a new connection, and by one that may be open
		assert.False(t, notSent(server.URL, server.Client()), "a lost answer of HTTP/2")
	}
	plain := httptest.NewServer(server.Config.Handler)
	t.Cleanup(plain.Close)
	assert.False(t, notSent(plain.URL, nil), "a lost answer of HTTP/1")
	assert.False(t, notSent(server.URL, &http.Client{Transport: roundTripper{}}), "a transport that tells nothing")
}

type roundTripper struct{}

func (roundTripper) RoundTrip(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }
