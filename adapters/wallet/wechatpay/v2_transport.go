package wechatpay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
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

// send sends the request. It repeats the same bytes while the result is unknown. It returns
// the wallet's answer if that is signed, for this merchant, and not a refusal.
func (g *V2) send(ctx context.Context, w transport, path string, asked xmlMessage, request []byte, r refusals) (xmlMessage, error) {
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
func (g *V2) sendOnce(ctx context.Context, w transport, path string, asked xmlMessage, request []byte, r refusals) (xmlMessage, error) {
	text, err := w.postXML(ctx, path, request)
	if err != nil {
		return nil, err
	}
	reply, err := parseXML(text, "xml")
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
	if _, err := reply.verify(g.key); err != nil {
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

// postXML returns the wallet's answer, truncated slightly above the size limit.
func (w transport) postXML(ctx context.Context, path string, body []byte) ([]byte, error) {
	response, err := w.openXML(ctx, path, body)
	if err != nil {
		return nil, transportError(ctx, err)
	}
	text, err := readBody(response, maxXML)
	switch {
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%w: status %d", payment.ErrWalletBadResponse, response.StatusCode)
	case err != nil:
		return nil, transportError(ctx, err)
	}
	return text, nil
}

// openXML posts the body. The caller must close the body of the response.
func (w transport) openXML(ctx context.Context, path string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("creating a request")
	}
	request.Header.Set("Content-Type", "text/xml; charset=utf-8")
	return w.client.Do(request)
}
