// Package apertium runs a real server of Apertium for tests, of English and Spanish. It
// listens on loopback, and ends with the test.
package apertium

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/test/debian"
	"plaza/test/process"
)

// The real server: where its packages put it, and the languages that it comes with.
const (
	program = "/usr/bin/apertium-apy"
	modes   = "/usr/share/apertium/modes"
)

// onLoopback runs the program, which would listen on all interfaces and has no setting for
// that, so that nobody but this machine reaches it.
const onLoopback = `
import runpy, sys
import tornado.httpserver
bind = tornado.httpserver.HTTPServer.bind
tornado.httpserver.HTTPServer.bind = lambda self, port: bind(self, port, address="127.0.0.1")
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
`

var packages = []string{"apertium-apy", "apertium-eng-spa"}

// realServer is nil when the program is there. Installing it is tried once.
var realServer = sync.OnceValue(func() error {
	if installed() {
		return nil
	}
	if err := debian.Install(installed, packages...); err != nil {
		return fmt.Errorf("installing Apertium: `apt-get install %s`: %w", strings.Join(packages, " "), err)
	}
	if !installed() {
		return fmt.Errorf("installing %v brought no %s", packages, program)
	}
	return nil
})

func installed() bool {
	for _, file := range []string{program, modes + "/eng-spa.mode", modes + "/spa-eng.mode"} {
		if info, err := os.Stat(file); err != nil || info.IsDir() {
			return false
		}
	}
	return true
}

// OnServer runs the test against a real server. Where there can be none it fails in CI,
// and elsewhere tells that nothing was tried.
func OnServer(t *testing.T, test func(t *testing.T, url string)) {
	if err := realServer(); err != nil {
		if os.Getenv("CI") == "true" {
			require.NoError(t, err, "in CI the real server is a must")
		}
		t.Logf("NOT TRIED, because the real server can't be had here: %v", err)
		return
	}
	var url string
	var err error
	for range 3 { // somebody else may take the port meanwhile
		if url, err = start(t); err == nil {
			test(t, url)
			return
		}
	}
	require.NoError(t, err)
}

// start runs the server, and the programs that it starts, until the test ends.
func start(t *testing.T) (url string, err error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := free.Addr().(*net.TCPAddr).Port
	require.NoError(t, free.Close())

	var said bytes.Buffer
	// The program's own Python: another one may come first in PATH, without its modules.
	server := exec.Command("/usr/bin/python3", "-c", onLoopback, program, "--port", strconv.Itoa(port), modes)
	server.Dir = t.TempDir()
	server.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"}
	server.Stdout, server.Stderr = &said, &said
	server.WaitDelay = 10 * time.Second
	server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	process.EndWithParent(server.SysProcAttr, syscall.SIGKILL)
	require.NoError(t, server.Start())
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	end := func() error {
		_ = syscall.Kill(-server.Process.Pid, syscall.SIGKILL) // its group: translating is done by others
		return <-ended
	}

	url = fmt.Sprintf("http://127.0.0.1:%d", port)
	patience := time.After(30 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if isReady(t.Context(), url) {
			t.Cleanup(func() { _ = end() })
			return url, nil
		}
		select {
		case <-tick.C:
		case err := <-ended:
			return "", fmt.Errorf("it ended: %w: %s", err, said.String())
		case <-patience:
			return "", errors.Join(errors.New("it does not answer"), end())
		}
	}
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
