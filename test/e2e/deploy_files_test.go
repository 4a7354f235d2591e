//go:build soak

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSystemdUnit(t *testing.T) {
	analyze := server(t, "PLAZA_TEST_SYSTEMD", "systemd")
	program, err := plaza()
	require.NoError(t, err)
	unit := filepath.Join(t.TempDir(), "plaza@.service")
	text := replaced(t, deployed(t, "systemd/plaza@.service"), "/usr/local/bin/plaza", program)
	require.NoError(t, os.WriteFile(unit, []byte(text), 0o600))
	analysis := func(args ...string) (string, error) {
		out, err := exec.CommandContext(t.Context(), analyze, append(args, unit)...).CombinedOutput()
		return string(out), err
	}
	out, err := analysis("verify", "--man=no", "--recursive-errors=no")
	require.NoError(t, err, out)
	assert.NotContains(t, out, "plaza@", "a line that systemd would ignore")
	const exposure = "--threshold=12" // tenths; above it the analyser fails
	out, err = analysis("security", "--offline=true", exposure)
	require.NoError(t, err, out)
	t.Log(out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:])
}

func TestPrometheusConfiguration(t *testing.T) {
	programs := server(t, "PLAZA_TEST_PROMETHEUS", "prometheus")
	folder := filepath.Join("..", "..", "bootstrap", "deploy", "prometheus")
	out := in(t, folder, filepath.Join(programs, "promtool"), "check", "config", "prometheus.yml")
	assert.Regexp(t, `SUCCESS: \d+ rules found`, out, "the rules are found as well")
}
