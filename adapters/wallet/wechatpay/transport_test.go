package wechatpay

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

// A connection of HTTP/2 serves all requests, and stays open when one of them times out.
func TestPAY13_an_HTTP2_connection_that_died_silently_is_replaced(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, 2, r.ProtoMajor)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	line := faultproxy.Start(t, "tcp", server.Listener.Addr().String())
	w := newTransport(Config{URL: "https://" + line.Address(), Deadline: time.Second}, nil)
	transport := w.client.Transport.(*http.Transport)
	transport.TLSClientConfig.RootCAs = x509.NewCertPool()
	transport.TLSClientConfig.RootCAs.AddCert(server.Certificate())
	t.Cleanup(transport.CloseIdleConnections)
	isAnswered := func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), w.deadline)
		defer cancel()
		_, err := w.post(ctx, "", nil)
		return err == nil
	}
	require.True(t, isAnswered())
	line.Break(faultproxy.HalfOpen)
	assert.Eventually(t, isAnswered, 30*time.Second, time.Millisecond)
}
