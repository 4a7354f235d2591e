package provider

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
func TestHTTP2ConnectionThatDiedSilentlyIsReplaced(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, 2, r.ProtoMajor)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	line := faultproxy.Start(t, "tcp", server.Listener.Addr().String())
	const deadline = time.Second
	s := newSender(Connection{URL: "https://" + line.Address(), Deadline: deadline})
	transport := s.client.Transport.(*http.Transport)
	transport.TLSClientConfig.RootCAs = x509.NewCertPool()
	transport.TLSClientConfig.RootCAs.AddCert(server.Certificate())
	t.Cleanup(transport.CloseIdleConnections)
	isAnswered := func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), deadline)
		defer cancel()
		_, err := s.post(ctx, Question{})
		return err == nil
	}
	require.True(t, isAnswered())
	line.Break(faultproxy.HalfOpen)
	assert.Eventually(t, isAnswered, 30*time.Second, time.Millisecond)
}
