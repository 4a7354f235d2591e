//go:build soak

package openapi_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestLinters runs public linters, which know mistakes that generators and renderers stumble over. Their rules are in the folder lint.
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
			cmd := exec.CommandContext(t.Context(), program, append(c.arguments, "openapi.json")...)
			// Neither may report its use or look for a newer version.
			cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
			out, err := cmd.CombinedOutput()
			assert.NoError(t, err, "%s", out)
		})
	}
}
