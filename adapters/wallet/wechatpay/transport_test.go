package wechatpay

import (
	"context"
	"net/http"
	"testing"
	"time"

	"plaza/test/ports"
)

func TestPAY13_an_HTTP2_connection_that_died_silently_is_replaced(t *testing.T) {
	ports.HTTP2Reconnects(t, func(url string) (http.RoundTripper, func(context.Context) error) {
		w := newTransport(Config{URL: url, Deadline: time.Second}, nil)
		return w.client.Transport, func(ctx context.Context) error {
			_, err := w.post(ctx, "", nil)
			return err
		}
	})
}
