//go:build soak

package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"plaza/test/chromium"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGuideInNode(t *testing.T) {
	_, script := examples(t)
	if _, err := exec.LookPath("node"); err != nil {
		t.Skipf("the guide's JavaScript needs Node.js: %v", err)
	}
	r := serve(t, demo...)
	folder := t.TempDir()
	module := strings.ReplaceAll(script.code, exampleServer, r.url)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "guide.mjs"), []byte(module), 0o644))
	script.prints(t, node(t, folder, "guide.mjs"))
}

func TestGuideInChromium(t *testing.T) {
	_, script := examples(t)
	browser := chromium.Start(t)
	var module string
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/guide.mjs" {
			w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
			fmt.Fprint(w, module)
			return
		}
		fmt.Fprint(w, `<!DOCTYPE html><link rel="icon" href="data:,">`)
	}))
	defer pages.Close()
	r := serve(t, append(demo, "--cors-origins="+pages.URL)...)
	module = strings.ReplaceAll(script.code, exampleServer, r.url)
	tab := chromium.Open(t, browser, pages.URL)
	script.prints(t, chromium.Evaluate[string](t, tab, `{
		const lines = []
		console.log = (...words) => lines.push(words.join(' '))
		import('/guide.mjs').then(() => lines.join('\n'))
	}`))
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
