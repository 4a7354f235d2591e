package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// clientFolder has the TypeScript client.
const clientFolder = "../../adapters/httpapi/client/typescript"

// buildClient generates and compiles the TypeScript client in a folder of its own, and
// returns that.
func buildClient(t *testing.T) (folder string) {
	t.Helper()
	modules := os.Getenv("PLAZA_TEST_TYPESCRIPT")
	if modules == "" {
		t.Skip("PLAZA_TEST_TYPESCRIPT names no folder")
	}
	folder = t.TempDir()
	require.NoError(t, os.Symlink(modules, filepath.Join(folder, "node_modules")))
	for _, name := range []string{"generate.mjs", "package.json", "tsconfig.json", "test/node.mjs"} {
		copyFile(t, filepath.Join(clientFolder, name), filepath.Join(folder, name))
	}
	for _, pattern := range []string{"src/*.ts", "test/*.ts"} {
		sources, err := filepath.Glob(filepath.Join(clientFolder, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, sources)
		for _, source := range sources {
			copyFile(t, source, filepath.Join(folder, filepath.Dir(pattern), filepath.Base(source)))
		}
	}
	writeExample(t, filepath.Join(folder, "test/readme.ts"))
	document, err := filepath.Abs("../../adapters/httpapi/openapi/openapi.json")
	require.NoError(t, err)
	node(t, folder, "generate.mjs", document)
	node(t, folder, "node_modules/typescript/bin/tsc")
	return folder
}

// example is TypeScript in the client's README.
var example = regexp.MustCompile("(?s)```ts\n(.*?)```")

// writeExample writes the example of the client's README as a file that is compiled with it.
func writeExample(t *testing.T, to string) {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(clientFolder, "README.md"))
	require.NoError(t, err)
	found := example.FindSubmatch(readme)
	require.NotNil(t, found)
	text := strings.Replace(string(found[1]), `"plaza-client"`, `"../src/index.js"`, 1)
	require.NoError(t, os.WriteFile(to, []byte(text+"\ndeclare const file: File;\n"), 0o644))
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
	require.NoError(t, os.WriteFile(to, text, 0o644))
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

// serveTest serves a page that runs the compiled client's tests with the server, and returns
// its origin and what it reports.
func serveTest(t *testing.T, client string, server *atomic.Pointer[string]) (origin string, result <-chan string) {
	t.Helper()
	results := make(chan string, 1)
	mux := http.NewServeMux()
	mux.Handle("GET /dist/", http.FileServer(http.Dir(client)))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, page, *server.Load())
	})
	mux.HandleFunc("POST /result", func(_ http.ResponseWriter, r *http.Request) {
		said, _ := io.ReadAll(r.Body)
		results <- string(said)
	})
	pages := httptest.NewServer(mux)
	t.Cleanup(pages.Close)
	return pages.URL, results
}

const page = `<!DOCTYPE html><link rel="icon" href="data:,"><script type="module">
import { retries } from "/dist/test/retries.js"
import { tour } from "/dist/test/tour.js"
const result = retries().then(() => tour(%q)).then(called => called + " operations\n", error => error.stack)
fetch("/result", { method: "POST", body: await result })
</script>`

// visit shows the page in Chromium, which finds only this machine, until the test ends.
func visit(t *testing.T, url string) {
	t.Helper()
	chromium := os.Getenv("PLAZA_TEST_CHROMIUM")
	if chromium == "" {
		t.Skip("PLAZA_TEST_CHROMIUM names no program")
	}
	ctx, end := context.WithCancel(context.Background())
	profile := t.TempDir()
	cmd := exec.CommandContext(ctx, chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-breakpad", "--disable-dev-shm-usage",
		"--no-proxy-server", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
		"--remote-debugging-port=0", "--user-data-dir="+profile, url)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=" + profile}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = patience
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		end()
		_ = cmd.Wait() // it was told to end
	})
}

func TestTheTypeScriptClientCallsEveryOperation(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	const all = `^[1-9][0-9]+ operations\n$`
	client := buildClient(t)
	server := func(t *testing.T, args ...string) string {
		return serve(t, append(args, "--demo", "--database-url=memory:", "--wallet-sandbox-addr=127.0.0.1:0")...).url
	}
	t.Run("in Node.js", func(t *testing.T) {
		require.Regexp(t, all, node(t, client, "test/node.mjs", server(t)))
	})
	t.Run("in Chromium, from another origin", func(t *testing.T) {
		var address atomic.Pointer[string]
		origin, result := serveTest(t, client, &address)
		url := server(t, "--cors-origins="+origin)
		address.Store(&url)
		visit(t, origin)
		select {
		case said := <-result:
			require.Regexp(t, all, said)
		case <-time.After(patience):
			t.Fatal("the page reported nothing")
		}
	})
}
