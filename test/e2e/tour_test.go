package e2e

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runTour runs test/tour.sh against the server at the address and returns what it prints. The shell reads the
// script from its standard input, as it does when a person pastes it.
func runTour(t *testing.T, api string) (string, error) {
	t.Helper()
	for _, program := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the tour needs %s: %v", program, err)
		}
	}
	script, err := os.ReadFile("../tour.sh")
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "sh")
	cmd.Env = append(os.Environ(), "API="+api, "BODIES=", "TMPDIR="+t.TempDir(), "no_proxy=127.0.0.1")
	cmd.Stdin = bytes.NewReader(script)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestTour(t *testing.T) {
	r := serve(t, "--demo", "--database-url=memory:", "--wallet-sandbox-addr=127.0.0.1:0")
	out, err := runTour(t, r.url)
	require.NoError(t, err, "%s", out)
	assert.NotContains(t, out, "FAILED")
	assert.Contains(t, out, "\n303  The payer pays at the wallet")
	out, err = runTour(t, r.url)
	require.NoError(t, err, "the tour can be repeated on the same data:\n%s", out)
}

func TestTourFailsOnUnexpectedStatus(t *testing.T) {
	teapot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
	}))
	defer teapot.Close()
	out, err := runTour(t, teapot.URL)
	require.ErrorContains(t, err, "exit status 1")
	assert.Contains(t, out, "418  沈予安 logs in (uid 1): FAILED, expected 200")
}
