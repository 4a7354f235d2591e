// Package fault defines the errors that clients see: a small set of kinds, each with
// one stable code, and sentences that tell the client what to correct.
//
// A fault is a mistake of the client or a temporary condition. A mistake of the server
// is an ordinary error and counts as Internal. Faults are wrapped with %w, found with
// As, and turned into responses in one place.
package fault

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Kind is the kind of a failure. The zero Kind is Internal.
type Kind int

// The kinds of contract row GEN-07.
const (
	Internal        Kind = iota // a mistake of the server; only the log has its cause
	Invalid                     // the request breaks a rule; Fields or Text say which
	Unauthenticated             // credentials are required but missing
	BadCredentials              // credentials that are malformed, unknown, expired or revoked
	Denied                      // authenticated, but not allowed
	NotFound                    // does not exist, or the caller may not know that it does
	Conflict                    // the current state forbids it
	TooLarge                    // the body exceeds the limit
	Unsupported                 // the media type is not accepted
	Throttled                   // too many requests; RetryAfter says when to retry
	Gateway                     // an upstream system refused or failed
	Unavailable                 // temporarily not possible; RetryAfter says when to retry
	Timeout                     // an upstream system or the server took too long
	SlowBody                    // the client sent its body too slowly
)

var codes = map[Kind]string{
	Internal:        "SERVER_ERROR",
	Invalid:         "VALIDATION_EXCEPTION",
	Unauthenticated: "NOT_AUTHENTICATED",
	BadCredentials:  "AUTHENTICATION_FAILED",
	Denied:          "PERMISSION_DENIED",
	NotFound:        "RESOURCE_NOT_FOUND",
	Conflict:        "CONFLICT",
	TooLarge:        "PAYLOAD_TOO_LARGE",
	Unsupported:     "UNSUPPORTED_MEDIA_TYPE",
	Throttled:       "THROTTLED",
	Gateway:         "GATEWAY_ERROR",
	Unavailable:     "SERVICE_UNAVAILABLE",
	Timeout:         "GATEWAY_TIMEOUT",
	SlowBody:        "REQUEST_TIMEOUT",
}

// Kinds returns every kind, so that tests can check that each one is handled.
func Kinds() []Kind { return slices.Sorted(maps.Keys(codes)) }

// Code returns the kind's name on the wire (GEN-07).
func (k Kind) Code() string { return codes[k] }

func (k Kind) String() string { return codes[k] }

// Error is one fault.
type Error struct {
	Kind Kind
	// Text is one sentence for the client; empty if Fields say everything.
	Text string
	// Fields holds the sentences about single fields; only for kind Invalid.
	Fields Fields
	// RetryAfter is how long the client should wait; zero: not stated.
	RetryAfter time.Duration
	// Limit names the limit that the request has hit, so that refusals can be counted by
	// their limit; empty: none. Clients do not see it. The names are constants of the program.
	Limit string
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Kind.Code())
	if e.Text != "" {
		b.WriteString(": " + e.Text)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Fields)) {
		fmt.Fprintf(&b, "; %s: %s", name, strings.Join(e.Fields[name], " "))
	}
	return b.String()
}

// New returns a fault of the kind with one sentence for the client.
func New(k Kind, text string) *Error { return &Error{Kind: k, Text: text} }

// Newf is New with a format.
func Newf(k Kind, format string, args ...any) *Error { return New(k, fmt.Sprintf(format, args...)) }

// RetryAfter returns a fault that asks the client to retry after the duration.
func RetryAfter(k Kind, after time.Duration, text string) *Error {
	return &Error{Kind: k, Text: text, RetryAfter: after}
}

// AtLimit returns the fault as the refusal of the named limit.
func (e *Error) AtLimit(name string) *Error {
	refusal := *e
	refusal.Limit = name
	return &refusal
}

// RetrySeconds returns RetryAfter in whole seconds, at least one, rounded up so that clients never retry too early.
func (e *Error) RetrySeconds() int64 { return max(1, int64((e.RetryAfter+time.Second-1)/time.Second)) }

// As returns the fault in the error's chain, and whether the chain has one.
func As(err error) (*Error, bool) { return errors.AsType[*Error](err) }

// KindOf returns the kind of any error: the kind of its fault, Timeout for an exceeded
// deadline, else Internal.
func KindOf(err error) Kind {
	if f, ok := As(err); ok {
		return f.Kind
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return Timeout
	}
	return Internal
}

// Is reports whether the error is of the kind.
func Is(err error, k Kind) bool { return err != nil && KindOf(err) == k }

// WithCause returns the text of the error for operators: behind the fault of something that is away or fails, the cause says
// more than the sentence for clients, which is left out then.
func WithCause(err error) string {
	f, is := As(err)
	if is && (f.Kind == Unavailable || f.Kind == Gateway || f.Kind == Timeout) {
		return strings.ReplaceAll(err.Error(), f.Error()+": ", "")
	}
	return err.Error()
}
