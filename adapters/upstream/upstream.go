// Package upstream sends requests to servers of other people, for the adapters that speak
// their protocols. It does not trust them: an answer has a limit, no redirect is followed, no
// cookie is kept, and no error shows the request.
package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"plaza/domain/secret"
	"plaza/domain/text"
)

// Errors of a request without a valid answer.
var (
	ErrUnavailable   = errors.New("provider unavailable")
	ErrInvalidAnswer = errors.New("invalid answer")
	// ErrNotSent means that certainly no byte of a request was sent, so that the server did nothing.
	ErrNotSent = errors.New("nothing was sent")
)

// Connection is how a server is reached.
type Connection struct {
	// URL is the server's base URL: https, or http for a loopback address.
	URL string
	// Plain allows http for any host, for a server in a trusted network.
	Plain bool
	// Deadline bounds each call of the adapter, with its retries and pauses; zero means the
	// adapter's own.
	Deadline time.Duration
	// Client sends the requests; nil means one without proxies. No client follows redirects
	// or keeps cookies.
	Client *http.Client
	// Wrap wraps the transport of the requests. Nil: it is used as it is.
	Wrap func(http.RoundTripper) http.RoundTripper
}

// problems returns all problems of the connection. It never shows values: one may be a secret
// in the wrong field.
func (c Connection) problems() error {
	var wrong []error
	switch u, is := text.ServiceURL(c.URL); {
	case c.URL == "":
		wrong = append(wrong, errors.New("URL is missing"))
	case !is:
		wrong = append(wrong, errors.New("URL must be an https URL without user, query and fragment (http only for loopback)"))
	case !c.Plain && !text.IsConfidential(u):
		wrong = append(wrong, errors.New("URL must be https, because http is readable on the network (http only for loopback)"))
	}
	if c.Deadline < 0 {
		wrong = append(wrong, errors.New("deadline must not be negative"))
	}
	return errors.Join(wrong...)
}

// CheckKey returns an error if the key can't be sent in a header. The error does not show
// the key.
func CheckKey(key secret.String) error {
	switch k := key.Reveal(); {
	case k == "":
		return errors.New("key is missing")
	case len(k) > 512 || !text.IsVisible(k):
		return errors.New("key must be 1 to 512 visible characters")
	}
	return nil
}

// Client sends requests.
type Client struct {
	url         string
	answerLimit int64
	http        *http.Client
}

// Open returns a client that reads answers up to the limit, or all problems of the connection.
// The connection must have a deadline.
func Open(c Connection, answerLimit int64) (*Client, error) {
	if err := c.problems(); err != nil {
		return nil, err
	}
	return &Client{url: strings.TrimRight(c.URL, "/"), answerLimit: answerLimit, http: c.HTTPClient(func(*http.Transport) {})}, nil
}

// HTTPClient returns the client of the connection. adjust changes how it connects.
func (c Connection) HTTPClient(adjust func(*http.Transport)) *http.Client {
	connections := &http.Transport{ // ignores the environment's proxies
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    5 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		// Without pings a connection that died silently would serve, and fail, all requests
		// until the kernel gives it up after a quarter of an hour.
		HTTP2: &http.HTTP2Config{SendPingTimeout: c.Deadline / 2, PingTimeout: c.Deadline / 4},
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
	return &client
}

// Answer is a response of any status.
type Answer struct {
	Status int
	Body   []byte
	Again  time.Duration // Retry-After; zero: absent
}

// Send sends a request once. The body may be nil. The body of an answer is complete if its
// status is 200. If an answer cannot be read to its end, Send returns its status with the error.
func (c *Client) Send(ctx context.Context, method, path string, header http.Header, body io.Reader) (Answer, error) {
	var connecting atomic.Bool // a request is written when it has a connection
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { connecting.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { connecting.Store(false) },
	})
	request, err := http.NewRequestWithContext(traced, method, c.url+path, body)
	if err != nil {
		return Answer{}, fmt.Errorf("making a request: %w", err)
	}
	for name, values := range header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "plaza")
	response, err := c.http.Do(request)
	switch {
	case err != nil && connecting.Load():
		return Answer{}, fmt.Errorf("%w: %w", ErrNotSent, Lost(ctx, err))
	case err != nil:
		return Answer{}, Lost(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, c.answerLimit+1))
	a := Answer{Status: response.StatusCode, Body: answer, Again: retryAfter(response.Header.Get("Retry-After"))}
	switch {
	case a.Status != http.StatusOK:
		return a, nil // the status suffices, even without the body
	case err != nil:
		return Answer{Status: a.Status}, Lost(ctx, err)
	case int64(len(answer)) > c.answerLimit:
		return Answer{Status: a.Status}, fmt.Errorf("%w: the answer is too long", ErrInvalidAnswer)
	case !utf8.Valid(answer): // JSON would be read with U+FFFD in its place
		return Answer{Status: a.Status}, fmt.Errorf("%w: the answer is not UTF-8", ErrInvalidAnswer)
	}
	return a, nil
}

// retryAfter parses the header, seconds or a date. An invalid value counts as absent.
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(time.Until(date), 0)
	}
	return 0
}

// Lost classifies a failed request, as ErrInvalidAnswer or ErrUnavailable. An HTTP error may repeat the request, so only network
// errors are shown.
func Lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
	}
	if e, is := errors.AsType[*tls.CertificateVerificationError](err); is {
		return fmt.Errorf("%w: %w", ErrInvalidAnswer, e)
	}
	if e, is := errors.AsType[*net.OpError](err); is {
		return fmt.Errorf("%w: %w", ErrUnavailable, e)
	}
	return fmt.Errorf("%w: connection broken", ErrUnavailable)
}
