package bootstrap

import (
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/stretchr/testify/assert"

	"plaza/adapters/imaging"
)

func TestMemoryLimit(t *testing.T) {
	const pictures = 700
	none := func() (uint64, error) { return 0, memlimit.ErrNoLimit }
	for _, c := range []struct {
		name   string
		cgroup memlimit.Provider
		limit  int64
		enough bool
	}{
		{"no cgroup", none, 700, true},
		{"a large one", memlimit.Limit(10_000), 700, true},
		{"just enough", memlimit.Limit(780), 700, true},
		{"too small", memlimit.Limit(770), 693, false},
	} {
		limit, enough := memoryLimit(c.cgroup, pictures)
		assert.Equal(t, c.limit, limit, c.name)
		assert.Equal(t, c.enough, enough, c.name)
	}
	assert.EqualValues(t, 728<<20, imaging.MaxMemory(2))
}

func TestCollectorPercent(t *testing.T) {
	for _, c := range []struct {
		what          string
		live, scanned uint64 // MiB
		percent       int
	}{
		{"a server that has just begun", 0, 0, 400},
		{"little", 8, 4, 400},
		{"a server at work", 20, 12, 120},
		{"beside a small picture", 26, 12, 69},
		{"beside a password that is hashed", 37, 12, 32},
		{"beside both", 44, 12, 27},
		{"with a thousand streams", 37, 34, 91},
		{"much", 1000, 800, 80},
		{"pictures", 400, 12, 12},
	} {
		assert.Equal(t, c.percent, collectorPercent(c.live<<20, c.scanned<<20), c.what)
	}
}
