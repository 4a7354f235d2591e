package provider

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"plaza/domain/secret"
)

// Line is the way to a provider.
type Line struct {
	// URL is the provider's base address: https, or on this machine also http.
	URL string
	// Plain allows http everywhere, for a provider in one's own network.
	Plain bool
	// Deadline bounds each call of Translate, tries and pauses together; zero: 20 seconds.
	Deadline time.Duration
	// Client sends the requests; nil: one that knows no proxies. Whichever it is, it
	// follows no redirects and keeps no cookies.
	Client *http.Client
}

const (
	defaultDeadline = 20 * time.Second
	// answerLimit is some five times what the longest request can have as its answer.
	answerLimit = 4 << 20
)

// problems are all that is wrong with the line. Values don't show: one may be a secret in
// the wrong place.
func (l Line) problems() error {
	var wrong []error
	switch u, err := url.Parse(l.URL); {
	case l.URL == "":
		wrong = append(wrong, errors.New("URL is missing"))
	case err == nil && u.Scheme == "http" && !l.isAddress():
		wrong = append(wrong, errors.New("URL must be https: what is sent could be read on the way (http only on this machine)"))
	case !l.isAddress():
		wrong = append(wrong, errors.New("URL must be an https address without user, query and fragment (http only on this machine)"))
	}
	if l.Deadline < 0 {
		wrong = append(wrong, errors.New("deadline must not be negative"))
	}
	return errors.Join(wrong...)
}

func (l Line) isAddress() bool {
	u, err := url.Parse(l.URL)
	if err != nil || u.Host == "" || u.User != nil || strings.ContainsAny(l.URL, "?#") || !isVisible(l.URL) {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && (l.Plain || isHere(u.Hostname()))
}

func isHere(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func isVisible(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// CheckKey fails unless the key can be sent in a header. It does not show the key.
func CheckKey(key secret.String) error {
	switch k := key.Reveal(); {
	case k == "":
		return errors.New("key is missing")
	case len(k) > 512 || !isVisible(k):
		return errors.New("key must be 1 to 512 visible characters")
	}
	return nil
}

// line carries requests.
type line struct {
	url    string
	client *http.Client
}

func newLine(l Line) line {
	client := http.Client{Transport: &http.Transport{ // no proxy: the environment has no say in this
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    5 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}}
	if l.Client != nil {
		client = *l.Client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client.Jar = nil
	return line{url: strings.TrimRight(l.URL, "/"), client: &client}
}

// reply is what came back, whatever it says.
type reply struct {
	status int
	body   []byte
	again  time.Duration // when the provider wants to be asked again; zero: it did not say
}

// post sends the question once.
func (l line) post(ctx context.Context, q Question) (reply, error) {
	body, kind, err := q.written()
	if err != nil {
		return reply{}, fmt.Errorf("writing the request: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, l.url+q.Path, body)
	if err != nil {
		return reply{}, fmt.Errorf("making a request: %w", err)
	}
	for name, values := range q.Header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	request.Header.Set("Content-Type", kind)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "plaza")
	response, err := l.client.Do(request)
	if err != nil {
		return reply{}, lost(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, answerLimit+1))
	r := reply{status: response.StatusCode, body: answer, again: retryAfter(response.Header.Get("Retry-After"))}
	switch {
	case r.status != http.StatusOK:
		return r, nil // the status says enough, even when the rest got lost
	case err != nil:
		return reply{}, lost(ctx, err)
	case len(answer) > answerLimit:
		return reply{}, fmt.Errorf("%w: it is too long", ErrGarbled)
	}
	return r, nil
}

// written is the question's body, and of what kind it is.
func (q Question) written() (body *bytes.Buffer, kind string, err error) {
	if form, is := q.Body.(url.Values); is {
		return bytes.NewBufferString(form.Encode()), "application/x-www-form-urlencoded", nil
	}
	body = &bytes.Buffer{}
	written := json.NewEncoder(body)
	written.SetEscapeHTML(false) // a < would take six bytes of the limit
	return body, "application/json; charset=utf-8", written.Encode(q.Body)
}

// retryAfter reads the header, seconds or a date. What cannot be read is not there.
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(time.Until(date), 0)
	}
	return 0
}

// lost tells what the lack of an answer is due to. An error of HTTP may repeat what came
// instead of one, and so what we have sent; only those of the net are safe to show.
func lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, ctx.Err())
	}
	if e, is := errors.AsType[*tls.CertificateVerificationError](err); is {
		return fmt.Errorf("%w: %w", ErrGarbled, e)
	}
	if e, is := errors.AsType[*net.OpError](err); is {
		return fmt.Errorf("%w: %w", ErrUnavailable, e)
	}
	return fmt.Errorf("%w: the connection broke", ErrUnavailable)
}
