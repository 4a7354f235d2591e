//go:build soak

package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/chromium"
)

// clientFolder has the TypeScript client.
const clientFolder = "../../adapters/httpapi/client/typescript"

// buildClient generates and compiles the TypeScript client in a folder of its own, and returns that.
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

// writeExample writes the example of the client's README as a file that is compiled with it.
func writeExample(t *testing.T, to string) {
	t.Helper()
	example := find(t, blocks(t, filepath.Join(clientFolder, "README.md")), "ts", "import ")
	text := strings.Replace(example, `"plaza-client"`, `"../src/index.js"`, 1)
	require.NoError(t, os.WriteFile(to, []byte(text+"\ndeclare const file: File;\n"), 0o644))
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
	require.NoError(t, os.WriteFile(to, text, 0o644))
}

func TestTheTypeScriptClientCallsEveryOperation(t *testing.T) {
	const all = `^[1-9][0-9]+ operations\n$`
	client := buildClient(t)
	t.Run("in Node.js", func(t *testing.T) {
		server := serve(t, demo...)
		require.Regexp(t, all, node(t, client, "test/node.mjs", server.url, messagesPage.FindStringSubmatch(server.log.String())[1]))
	})
	t.Run("in Chromium, from another origin", func(t *testing.T) {
		browser := chromium.Start(t)
		mux := http.NewServeMux()
		mux.Handle("GET /dist/", http.FileServer(http.Dir(client)))
		mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, "testdata/client.html") })
		// The sandbox takes no payment from a page of another origin.
		mux.HandleFunc("POST /phone", func(_ http.ResponseWriter, r *http.Request) {
			codeURL, err := io.ReadAll(r.Body)
			assert.NoError(t, err)
			said, err := http.Post(string(codeURL), "", nil)
			if assert.NoError(t, err) {
				assert.NoError(t, said.Body.Close())
			}
		})
		var server *running
		mux.HandleFunc("GET /code", func(w http.ResponseWriter, r *http.Request) { // nor does it show a code to one
			fmt.Fprint(w, server.codeSentTo(t, r.URL.Query().Get("number")))
		})
		pages := httptest.NewServer(mux)
		defer pages.Close()
		server = serve(t, append(demo, "--cors-origins="+pages.URL)...)
		tab := chromium.Open(t, browser, pages.URL)
		require.Regexp(t, all, chromium.Evaluate[string](t, tab, fmt.Sprintf("test(%q)", server.url)))
	})
}
