package provider

import (
	"sync"
	"time"
)

// When a provider is left alone, and for how long.
const (
	failuresInRow = 5
	shortRest     = 30 * time.Second
	longRest      = 5 * time.Minute // what a person must mend takes a while
	longestRest   = time.Hour       // whatever a provider asks for
)

// breaker leaves a provider alone that has failed too often in a row. After the rest one
// request is let through; whether it works decides for the others.
type breaker struct {
	mu       sync.Mutex
	failures int
	until    time.Time // zero: closed
	trying   bool      // somebody is out to see whether it works again
	// round changes whenever the breaker opens or closes: how a request ends that began
	// in another round says nothing about this one.
	round int
}

// enter admits a request in the round that it returns, or fails with ErrOpen. Each request
// that was admitted must end in answered, failed or unknown.
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

// answered tells that the provider works.
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

// failed tells that it does not. With a rest the provider is left alone for that long at
// once; with none, when it happens too often.
func (b *breaker) failed(round int, rest time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if round != b.round {
		return
	}
	b.failures++
	if rest == 0 && b.failures < failuresInRow && !b.trying {
		return
	}
	b.until = time.Now().Add(min(max(rest, shortRest), longestRest))
	b.failures, b.trying = 0, false
	b.round++
}

// unknown tells that nobody waited for the answer.
func (b *breaker) unknown(round int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if round == b.round {
		b.trying = false
	}
}
