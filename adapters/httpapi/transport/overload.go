package transport

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"

	"plaza/domain/fault"
)

// MaxBody is the largest JSON body, in bytes (GEN-11).
const MaxBody = 1 << 20

// errOverloaded is the fault of a server that works on as many requests as it may.
var errOverloaded = fault.RetryAfter(fault.Unavailable, time.Second, "The server is overloaded. Try again soon.").AtLimit("requests")

// slot is the place of a request among those that are worked on.
type slot struct {
	ctx  context.Context
	all  *semaphore.Weighted
	held bool
}

// enter takes the slot again. It waits, before requests that have not begun.
func (s *slot) enter() error {
	if s.held {
		return nil
	}
	err := s.ctx.Err()
	if err == nil && !s.all.TryAcquire(1) { // without a timer
		err = s.all.Acquire(s.ctx, 1)
	}
	s.held = err == nil
	return err
}

// leave gives the slot up.
func (s *slot) leave() {
	if s.held {
		s.all.Release(1)
	}
	s.held = false
}
