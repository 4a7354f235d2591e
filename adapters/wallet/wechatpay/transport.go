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

	"plaza/domain/payment"
)

// transport sends requests to the wallet.
type transport struct {
	url      string // the base URL
	deadline time.Duration
	client   *http.Client
}

// newTransport returns a transport. adjust changes how it connects.
func newTransport(c Config, adjust func(*http.Transport)) transport {
	deadline := c.deadline()
	connections := &http.Transport{ // ignores the environment's proxies
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    defaultDeadline,
		MaxResponseHeaderBytes: 64 << 10,
		// Without pings a connection that died silently would serve, and fail, all requests
		// until the kernel gives it up after a quarter of an hour. These find out early enough
		// for another try.
		HTTP2: &http.HTTP2Config{SendPingTimeout: deadline / 2, PingTimeout: deadline / 4},
	}
	adjust(connections)
	client := http.Client{Transport: connections}
	if c.Client != nil {
		client = *c.Client
	}
	if c.Wrap != nil {
		client.Transport = c.Wrap(client.Transport)
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client.Jar = nil
	return transport{url: strings.TrimRight(c.URL, "/"), deadline: deadline, client: &client}
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
