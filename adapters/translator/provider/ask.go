package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/cenkalti/backoff/v5"

	"plaza/adapters/upstream"
)

// Number of tries and pauses between them.
const (
	tries      = 4 // one and three retries
	firstPause = 200 * time.Millisecond
	lastPause  = 2 * time.Second
)

// ask sends the batch. It retries while that may help and time remains.
func (t *Translator) ask(ctx context.Context, codes Codes, batch []string) ([]string, error) {
	question := t.service.Ask(codes, batch)
	end, _ := ctx.Deadline()
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = firstPause, lastPause
	pauses.RandomizationFactor = 1 // full jitter: up to twice the interval
	var last error
	texts, err := backoff.Retry(ctx, func() ([]string, error) {
		round, err := t.breaker.enter()
		if err != nil {
			return nil, backoff.Permanent(err)
		}
		texts, err := t.try(ctx, question, len(batch))
		t.report(ctx, round, err)
		if err == nil {
			return texts, nil
		}
		last = err
		if !isTransient(err) {
			err = backoff.Permanent(err)
		}
		return nil, err
	}, backoff.WithBackOff(pauses), backoff.WithMaxTries(tries), backoff.WithMaxElapsedTime(time.Until(end)))
	if err != nil && last != nil && !errors.Is(err, last) {
		return nil, fmt.Errorf("%w, after: %w", err, last)
	}
	return texts, err
}

// try sends the question once. It may take half of the call's time, so that a request that
// hangs can be retried.
func (t *Translator) try(ctx context.Context, q Question, sent int) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, t.deadline/2)
	defer cancel()
	a, err := t.post(ctx, q)
	if err != nil {
		return nil, err
	}
	if a.Status == http.StatusOK {
		return t.read(a.Body, sent)
	}
	err = t.judge(a, q.Key)
	if a.Again > 0 {
		// The jitter spreads the retries of callers that were throttled at once.
		pause := min(a.Again, longestOpen) + rand.N(firstPause)
		err = fmt.Errorf("%w, %w", err, &backoff.RetryAfterError{Duration: pause})
	}
	return nil, err
}

// post sends the question.
func (t *Translator) post(ctx context.Context, q Question) (upstream.Answer, error) {
	body, kind := q.written()
	header := http.Header{"Content-Type": {kind}}
	maps.Copy(header, q.Header)
	return t.client.Send(ctx, http.MethodPost, q.Path, header, body)
}

// written returns the question's body and its media type.
func (q Question) written() (body *bytes.Buffer, kind string) {
	if form, is := q.Body.(url.Values); is {
		return bytes.NewBufferString(form.Encode()), "application/x-www-form-urlencoded"
	}
	body = &bytes.Buffer{}
	written := json.NewEncoder(body)
	written.SetEscapeHTML(false) // an escaped < would take six bytes of the limit
	_ = written.Encode(q.Body)   // texts can always be written
	return body, "application/json; charset=utf-8"
}

func isTransient(err error) bool {
	return errors.Is(err, ErrThrottled) || errors.Is(err, ErrUnavailable)
}

// report tells the breaker the result of a try.
func (t *Translator) report(ctx context.Context, round int, err error) {
	after, told := errors.AsType[*backoff.RetryAfterError](err)
	end, _ := ctx.Deadline()
	switch {
	case err == nil, errors.Is(err, ErrRefused), errors.Is(err, ErrTooLong), errors.Is(err, ErrUnsupportedLanguage):
		t.breaker.answered(round)
	case errors.Is(err, context.Canceled):
		t.breaker.unknown(round)
	case errors.Is(err, ErrQuota), errors.Is(err, ErrKey):
		t.breaker.failed(round, longOpen)
	case told && after.Duration > time.Until(end):
		t.breaker.failed(round, after.Duration) // other requests need not get the same answer first
	default:
		t.breaker.failed(round, 0)
	}
}
