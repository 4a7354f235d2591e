// Package apertium runs a real server of Apertium for tests, of English and Spanish. It
// listens on loopback, and ends with the test.
package apertium

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plaza/test/process"
)

// program names the server's program: the path of apertium-apy.
const program = "PLAZA_TEST_APERTIUM"

// onLoopback runs the program, which would listen on all interfaces and has no setting for
// that, so that only this machine reaches it.
const onLoopback = `
import runpy, sys
import tornado.httpserver
bind = tornado.httpserver.HTTPServer.bind
tornado.httpserver.HTTPServer.bind = lambda self, port: bind(self, port, address="127.0.0.1")
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
`

// OnServer runs the test against a real server, in the long run of the tests alone. It
// skips the test when no program is named.
func OnServer(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	path := os.Getenv(program)
	if path == "" {
		t.Skip(program + " is not set: `apt-get install apertium-apy apertium-eng-spa`, and set it to /usr/bin/apertium-apy")
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%s: %v", program, err)
	}
	test(t, start(t, path))
}

// start runs the server until the test ends. The languages are where Debian's packages put
// them, beside the program.
func start(t *testing.T, path string) (url string) {
	t.Helper()
	modes := filepath.Join(filepath.Dir(filepath.Dir(path)), "share", "apertium", "modes")
	folder := t.TempDir()
	return "http://" + process.OnLoopback(t, process.Server{
		Command: func(address string) *exec.Cmd {
			_, port, _ := net.SplitHostPort(address)
			// The program's own Python: another one may come first in PATH, without its modules.
			cmd := exec.Command("/usr/bin/python3", "-c", onLoopback, path, "--port", port, modes)
			cmd.Dir = folder
			cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"}
			return cmd
		},
		IsReady: func(address string) bool { return isReady(t.Context(), "http://"+address) },
	})
}

// isReady asks for the languages: another server at this port would not have them.
func isReady(ctx context.Context, url string) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/listPairs", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer func() { _ = response.Body.Close() }()
	said, err := io.ReadAll(response.Body)
	return err == nil && strings.Contains(string(said), `{"sourceLanguage": "eng", "targetLanguage": "spa"}`)
}
