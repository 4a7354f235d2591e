package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runScript runs the script against the server at the address and returns what it prints. The shell reads the
// script from its standard input, as it does when a person pastes it.
func runScript(t *testing.T, script, api string) (string, error) {
	t.Helper()
	for _, program := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the tour needs %s: %v", program, err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "sh")
	cmd.Env = append(os.Environ(), "API="+api, "BODIES=", "TMPDIR="+t.TempDir(), "no_proxy=127.0.0.1")
	cmd.Stdin = strings.NewReader(script)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(content)
}

// readmeTour matches the tour in the README, which sets API in its first line.
var readmeTour = regexp.MustCompile("(?s)```sh\n(API=.*?)\n```")

func TestTour(t *testing.T) {
	r := serve(t, "--demo", "--database-url=memory:", "--wallet-sandbox-addr=127.0.0.1:0")

	t.Run("README", func(t *testing.T) {
		found := readmeTour.FindStringSubmatch(readFile(t, "../../README.md"))
		require.NotNil(t, found)
		out, err := runScript(t, strings.Replace(found[1], "http://127.0.0.1:8080", r.url, 1), r.url)
		require.NoError(t, err, "%s", out)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		wants := []string{`"entity_type"`, `"view_permission"`, `"雨后的西湖"`, `"下次叫上我。"`, `"NATIVE"`, `"expires_at"`}
		require.Len(t, lines, len(wants), "%.500s", out)
		for i, want := range wants {
			assert.True(t, strings.HasPrefix(lines[i], `{"data":`) && strings.Contains(lines[i], want), "%s: %.200s", want, lines[i])
		}
	})
	t.Run("script", func(t *testing.T) {
		for range 2 { // it can be repeated on the same data
			out, err := runScript(t, readFile(t, "../tour.sh"), r.url)
			require.NoError(t, err, "%s", out)
			assert.NotContains(t, out, "FAILED")
			assert.Contains(t, out, "\n303  The payer pays at the wallet")
		}
	})
}

func TestTourFailsOnUnexpectedStatus(t *testing.T) {
	teapot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
	}))
	defer teapot.Close()
	out, err := runScript(t, readFile(t, "../tour.sh"), teapot.URL)
	require.ErrorContains(t, err, "exit status 1")
	assert.Contains(t, out, "418  沈予安 logs in (uid 1): FAILED, expected 200")
}
