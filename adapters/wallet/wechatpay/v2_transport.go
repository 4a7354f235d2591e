package wechatpay

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"plaza/domain/payment"
)

// Number of tries of a request that may be lost, and pauses between them.
const (
	tries      = 3
	firstPause = 50 * time.Millisecond
	lastPause  = 500 * time.Millisecond
)

// transport sends requests to the wallet.
type transportV2 struct {
	url      string
	deadline time.Duration
	client   *http.Client
}

// newTransport returns a transport that presents the certificate, which may be nil.
func newTransportV2(c ConfigV2, certificate *tls.Certificate) transportV2 {
	deadline := cmp.Or(c.Deadline, defaultDeadline)
	identity := &tls.Config{MinVersion: tls.VersionTLS12}
	if certificate != nil {
		identity.Certificates = []tls.Certificate{*certificate}
	}
	client := http.Client{Transport: &http.Transport{ // ignores the environment's proxies
		TLSClientConfig:        identity,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    defaultDeadline,
		MaxResponseHeaderBytes: maxXML,
		// Without pings a connection that died silently would serve, and fail, all requests
		// until the kernel gives it up after a quarter of an hour. These find out early enough
		// for another try.
		HTTP2: &http.HTTP2Config{SendPingTimeout: deadline / 2, PingTimeout: deadline / 4},
	}}
	if c.Client != nil {
		client = *c.Client
	}
	if c.Wrap != nil {
		client.Transport = c.Wrap(client.Transport)
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client.Jar = nil
	return transportV2{url: strings.TrimRight(c.URL, "/"), deadline: deadline, client: &client}
}

// send sends the request. It repeats the same bytes while the result is unknown. It returns
// the wallet's answer if that is signed, for this merchant, and not a refusal.
func (g *V2) send(ctx context.Context, w transportV2, path string, asked xmlMessage, request []byte, r refusalsV2) (xmlMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, w.deadline)
	defer cancel()
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = firstPause, lastPause
	var reply xmlMessage
	var doubt error // error of a try that may have succeeded
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		var err error
		reply, err = g.sendOnce(ctx, w, path, asked, request, r)
		if errors.Is(err, payment.ErrWalletTimeout) {
			doubt = err
			return struct{}{}, err
		}
		if err != nil {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(pauses), backoff.WithMaxTries(tries))
	switch {
	case err == nil:
		return reply, nil
	case doubt != nil && !tellsState(err):
		return nil, doubt
	}
	return nil, err
}

// sendOnce sends the request once.
func (g *V2) sendOnce(ctx context.Context, w transportV2, path string, asked xmlMessage, request []byte, r refusalsV2) (xmlMessage, error) {
	text, err := w.post(ctx, path, request)
	if err != nil {
		return nil, err
	}
	reply, err := parseXML(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", payment.ErrWalletBadResponse, err)
	}
	switch reply["return_code"] {
	case success:
	case failure:
		return nil, r.errorOfMessage(reply["return_msg"])
	default:
		return nil, fmt.Errorf("%w: no return code", payment.ErrWalletBadResponse)
	}
	if err := reply.verify(g.key); err != nil {
		return nil, fmt.Errorf("%w: %w", payment.ErrWalletBadResponse, err)
	}
	if reply["appid"] != asked["appid"] || reply["mch_id"] != asked["mch_id"] {
		return nil, fmt.Errorf("%w: another merchant's or application's message", payment.ErrWalletBadResponse)
	}
	switch reply["result_code"] {
	case success:
		return reply, nil
	case failure:
		return nil, r.errorOf(reply["err_code"])
	}
	return nil, fmt.Errorf("%w: no result code", payment.ErrWalletBadResponse)
}

// post returns the wallet's answer, truncated slightly above the size limit.
func (w transportV2) post(ctx context.Context, path string, body []byte) ([]byte, error) {
	response, err := w.open(ctx, path, body)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxXML+1))
	switch {
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%w: status %d", payment.ErrWalletBadResponse, response.StatusCode)
	case err != nil:
		return nil, transportError(ctx, err)
	}
	return text, nil
}

// open posts the body. The caller must close the body of the response.
func (w transportV2) open(ctx context.Context, path string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("creating a request: %w", err)
	}
	request.Header.Set("Content-Type", "text/xml; charset=utf-8")
	response, err := w.client.Do(request)
	if err != nil {
		return nil, transportError(ctx, err)
	}
	return response, nil
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
