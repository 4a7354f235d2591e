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

// shares bound how much of something each caller has at once. They hold one number for each caller
// who has any.
type shares struct {
	most int

	mu  sync.Mutex
	had map[caller]int
}

func newShares(most int) *shares { return &shares{most: most, had: map[caller]int{}} }

// take takes one more for the caller, and reports whether that was allowed. The empty caller may
// take any number.
func (s *shares) take(c caller) bool {
	if c == "" {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.had[c] >= s.most {
		return false
	}
	s.had[c]++
	return true
}

// free gives one back.
func (s *shares) free(c caller) {
	if c == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.had[c]--; s.had[c] <= 0 {
		delete(s.had, c)
	}
}
