package wechatpay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"plaza/domain/payment"
)

// maxJSON bounds the wallet's answers, which have a few thousand bytes.
const maxJSON = 1 << 20

// requestV3 is what the wallet is asked.
type requestV3 struct {
	method string
	target string // path and query, escaped
	body   []byte // JSON, or nil
}

// answerV3 is what the wallet says to a request.
type answerV3 struct {
	signedMessage
	status int
	date   time.Time // by the wallet's clock; zero: not given. It is not signed.
}

// get asks for what is at the target.
func (g *V3) get(ctx context.Context, target string, r refusals) (jsonObject, error) {
	return g.call(ctx, requestV3{method: http.MethodGet, target: target}, http.StatusOK, r)
}

func (g *V3) post(ctx context.Context, target string, body any, status int, r refusals) (jsonObject, error) {
	text, _ := json.Marshal(body) // of texts and numbers
	return g.call(ctx, requestV3{method: http.MethodPost, target: target, body: text}, status, r)
}

// call sends the request and returns the wallet's answer if it has the expected status and is signed. The answer to a
// request that expects status 204 is empty.
func (g *V3) call(ctx context.Context, q requestV3, status int, r refusals) (jsonObject, error) {
	ctx, cancel := context.WithTimeout(ctx, g.transport.deadline)
	defer cancel()
	a, err := g.exchange(ctx, q)
	if err != nil {
		return nil, err
	}
	if a.status >= http.StatusInternalServerError {
		return nil, fmt.Errorf("%w: status %d", payment.ErrWalletBadResponse, a.status)
	}
	if a.isUnsigned() && a.status == http.StatusUnauthorized {
		return nil, g.unauthorised(a, r)
	}
	if _, err := verify(ctx, a.signedMessage, g.now(), g.keys.find); err != nil {
		if ctx.Err() != nil || errors.Is(err, payment.ErrWalletTimeout) {
			return nil, fmt.Errorf("%w: %w", payment.ErrWalletTimeout, err)
		}
		return nil, fmt.Errorf("%w: status %d: %w", payment.ErrWalletBadResponse, a.status, err)
	}
	switch {
	case a.status >= http.StatusBadRequest:
		return nil, r.errorOfAnswer(a)
	case a.status != status:
		return nil, fmt.Errorf("%w: status %d", payment.ErrWalletBadResponse, a.status)
	case status == http.StatusNoContent:
		return nil, nil
	}
	found, err := parseObject(a.body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", payment.ErrWalletBadResponse, err)
	}
	return found, nil
}

// exchange sends the request and returns the answer, truncated slightly above the size limit. If no connection could be
// opened it tries the spare address, and signs anew. A request that may have been sent is not sent again: its outcome is
// unknown.
func (g *V3) exchange(ctx context.Context, q requestV3) (answerV3, error) {
	response, err := g.open(ctx, g.transport.url, q)
	if g.spareURL != "" && isUnconnected(err) {
		response, err = g.open(ctx, g.spareURL, q)
	}
	if err != nil {
		return answerV3{}, transportError(ctx, err)
	}
	body, err := readBody(response, maxJSON)
	if err != nil {
		return answerV3{}, transportError(ctx, err)
	}
	a := answerV3{signedMessage: newMessage(response.Header, body), status: response.StatusCode}
	a.date, _ = http.ParseTime(response.Header.Get("Date"))
	return a, nil
}

// isUnconnected reports whether no connection could be opened, so that nothing was sent.
func isUnconnected(err error) bool {
	e, is := errors.AsType[*net.OpError](err)
	return is && e.Op == "dial"
}

// open signs and sends the request to the base URL. The caller must close the body of the response.
func (g *V3) open(ctx context.Context, base string, q requestV3) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, q.method, base+q.target, bytes.NewReader(q.body))
	if err != nil {
		return nil, errors.New("creating a request")
	}
	authorisation, err := g.authorise(r.Method, r.URL.RequestURI(), q.body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", authorisation)
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "Plaza")
	if q.body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if g.keys.fixedID != "" {
		r.Header.Set("Wechatpay-Serial", g.keys.fixedID)
	}
	return g.transport.client.Do(r)
}

// clockHint returns a hint about the clock if the wallet's differs by so much that it refuses signatures, or "".
func (a answerV3) clockHint(now time.Time) string {
	if off := secondsBetween(a.date, now); !a.date.IsZero() && off > clockWindow {
		return fmt.Sprintf(": this server's clock differs from the wallet's by %v", off)
	}
	return ""
}
