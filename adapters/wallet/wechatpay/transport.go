package wechatpay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"plaza/adapters/upstream"
	"plaza/adapters/wallet"
	"plaza/domain/payment"
)

// transport sends requests to the wallet.
type transport struct {
	url      string // the base URL
	deadline time.Duration
	client   *http.Client
}

// newTransport returns a transport. adjust changes how it connects.
func newTransport(s wallet.Settings, adjust func(*http.Transport)) transport {
	connection := upstream.Connection{Deadline: s.Deadline, Wrap: s.Wrap}
	return transport{url: strings.TrimRight(s.URL, "/"), deadline: s.Deadline, client: connection.HTTPClient(adjust)}
}

// readBody returns the body, truncated slightly above the limit, and closes it.
func readBody(response *http.Response, limit int64) ([]byte, error) {
	defer func() { _ = response.Body.Close() }()
	return io.ReadAll(io.LimitReader(response.Body, limit+1))
}

// transportError classifies a failed request.
func transportError(ctx context.Context, err error) error {
	lost := upstream.Lost(ctx, err)
	isMalformed := ctx.Err() == nil && strings.Contains(err.Error(), "malformed")
	if isMalformed || errors.Is(lost, upstream.ErrInvalidAnswer) {
		return fmt.Errorf("%w: %w", payment.ErrWalletBadResponse, lost)
	}
	return fmt.Errorf("%w: %w", payment.ErrWalletTimeout, lost)
}
