package provider

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"plaza/domain/secret"
	"plaza/domain/text"
)

// Connection is how a provider is reached.
type Connection struct {
	// URL is the provider's base URL: https, or http for a loopback address.
	URL string
	// Plain allows http for any host, for a provider in a trusted network.
	Plain bool
	// Deadline bounds each call of Translate with its retries and pauses; zero means 20
	// seconds.
	Deadline time.Duration
	// Client sends the requests; nil means one without proxies. No client follows redirects
	// or keeps cookies.
	Client *http.Client
	// Wrap wraps the transport of the requests. Nil: it is used as it is.
	Wrap func(http.RoundTripper) http.RoundTripper
}

const (
	defaultDeadline = 20 * time.Second
	// answerLimit is some five times the answer to the longest request.
	answerLimit = 4 << 20
)

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

// sender sends requests.
type sender struct {
	url    string
	client *http.Client
}

func newSender(c Connection) sender {
	deadline := cmp.Or(c.Deadline, defaultDeadline)
	client := http.Client{Transport: &http.Transport{ // ignores the environment's proxies
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    5 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		// Without pings a connection that died silently would serve, and fail, all requests
		// until the kernel gives it up after a quarter of an hour.
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
	return sender{url: strings.TrimRight(c.URL, "/"), client: &client}
}

// reply is a response of any status.
type reply struct {
	status int
	body   []byte
	again  time.Duration // Retry-After; zero: absent
}

// post sends the question once.
func (s sender) post(ctx context.Context, q Question) (reply, error) {
	body, kind, err := q.written()
	if err != nil {
		return reply{}, fmt.Errorf("encoding the request: %w", err)
	}
	header := http.Header{"Content-Type": {kind}}
	for name, values := range q.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	return s.send(ctx, http.MethodPost, q.Path, header, body)
}

// send sends a request once. The body may be nil.
func (s sender) send(ctx context.Context, method, path string, header http.Header, body io.Reader) (reply, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.url+path, body)
	if err != nil {
		return reply{}, fmt.Errorf("making a request: %w", err)
	}
	maps.Copy(request.Header, header)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "plaza")
	response, err := s.client.Do(request)
	if err != nil {
		return reply{}, lost(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, answerLimit+1))
	r := reply{status: response.StatusCode, body: answer, again: retryAfter(response.Header.Get("Retry-After"))}
	switch {
	case r.status != http.StatusOK:
		return r, nil // the status suffices, even without the body
	case err != nil:
		return reply{}, lost(ctx, err)
	case len(answer) > answerLimit:
		return reply{}, fmt.Errorf("%w: the answer is too long", ErrInvalidAnswer)
	case !utf8.Valid(answer): // JSON would be read with U+FFFD in its place
		return reply{}, fmt.Errorf("%w: the answer is not UTF-8", ErrInvalidAnswer)
	}
	return r, nil
}

// written returns the question's body and its media type.
func (q Question) written() (body *bytes.Buffer, kind string, err error) {
	if form, is := q.Body.(url.Values); is {
		return bytes.NewBufferString(form.Encode()), "application/x-www-form-urlencoded", nil
	}
	body = &bytes.Buffer{}
	written := json.NewEncoder(body)
	written.SetEscapeHTML(false) // an escaped < would take six bytes of the limit
	return body, "application/json; charset=utf-8", written.Encode(q.Body)
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

// lost classifies a failed request. An HTTP error may repeat the request, so only network
// errors are shown.
func lost(ctx context.Context, err error) error {
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
