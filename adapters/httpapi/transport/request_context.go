package transport

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// requestContext is the context of a request, with its deadline. Its timer starts when something first waits for the
// deadline. A call of a store has a timer of its own, which WithTimeout sets no later than the deadline.
type requestContext struct {
	context.Context // ends when the client leaves; the deadline is not its own
	deadline        time.Time

	mu     sync.Mutex
	timed  context.Context // nil: nothing has waited
	cancel context.CancelFunc
}

func (c *requestContext) Deadline() (time.Time, bool) { return c.deadline, true }

// current returns the context that ends first. It starts the timer if the deadline matters now.
func (c *requestContext) current(isTimed bool) context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if isTimed && c.timed == nil {
		c.timed, c.cancel = context.WithDeadline(c.Context, c.deadline)
	}
	return cmp.Or(c.timed, c.Context)
}

func (c *requestContext) Done() <-chan struct{} { return c.current(true).Done() }

func (c *requestContext) Err() error { return c.current(!time.Now().Before(c.deadline)).Err() }

func (c *requestContext) Value(key any) any { return c.current(false).Value(key) }

// WithTimeout is context.WithTimeout with one timer instead of two.
func (c *requestContext) WithTimeout(limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(c.Context, min(limit, time.Until(c.deadline)))
}

// end stops the timer.
func (c *requestContext) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel != nil {
		c.cancel()
	}
}
