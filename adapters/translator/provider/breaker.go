package provider

import (
	"sync"
	"time"
)

// Durations and counts of the breaker.
const (
	failuresInRow = 5
	shortOpen     = 30 * time.Second
	longOpen      = 5 * time.Minute // for problems that an operator must fix
	longestOpen   = time.Hour       // upper limit for a provider's Retry-After
)

// breaker stops requests to a provider that has failed too often in a row. When that ends, it
// admits one request, whose result decides for the others. Libraries such as gobreaker stop requests for one fixed time; the
// breaker stops them for as long as the provider asks.
type breaker struct {
	mu       sync.Mutex
	failures int
	until    time.Time // zero: closed
	trying   bool      // the trial request is running
	// round changes when the breaker opens or closes. The result of a request from another
	// round is ignored.
	round int
}

// isOpen reports whether requests have been stopped and none has succeeded since.
func (b *breaker) isOpen() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.until.IsZero()
}

// enter admits a request and returns its round, or fails with ErrOpen. Each admitted request
// must end with answered, failed or unknown.
func (b *breaker) enter() (round int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.until.IsZero() {
		if b.trying || time.Now().Before(b.until) {
			return 0, ErrOpen
		}
		b.trying = true
	}
	return b.round, nil
}

// answered reports that the provider works.
func (b *breaker) answered(round int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if round != b.round {
		return
	}
	b.failures = 0
	if !b.until.IsZero() {
		b.until, b.trying = time.Time{}, false
		b.round++
	}
}

// failed reports a failure. With openFor the breaker opens for that long at once; with zero,
// after too many failures.
func (b *breaker) failed(round int, openFor time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if round != b.round {
		return
	}
	b.failures++
	if openFor == 0 && b.failures < failuresInRow && !b.trying {
		return
	}
	b.until = time.Now().Add(min(max(openFor, shortOpen), longestOpen))
	b.failures, b.trying = 0, false
	b.round++
}

// unknown reports that the request was cancelled.
func (b *breaker) unknown(round int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if round == b.round {
		b.trying = false
	}
}
