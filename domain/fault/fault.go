// Package fault is the vocabulary of what can go wrong: a small set of kinds,
// each with one stable code, and the sentences that tell a client what to mend.
//
// A fault is always the client's business or a condition that passes; whatever
// is our own mistake is an ordinary error and counts as Internal. Faults are
// wrapped with %w, found again with Of, and turned into responses in one place.
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

// Kind says what sort of failure it is. The zero Kind is Internal.
type Kind int

// The kinds of contract row GEN-07.
const (
	Internal        Kind = iota // our own mistake; its cause is for the log alone
	Invalid                     // the request breaks a rule; Fields or Text say which
	Unauthenticated             // no credentials where some are needed
	BadCredentials              // credentials that are malformed, unknown, expired or revoked
	Denied                      // known, but not allowed to
	NotFound                    // no such thing, or none that the caller may know of
	Conflict                    // the thing's state forbids it now
	TooLarge                    // more bytes than are taken
	Unsupported                 // a media type that is not taken
	Throttled                   // too often; RetryAfter says when again
	Gateway                     // another system that we depend on refused or broke
	Unavailable                 // we can't serve it now; RetryAfter says when again
	Timeout                     // another system, or ours, took too long
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
}

// Kinds lists every kind, so that tests can ask for each one's treatment.
func Kinds() []Kind { return slices.Sorted(maps.Keys(codes)) }

// Code is the kind's name on the wire (GEN-07).
func (k Kind) Code() string { return codes[k] }

func (k Kind) String() string { return codes[k] }

// Error is one fault.
type Error struct {
	Kind Kind
	// Text is one sentence for the client; empty when Fields say it all.
	Text string
	// Fields holds what is wrong with which field; only of kind Invalid.
	Fields Fields
	// RetryAfter is when to come back; zero when there is nothing to say.
	RetryAfter time.Duration
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

// RetryAfter returns a fault that asks the client to come back after the duration.
func RetryAfter(k Kind, after time.Duration, text string) *Error {
	return &Error{Kind: k, Text: text, RetryAfter: after}
}

// As finds the fault in the error's chain.
func As(err error) (*Error, bool) { return errors.AsType[*Error](err) }

// KindOf tells the kind of any error: its fault's, Timeout for a deadline that
// ran out, else Internal.
func KindOf(err error) Kind {
	if f, ok := As(err); ok {
		return f.Kind
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return Timeout
	}
	return Internal
}

// Is says whether the error's fault is of the kind.
func Is(err error, k Kind) bool { return err != nil && KindOf(err) == k }
