package ports

import (
	"context"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/faultproxy"
)

// HTTP2Reconnects asserts that a client replaces an HTTP/2 connection that died silently. Such a connection serves all
// requests, and stays open when one of them times out. Open returns the transport and a request of a client of the URL.
func HTTP2Reconnects(t *testing.T, open func(url string) (http.RoundTripper, func(context.Context) error)) {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		assert.Equal(t, 2, r.ProtoMajor)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	line := faultproxy.Start(t, "tcp", server.Listener.Addr().String())
	client, request := open("https://" + line.Address())
	transport := client.(*http.Transport)
	transport.TLSClientConfig.RootCAs = x509.NewCertPool()
	transport.TLSClientConfig.RootCAs.AddCert(server.Certificate())
	t.Cleanup(transport.CloseIdleConnections)
	isAnswered := func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		return request(ctx) == nil
	}
	require.True(t, isAnswered())
	line.Break(faultproxy.HalfOpen)
	assert.Eventually(t, isAnswered, 30*time.Second, time.Millisecond)
}
