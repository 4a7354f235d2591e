package transport

import (
	"context"
	"fmt"
	"net/netip"
	"sync"

	"plaza/domain/access"
)

// caller is whom shares of a limit are counted for.
type caller string

// callerOf returns the account of the context's request, or else the network of its address (AUT-11). It is
// empty for a caller who is not limited.
func callerOf(ctx context.Context) caller {
	log := RequestLogOf(ctx)
	switch {
	case log.User != 0:
		return caller(fmt.Sprint("account ", log.User))
	case !log.isLimited:
		return ""
	}
	return networkOf(log.Client)
}

// networkOf returns the network of the address (AUT-11).
func networkOf(addr netip.Addr) caller { return caller(access.SourceOf(addr).First().String()) }

// shares bound how much of something there is at once, and how much of it each caller has. They hold one number for each caller
// who has any.
type shares struct {
	all, each int

	mu    sync.Mutex
	taken int
	had   map[caller]int
}

func newShares(all, each int) *shares { return &shares{all: all, each: each, had: map[caller]int{}} }

// take takes one more for the caller, and reports whether that was allowed. The empty caller may
// take any number of all.
func (s *shares) take(c caller) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken >= s.all || s.had[c] >= s.each {
		return false
	}
	s.taken++
	if c != "" {
		s.had[c]++
	}
	return true
}

// free gives one back.
func (s *shares) free(c caller) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	if s.had[c]--; s.had[c] <= 0 {
		delete(s.had, c)
	}
}
