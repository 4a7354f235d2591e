// Package telephones receives the messages of tests.
package telephones

import (
	"context"
	"fmt"
	"sync"

	"plaza/adapters/sms/sandbox"
	"plaza/domain/verification"
)

// Telephones are a sandbox whose messages a test awaits.
type Telephones struct {
	*sandbox.Sandbox

	mu      sync.Mutex
	taken   map[string]bool // by Next
	arrived chan struct{}   // closed by the next message
}

// New returns telephones that use the sandbox.
func New(s *sandbox.Sandbox) *Telephones {
	return &Telephones{Sandbox: s, taken: map[string]bool{}, arrived: make(chan struct{})}
}

// Send implements verification.Sender.
func (t *Telephones) Send(ctx context.Context, m verification.Message) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.Sandbox.Send(ctx, m); err != nil {
		return err
	}
	close(t.arrived)
	t.arrived = make(chan struct{})
	return nil
}

// Next returns the oldest message to the number that Next has not returned before. It waits for one until the context ends.
func (t *Telephones) Next(ctx context.Context, to verification.Number) (verification.Message, error) {
	for {
		m, arrived := t.take(to)
		if m != nil {
			return *m, nil
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return verification.Message{}, fmt.Errorf("no message: %w", ctx.Err())
		}
	}
}

// take returns a message to the number, or nil and what to wait for.
func (t *Telephones) take(to verification.Number) (oldest *verification.Message, arrived <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range t.Messages() { // the newest first
		if m.To == to && !t.taken[m.ID] {
			oldest = &m.Message
		}
	}
	if oldest != nil {
		t.taken[oldest.ID] = true
	}
	return oldest, t.arrived
}
