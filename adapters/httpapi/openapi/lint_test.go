//go:build soak

package openapi_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLinters runs public linters, which know mistakes that generators and renderers stumble
// over. Their rules are in the folder lint.
func TestLinters(t *testing.T) {
	for name, c := range map[string]struct {
		program   string
		arguments []string
	}{
		"Redocly":  {"PLAZA_TEST_REDOCLY", []string{"lint", "--config=lint/redocly.yaml", "--format=stylish"}},
		"Spectral": {"PLAZA_TEST_SPECTRAL", []string{"lint", "--ruleset=lint/spectral.yaml", "--fail-severity=hint"}},
	} {
		t.Run(name, func(t *testing.T) {
			program := os.Getenv(c.program)
			if program == "" {
				t.Skip(c.program + " names no program")
			}
			lint := func(file string) (string, error) {
				cmd := exec.CommandContext(t.Context(), program, append(c.arguments, file)...)
				// Neither may report its use or look for a newer version.
				cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			out, err := lint("openapi.json")
			assert.NoError(t, err, out)

			// A problem is found: a parameter of the path is not described.
			broken := t.TempDir() + "/broken.json"
			require.NoError(t, os.WriteFile(broken, []byte(`{"openapi": "3.1.0", "info": {"title": "A", "version": "1"},
				"paths": {"/a/{id}/": {"get": {"responses": {"200": {"description": "A."}}}}}}`), 0o600))
			out, err = lint(broken)
			assert.ErrorAs(t, err, new(*exec.ExitError), out)
		})
	}
}
