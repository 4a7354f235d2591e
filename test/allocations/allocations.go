// Package allocations counts the allocations of a function in a test, unaffected by what else the
// test's program does at the time.
package allocations

import "testing"

// Series is how often PerRun counts.
const Series = 3

// PerRun is how often f allocates in one run: the lowest of Series averages over the runs.
// testing.AllocsPerRun counts the whole program, so background goroutines and the garbage
// collector, which empties pools, add to an average; nothing takes away from it.
//
// PerRun calls f Series*(runs+1) times, since testing.AllocsPerRun runs once before it counts.
func PerRun(runs int, f func()) float64 {
	lowest := testing.AllocsPerRun(runs, f)
	for range Series - 1 {
		lowest = min(lowest, testing.AllocsPerRun(runs, f))
	}
	return lowest
}
