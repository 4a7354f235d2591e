//go:build soak

package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTour_of_a_person_who_joins_and_leaves waits until another code can be sent to the person's number.
func TestTour_of_a_person_who_joins_and_leaves(t *testing.T) {
	out, err := runScript(t, readFile(t, "../tour.sh"), serve(t, demo...), "WAIT=yes")
	require.NoError(t, err, "%s", out)
	assert.Contains(t, out, "\n204  The stranger leaves")
}
