package wechatpay

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
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

// transportError classifies a failed request. An HTTP error may repeat the request, so only network
// errors are shown.
func transportError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", payment.ErrWalletTimeout, ctx.Err())
	}
	if e, is := errors.AsType[*tls.CertificateVerificationError](err); is {
		return fmt.Errorf("%w: %w", payment.ErrWalletBadResponse, e)
	}
	if e, is := errors.AsType[*net.OpError](err); is {
		return fmt.Errorf("%w: %w", payment.ErrWalletTimeout, e)
	}
	if strings.Contains(err.Error(), "malformed") {
		return fmt.Errorf("%w: not an HTTP response", payment.ErrWalletBadResponse)
	}
	return fmt.Errorf("%w: connection broken", payment.ErrWalletTimeout)
}
