package verification

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"plaza/domain/locale"
	"plaza/domain/secret"
)

// Message is a code on its way to a number, or a notice.
type Message struct {
	ID        string // of a code its ID: a message with the same ID is the same message
	To        Number
	Purpose   Purpose
	Code      secret.String // of a notice empty
	Text      secret.String // for senders that send no template; it has the code in it
	Language  locale.Tag
	ExpiresIn time.Duration // of a notice zero
}

// Format prints the ID alone.
func (m Message) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "message "+m.ID) }

func (m Message) LogValue() slog.Value { return slog.StringValue("message " + m.ID) }

// Sender sends messages. Every implementation passes test/ports.Sender.
type Sender interface {
	// Send sends the message once. It returns nil when the provider has accepted it, which does
	// not mean that it arrives. It must never send twice. It must end by the deadline of the
	// context and by a deadline of its own, and send nothing if the context has ended. Every
	// error is one of ErrRefused, ErrBusy and ErrUnknownOutcome, and shows neither the number
	// nor the code nor a key.
	Send(ctx context.Context, m Message) error
}

// Errors of a message that was not accepted, for errors.Is.
var (
	// ErrRefused means that the message was not sent, and would not be if it were sent again. A
	// sender returns it as a RefusedError.
	ErrRefused = errors.New("message refused")
	// ErrBusy means that nothing was sent. It may be sent again later.
	ErrBusy = errors.New("sender busy")
	// ErrUnknownOutcome means that the message was perhaps sent. It must not be sent again.
	ErrUnknownOutcome = errors.New("unknown whether the message was sent")
)

// Reason is why a message was refused, for operators.
type Reason string

// The reasons. An operator must act on SetUp and Money.
const (
	BadNumber Reason = "number"  // the number does not exist or takes no messages
	Blocked   Reason = "blocked" // by the person or by the provider
	SetUp     Reason = "set-up"  // keys, templates, names of senders, regions
	Money     Reason = "money"
)

// RefusedError is an ErrRefused with its reason.
type RefusedError struct {
	Reason Reason
	Said   string // the provider's code
}

func (e *RefusedError) Error() string {
	return strings.TrimSuffix(fmt.Sprintf("%v, %s: %s", ErrRefused, e.Reason, e.Said), ": ")
}

// Is makes the error an ErrRefused.
func (e *RefusedError) Is(target error) bool { return target == ErrRefused }

// CostsNothing reports whether the error is of a message that was certainly not sent, for a reason that
// is not its number's. Such a message is given back to the budget.
func CostsNothing(err error) bool {
	refused, isRefused := errors.AsType[*RefusedError](err)
	return errors.Is(err, ErrBusy) || isRefused && (refused.Reason == SetUp || refused.Reason == Money)
}
