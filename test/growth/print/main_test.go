package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/growth"
)

func TestFlagsAreTheAssumptions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "figures.json")
	cost := growth.Cost{Plaza: 1, Primary: 1}
	require.NoError(t, growth.Figures{Kinds: []growth.Kind{{What: "a page", Share: 1000, Alone: cost, Replicated: cost}}}.Write(path))
	var out strings.Builder
	require.NoError(t, run([]string{"-figures", path, "-people", "1e6", "-requests", "86.4", "-peak", "2"}, &out))
	assert.Contains(t, out.String(), "| Requests a second, at the peak | 2,000 |")
	for args, want := range map[string]string{
		"-people 1e6,many": `"many" is not a number`, "-people 0": `"0" is not a number`, "-busy 2": "busy must be from 0 to 1",
		"-peak 0": "peak must be above 0", "-requests x": "invalid value", "-figures nowhere": "nowhere",
	} {
		assert.ErrorContains(t, run(strings.Fields(args), &out), want, args)
	}
}
