package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

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

func TestTheTypeScriptClientCallsEveryOperation(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	client := buildClient(t)
	r := serve(t, "--demo", "--database-url=memory:", "--wallet-sandbox-addr=127.0.0.1:0")
	require.Regexp(t, `^[1-9][0-9]+ operations\n$`, node(t, client, "test/node.mjs", r.url))
}
