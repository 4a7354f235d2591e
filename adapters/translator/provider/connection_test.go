package provider

import (
	"context"
	"net/http"
	"testing"
	"time"

	"plaza/test/ports"
)

func TestHTTP2ConnectionThatDiedSilentlyIsReplaced(t *testing.T) {
	ports.HTTP2Reconnects(t, func(url string) (http.RoundTripper, func(context.Context) error) {
		s := newSender(Connection{URL: url, Deadline: time.Second})
		return s.client.Transport, func(ctx context.Context) error {
			_, err := s.post(ctx, Question{})
			return err
		}
	})
}
