package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A file that moves takes its mutations along, or this fails before the soak runs them.
func Test_every_mutation_finds_its_text(t *testing.T) {
	all := parse(list)
	require.NotEmpty(t, all)
	for _, m := range all {
		_, err := m.mutated("../..")
		assert.NoError(t, err, m.name)
	}
}
