// Package sandbox keeps messages instead of sending them: for the demo, whose page shows them, and
// for tests. Every person who sees the page can use the codes, so it is never a fallback for another
// sender.
package sandbox

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"plaza/adapters/sms/provider"
	"plaza/domain/verification"
)

// Description describes the sender.
var Description = provider.Description{
	Name: "sandbox", Help: "sends nothing, and shows the messages on the page of the sandbox",
	Open: func(provider.Settings) (verification.Sender, error) { return New(time.Now), nil },
}

// kept is how many messages a sandbox keeps.
const kept = 50

// Message is a message that was to be sent.
type Message struct {
	verification.Message
	At time.Time
}

// Sandbox implements verification.Sender. It keeps the newest messages of this process.
type Sandbox struct {
	now func() time.Time

	mu       sync.Mutex
	messages []Message // oldest first
}

// New returns a sandbox without messages.
func New(now func() time.Time) *Sandbox { return &Sandbox{now: now} }

// Send implements verification.Sender. A message with the ID of one that is kept is that message.
func (s *Sandbox) Send(ctx context.Context, m verification.Message) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("sandbox: %w: %w", verification.ErrBusy, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.ContainsFunc(s.messages, func(kept Message) bool { return kept.ID == m.ID }) {
		return nil
	}
	s.messages = append(s.messages, Message{Message: m, At: s.now()})
	s.messages = slices.Delete(s.messages, 0, max(0, len(s.messages)-kept))
	return nil
}

// Messages returns the kept messages, newest first.
func (s *Sandbox) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	messages := slices.Clone(s.messages)
	slices.Reverse(messages)
	return messages
}
