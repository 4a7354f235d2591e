package reading

import "sync/atomic"

// Counts counts translations since this server started.
type Counts struct {
	Hits       int64 // requested texts that were in the cache
	Misses     int64 // requested texts that were not in the cache
	Characters int64 // sent to the translator that were, or may have been, billed
	Failures   int64 // batches that failed, and pages that timed out waiting for one
}

type counters struct{ hits, misses, characters, failures atomic.Int64 }

// Counts returns the current counts.
func (r *Reading) Counts() Counts {
	c := &r.counts
	return Counts{c.hits.Load(), c.misses.Load(), c.characters.Load(), c.failures.Load()}
}
