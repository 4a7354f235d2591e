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
	// maxSightings is how many uses of tokens may wait until they are stored. A further one is not stored.
	maxSightings = 1000
	// touchDeadline is how long storing them may take.
	touchDeadline = 5 * time.Second
	// logInterval is the minimum time between two log lines about presence: with a full disk
	// every request fails to write it.
	logInterval = time.Minute
)

// sightings are uses of tokens that are stored beside the requests, so that a request never waits for another writer.
type sightings struct {
	waiting chan access.Sighting
	storing sync.Mutex
	logged  time.Time // when a failure was last logged
}

// see stores the sighting while the caller goes on.
func (s *Signin) see(ctx context.Context, one access.Sighting) {
	select {
	case s.sightings.waiting <- one:
		go s.storeSightings(context.WithoutCancel(ctx))
	default:
	}
}

// storeSightings stores what waits, when what was stored before it has ended. What can't be stored is given up, and so is
// what has waited meanwhile: people who go on are seen again.
func (s *Signin) storeSightings(ctx context.Context) {
	w := &s.sightings
	w.storing.Lock()
	defer w.storing.Unlock()
	all := w.take()
	if len(all) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, touchDeadline)
	defer cancel()
	err := s.tokens.Touch(ctx, all...)
	if err == nil {
		return
	}
	w.take()
	if now := s.now(); w.logged.IsZero() || now.Sub(w.logged) >= logInterval {
		w.logged = now
		s.log(ctx).WarnContext(ctx, "presence cannot be written; requests are served without it", "error", err)
	}
}

// take returns what waits, the last use of each token.
func (w *sightings) take() []access.Sighting {
	all := map[access.TokenID]access.Sighting{}
	for range len(w.waiting) {
		one := <-w.waiting
		all[one.ID] = one
	}
	return slices.Collect(maps.Values(all))
}

// Settle returns when what was to be stored beside the former requests is stored or given up.
func (s *Signin) Settle() { s.storeSightings(context.Background()) }
