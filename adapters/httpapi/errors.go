package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"plaza/domain/fault"
)

// refusal is how a kind of fault leaves: its status, and the sentence for a fault
// that brings none.
type refusal struct {
	status   int
	sentence string
}

// refusals has every kind (GEN-07).
var refusals = map[fault.Kind]refusal{
	fault.Internal:        {http.StatusInternalServerError, "Something went wrong on our side."},
	fault.Invalid:         {http.StatusBadRequest, "This request is not valid."},
	fault.Unauthenticated: {http.StatusUnauthorized, "Authentication credentials were not provided."},
	fault.BadCredentials:  {http.StatusUnauthorized, "Invalid token."},
	fault.Denied:          {http.StatusForbidden, "You may not do this."},
	fault.NotFound:        {http.StatusNotFound, "There is no such thing."},
	fault.Conflict:        {http.StatusConflict, "This can't be done now."},
	fault.TooLarge:        {http.StatusRequestEntityTooLarge, "The body is too large."},
	fault.Unsupported:     {http.StatusUnsupportedMediaType, "This media type is not taken."},
	fault.Throttled:       {http.StatusTooManyRequests, "Too many requests. Try again later."},
	fault.Gateway:         {http.StatusBadGateway, "Another system that this needs is failing."},
	fault.Unavailable:     {http.StatusServiceUnavailable, "This can't be served now. Try again soon."},
	fault.Timeout:         {http.StatusGatewayTimeout, "This took too long."},
}

// envelope is the one form of every error (GEN-06).
type envelope struct {
	Error bool   `json:"error"`
	Code  string `json:"code"`
	Data  any    `json:"data"`
}

type detail struct {
	Detail string `json:"detail"`
}

// wholeRequest is the name under which stands what is wrong with no single field.
const wholeRequest = "non_field_errors"

// clientGone is the status that the log shows for a request whose client did not
// wait for the answer; no client sees it.
const clientGone = 499

// fail answers the request with the error, and logs it when it is not the
// client's business.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	ctx := r.Context()
	if errors.Is(err, context.Canceled) && errors.Is(ctx.Err(), context.Canceled) {
		w.WriteHeader(clientGone)
		return
	}
	switch kind := fault.KindOf(err); kind {
	case fault.Internal:
		Logger(ctx).ErrorContext(ctx, "request failed", "error", err)
	case fault.Gateway, fault.Unavailable, fault.Timeout:
		Logger(ctx).WarnContext(ctx, "request refused", "code", kind.Code(), "error", err)
	}
	refuse(err).send(w, r)
}

// refuse turns any error into its response.
func refuse(err error) reply {
	kind := fault.KindOf(err)
	how := refusals[kind]
	f, known := fault.As(err)
	if !known || kind == fault.Internal {
		f = &fault.Error{Kind: kind}
	}
	sentence := f.Text
	if sentence == "" {
		sentence = how.sentence
	}
	answer := reply{status: how.status, header: http.Header{}}
	answer.content = envelope{true, kind.Code(), detail{sentence}}
	if kind == fault.Invalid {
		answer.content = envelope{true, kind.Code(), wrongFields(f, sentence)}
	}
	if how.status == http.StatusUnauthorized {
		answer.header.Set("WWW-Authenticate", "Token")
	}
	if f.RetryAfter > 0 || kind == fault.Throttled {
		answer.header.Set("Retry-After", strconv.FormatInt(seconds(f.RetryAfter), 10))
	}
	return answer
}

// wrongFields is what an Invalid fault says of each field; the sentence, where it
// says nothing of any.
func wrongFields(f *fault.Error, sentence string) fault.Fields {
	if len(f.Fields) > 0 {
		return f.Fields
	}
	return fault.Fields{wholeRequest: {sentence}}
}

// seconds is the duration in whole seconds, rounded up so that nobody comes back
// too early.
func seconds(d time.Duration) int64 { return max(1, int64((d+time.Second-1)/time.Second)) }

// wrongMethod is the answer to a method that the path does not take; which it
// does take, the router says in Allow.
func wrongMethod(method string) reply {
	return reply{
		status:  http.StatusMethodNotAllowed,
		content: envelope{true, "METHOD_NOT_ALLOWED", detail{fmt.Sprintf("The method %s is not taken here.", method)}},
	}
}
