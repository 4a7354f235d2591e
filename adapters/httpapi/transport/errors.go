package transport

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"plaza/domain/fault"
)

// ErrNotFound is the fault of an unknown ID or file.
var ErrNotFound = fault.New(fault.NotFound, "Not found.")

// refusal is the response to a kind of fault: its status, and the sentence for faults
// without a text.
type refusal struct {
	status   int
	sentence string
}

// refusals has an entry for every kind (GEN-07).
var refusals = map[fault.Kind]refusal{
	fault.Internal:        {http.StatusInternalServerError, "Internal server error."},
	fault.Invalid:         {http.StatusBadRequest, "The request is not valid."},
	fault.Unauthenticated: {http.StatusUnauthorized, "Authentication credentials were not provided."},
	fault.BadCredentials:  {http.StatusUnauthorized, "Invalid token. Log in again."},
	fault.Denied:          {http.StatusForbidden, "You do not have permission to do this."},
	fault.NotFound:        {http.StatusNotFound, "Not found."},
	fault.Conflict:        {http.StatusConflict, "The request conflicts with the current state."},
	fault.TooLarge:        {http.StatusRequestEntityTooLarge, "The body is too large."},
	fault.Unsupported:     {http.StatusUnsupportedMediaType, "Unsupported media type."},
	fault.Throttled:       {http.StatusTooManyRequests, "Too many requests. Try again later."},
	fault.Gateway:         {http.StatusBadGateway, "An upstream service is failing."},
	fault.Unavailable:     {http.StatusServiceUnavailable, "The service is temporarily unavailable. Try again soon."},
	fault.Timeout:         {http.StatusGatewayTimeout, "The request timed out."},
	fault.SlowBody:        {http.StatusRequestTimeout, "The body arrived too slowly."},
}

// envelope is the body of every error (GEN-06).
type envelope struct {
	Error bool   `json:"error"`
	Code  string `json:"code"`
	Data  any    `json:"data"`
}

type detail struct {
	Detail string `json:"detail"`
}

// wholeRequest is the key for problems that belong to no single field.
const wholeRequest = "non_field_errors"

// Refuse returns the response to any error.
func Refuse(err error) Reply {
	kind := fault.KindOf(err)
	how := refusals[kind]
	f, known := fault.As(err)
	if !known || kind == fault.Internal {
		f = &fault.Error{Kind: kind}
	}
	sentence := cmp.Or(f.Text, how.sentence)
	why := any(detail{sentence})
	switch {
	case kind == fault.Invalid && len(f.Fields) > 0:
		why = f.Fields
	case kind == fault.Invalid:
		why = fault.Fields{wholeRequest: {sentence}}
	}
	answer := Reply{Status: how.status, header: http.Header{}, Content: envelope{true, kind.Code(), why}}
	if how.status == http.StatusUnauthorized {
		answer.header.Set("WWW-Authenticate", "Token")
	}
	if f.RetryAfter > 0 || kind == fault.Throttled {
		answer.header.Set("Retry-After", strconv.FormatInt(f.RetrySeconds(), 10))
	}
	return answer
}

// WrongMethod is the response to a method that the path does not support. The router sets
// Allow to the methods that it takes.
func WrongMethod(method string, takes []string) Reply {
	sentence := fmt.Sprintf("Method %s not allowed. This path takes %s.", method, strings.Join(takes, ", "))
	return Reply{Status: http.StatusMethodNotAllowed, Content: envelope{true, "METHOD_NOT_ALLOWED", detail{sentence}}}
}

// NoSuchRange is the response to ranges that the picture does not have. The header Content-Range has its length.
var NoSuchRange = Reply{
	Status:  http.StatusRequestedRangeNotSatisfiable,
	Content: envelope{true, "RANGE_NOT_SATISFIABLE", detail{"The picture has no such range."}},
}
