//go:build soak

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGuideInNode(t *testing.T) {
	_, script := examples(t)
	if _, err := exec.LookPath("node"); err != nil {
		t.Skipf("the guide's JavaScript needs Node.js: %v", err)
	}
	r := serve(t, demo...)
	folder := t.TempDir()
	module := strings.ReplaceAll(script.code, exampleServer, r.url)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "guide.mjs"), []byte(module), 0o644))
	script.prints(t, node(t, folder, "guide.mjs"))
}

// node runs a script in the folder and returns what it printed.
func node(t *testing.T, folder string, arguments ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", arguments...)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// TestTour_of_a_person_who_joins_and_leaves waits until another code can be sent to the person's number.
func TestTour_of_a_person_who_joins_and_leaves(t *testing.T) {
	out, err := runScript(t, readFile(t, "../tour.sh"), serve(t, demo...), "WAIT=yes")
	require.NoError(t, err, "%s", out)
	assert.Contains(t, out, "\n204  The stranger leaves")
}
