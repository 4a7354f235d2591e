// Package provider contains what all senders of SMS over HTTP share. A message is sent once,
// within one deadline, and never again: only what happens before a request has a connection
// leaves it certain that nothing was sent.
//
// A Protocol, one small package each, speaks a provider's language. Neither numbers nor codes nor keys
// come into errors: of an answer they show the status, and the provider's code if it looks like one.
package provider

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"time"

	"plaza/adapters/upstream"
	"plaza/domain/verification"
)

const (
	deadline    = 5 * time.Second
	answerLimit = 64 << 10
)

// Request is a request in a provider's protocol. It is sent by POST.
type Request struct {
	Path   string // with the query
	Header http.Header
	Body   []byte
}

// Protocol is the protocol of one provider.
type Protocol interface {
	// Request returns the request that sends the message at the instant.
	Request(m verification.Message, at time.Time) (Request, error)
	// Judge returns nil if the answer accepts the message, else the meaning of the answer: a
	// RefusedError, an ErrBusy or an ErrUnknownOutcome. The body may be incomplete.
	Judge(status int, body []byte) error
}

// Sender implements verification.Sender with a Protocol.
type Sender struct {
	name     string
	protocol Protocol
	client   *upstream.Client
	deadline time.Duration
}

// New returns a sender, or all problems of the connection.
func New(s Settings, name string, p Protocol) (*Sender, error) {
	c := s.Connection
	c.Deadline = cmp.Or(c.Deadline, deadline)
	client, err := upstream.Open(c, answerLimit)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", name, URLSetting, err)
	}
	return &Sender{name: name, protocol: p, client: client, deadline: c.Deadline}, nil
}

func (s *Sender) Send(ctx context.Context, m verification.Message) error {
	if err := s.send(ctx, m); err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

func (s *Sender) send(ctx context.Context, m verification.Message) error {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", verification.ErrBusy, err)
	}
	r, err := s.protocol.Request(m, time.Now())
	if err != nil {
		return fmt.Errorf("%w: %w", &verification.RefusedError{Reason: verification.SetUp}, err)
	}
	answer, err := s.client.Send(ctx, http.MethodPost, r.Path, r.Header, bytes.NewReader(r.Body))
	switch {
	case errors.Is(err, upstream.ErrNotSent):
		return fmt.Errorf("%w: %w", verification.ErrBusy, err)
	case err != nil && answer.Status == 0:
		return fmt.Errorf("%w: %w", verification.ErrUnknownOutcome, err)
	}
	return s.protocol.Judge(answer.Status, answer.Body)
}

// JudgeStatus returns what an answer means whose body says nothing.
func JudgeStatus(status int) error {
	said := fmt.Sprintf("status %d", status)
	switch {
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		return fmt.Errorf("%w: %s", verification.ErrBusy, said)
	case status >= 300 && status < 500:
		return &verification.RefusedError{Reason: verification.SetUp, Said: said}
	}
	return fmt.Errorf("%w: %s", verification.ErrUnknownOutcome, said)
}

func Refused(reason verification.Reason, code string) error {
	return &verification.RefusedError{Reason: reason, Said: shown(code)}
}

// Busy returns the error of a provider that has sent nothing for now, with its code.
func Busy(code string) error { return fmt.Errorf("%w: %s", verification.ErrBusy, shown(code)) }

// Unknown returns the error of an outcome that the provider's code leaves open.
func Unknown(code string) error {
	return fmt.Errorf("%w: %s", verification.ErrUnknownOutcome, shown(code))
}

// codeForm has at most five digits, so that no number, no one-time code and no key passes for a code.
var codeForm = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z._]{1,79}|[0-9]{1,5})$`)

// shown returns the provider's code if it looks like one.
func shown(code string) string {
	if codeForm.MatchString(code) {
		return code
	}
	return "unknown code"
}
