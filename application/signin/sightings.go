package signin

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"plaza/domain/access"
)

const (
	// maxSightings is how many tokens may wait until their use is stored. The use of a further one is not stored.
	maxSightings = 1000
	// touchDeadline is how long storing them may take.
	touchDeadline = 5 * time.Second
	// logInterval is the minimum time between two log lines about presence: with a full disk
	// every request fails to write it.
	logInterval = time.Minute
)

// sightings are uses of tokens that are stored beside the requests, so that a request never waits for another writer.
// One goroutine at a time stores them. It ends when none waits.
type sightings struct {
	mu      sync.Mutex
	waiting map[access.TokenID]access.Sighting
	stored  chan struct{} // closed when the goroutine ends; nil: none runs
	logged  time.Time     // when a failure was last logged
}

// see stores the sighting while the caller goes on.
func (s *Signin) see(ctx context.Context, one access.Sighting) {
	w := &s.sightings
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting) >= maxSightings {
		return
	}
	if w.waiting == nil {
		w.waiting = map[access.TokenID]access.Sighting{}
	}
	w.waiting[one.ID] = one
	if w.stored == nil {
		w.stored = make(chan struct{})
		go s.storeSightings(context.WithoutCancel(ctx))
	}
}

// storeSightings stores what waits until nothing does. What can't be stored is given up: people who go on are seen again.
func (s *Signin) storeSightings(ctx context.Context) {
	w := &s.sightings
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.waiting) > 0 {
		all := slices.Collect(maps.Values(w.waiting))
		w.waiting = nil
		w.mu.Unlock()
		err := s.touch(ctx, all)
		w.mu.Lock()
		if err == nil {
			continue
		}
		w.waiting = nil // it would wait as long
		if now := s.now(); w.logged.IsZero() || now.Sub(w.logged) >= logInterval {
			w.logged = now
			s.log(ctx).WarnContext(ctx, "presence cannot be written; requests are served without it", "error", err)
		}
	}
	close(w.stored)
	w.stored = nil
}

func (s *Signin) touch(ctx context.Context, all []access.Sighting) error {
	ctx, cancel := context.WithTimeout(ctx, touchDeadline)
	defer cancel()
	return s.tokens.Touch(ctx, all...)
}

// Settle waits until what was to be stored beside the former requests is stored or given up.
func (s *Signin) Settle() {
	w := &s.sightings
	for {
		w.mu.Lock()
		stored := w.stored
		w.mu.Unlock()
		if stored == nil {
			return
		}
		<-stored
	}
}
