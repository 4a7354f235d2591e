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
	for live, percent := range map[uint64]int{0: 400, 8 << 20: 400, 16 << 20: 200, 32 << 20: 100, 64 << 20: 50, 1 << 30: 50} {
		assert.Equal(t, percent, collectorPercent(live), "%d MiB", live>>20)
	}
}
