package reading

import "sync/atomic"

// Counts is what has become of translations since this server started.
type Counts struct {
	Hits       int64 // texts that were in the cache when a page wanted them
	Misses     int64 // and those that were not
	Characters int64 // what the translator was given, and had time to translate
	Failures   int64 // batches that failed, and pages that had no more time to wait for one
}

type counters struct{ hits, misses, characters, failures atomic.Int64 }

// Counts returns what was counted so far.
func (r *Reading) Counts() Counts {
	c := &r.counts
	return Counts{c.hits.Load(), c.misses.Load(), c.characters.Load(), c.failures.Load()}
}
