package upstream

import (
	"context"
	"net/http"
	"testing"
	"time"

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
