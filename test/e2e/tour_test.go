package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTour(t *testing.T) {
	r := serve(t, demo...)

	t.Run("README", func(t *testing.T) {
		out, err := runScript(t, find(t, blocks(t, "../../README.md"), "sh", "API="), r)
		require.NoError(t, err, "%s", out)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		wants := []string{
			`"entity_type"`, `"Practice night"`, `"view_permission"`, `"雨后的西湖"`, `"下次叫上我。"`, `"kind":"comment"`, `"NATIVE"`, `"expires_at"`,
		}
		require.Len(t, lines, len(wants), "%.500s", out)
		for i, want := range wants {
			assert.True(t, strings.HasPrefix(lines[i], `{"data":`) && strings.Contains(lines[i], want), "%s: %.200s", want, lines[i])
		}
	})
	t.Run("script", func(t *testing.T) {
		for range 2 { // it can be repeated on the same data
			out, err := runScript(t, readFile(t, "../tour.sh"), r)
			require.NoError(t, err, "%s", out)
			assert.NotContains(t, out, "FAILED")
			assert.Contains(t, out, "\n303  The payer pays at the wallet")
		}
	})
}
