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
)

// sizeLimit bounds the wallet's answers, which have a few thousand bytes.
const maxJSON = 1 << 20

// transport sends requests to the wallet.
type transportV3 struct {
	bases    []string // the base URL, and perhaps the spare one
	deadline time.Duration
	client   *http.Client
	keyID    string // of the wallet's public key, by which it is to sign; empty: by a certificate
}

func newTransportV3(c ConfigV3) transportV3 {
	deadline := cmp.Or(c.Deadline, defaultDeadline)
	var dialer net.Dialer
	if c.SpareURL != "" {
		dialer.Timeout = deadline / 2 // time is left for the other address
	}
	client := http.Client{Transport: &http.Transport{ // ignores the environment's proxies
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // signed is what was sent
		MaxIdleConnsPerHost:    16,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    defaultDeadline,
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
	t := transportV3{bases: []string{strings.TrimRight(c.URL, "/")}, deadline: deadline, client: &client, keyID: c.PublicKeyID}
	if c.SpareURL != "" {
		t.bases = append(t.bases, strings.TrimRight(c.SpareURL, "/"))
	}
	return t
}

// request is what the wallet is asked.
type requestV3 struct {
	method string
	target string // path and query, escaped
	body   []byte // JSON, or nil
}

// answer is what the wallet says to a request.
type answerV3 struct {
	signedMessage
	status int
	date   time.Time // by the wallet's clock; zero: not given. It is not signed.
}

// authoriser returns the header Authorization of a request.
type authoriser func(method, uri string, body []byte) (string, error)

// exchange sends the request and returns the answer, truncated slightly above the size limit. If no connection could be
// opened it tries the spare address, and signs anew. A request that may have been sent is not sent again: its outcome is
// unknown.
func (t transportV3) exchange(ctx context.Context, q requestV3, authorise authoriser) (answerV3, error) {
	var a answerV3
	var err error
	for _, base := range t.bases {
		if a, err = t.send(ctx, base, q, authorise); !isUnconnected(err) {
			break
		}
	}
	if err != nil {
		return answerV3{}, transportError(ctx, err)
	}
	return a, nil
}

// isUnconnected reports whether no connection could be opened, so that nothing was sent.
func isUnconnected(err error) bool {
	e, is := errors.AsType[*net.OpError](err)
	return is && e.Op == "dial"
}

// send sends the request once.
func (t transportV3) send(ctx context.Context, base string, q requestV3, authorise authoriser) (answerV3, error) {
	response, err := t.open(ctx, base, q, authorise)
	if err != nil {
		return answerV3{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxJSON+1))
	if err != nil {
		return answerV3{}, err
	}
	a := answerV3{signedMessage: newMessage(response.Header, body), status: response.StatusCode}
	a.date, _ = http.ParseTime(response.Header.Get("Date"))
	return a, nil
}

// open signs and sends the request. The caller must close the body of the response.
func (t transportV3) open(ctx context.Context, base string, q requestV3, authorise authoriser) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, q.method, base+q.target, bytes.NewReader(q.body))
	if err != nil {
		return nil, errors.New("creating a request")
	}
	authorisation, err := authorise(r.Method, r.URL.RequestURI(), q.body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", authorisation)
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "Plaza")
	if q.body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if t.keyID != "" {
		r.Header.Set("Wechatpay-Serial", t.keyID)
	}
	return t.client.Do(r)
}

// clockHint returns a hint about the clock if the wallet's differs by so much that it refuses signatures, or "".
func (a answerV3) clockHint(now time.Time) string {
	if off := secondsBetween(a.date, now); !a.date.IsZero() && off > clockWindow {
		return fmt.Sprintf(": this server's clock differs from the wallet's by %v", off)
	}
	return ""
}
