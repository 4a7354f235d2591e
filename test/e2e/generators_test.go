//go:build soak

package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTypeScript_clients_of_three_generators logs in, uploads a picture with two tags, and finds it by both, with a client that each generator made
// from the OpenAPI document. The programs of testdata/generators have no casts.
func TestTypeScript_clients_of_three_generators(t *testing.T) {
	modules := os.Getenv("PLAZA_TEST_GENERATORS")
	if modules == "" {
		t.Skip("PLAZA_TEST_GENERATORS names no folder")
	}
	folder := t.TempDir()
	require.NoError(t, os.Symlink(modules, filepath.Join(folder, "node_modules")))
	programs, err := filepath.Glob("testdata/generators/*")
	require.NoError(t, err)
	for _, name := range append(programs, "../../adapters/httpapi/openapi/openapi.json") {
		copyFile(t, name, filepath.Join(folder, filepath.Base(name)))
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "package.json"), []byte(`{"type":"module"}`), 0o600))
	node(t, folder, "node_modules/openapi-typescript/bin/cli.js", "openapi.json", "-o", "openapi-fetch/schema.ts")
	node(t, folder, "node_modules/@hey-api/openapi-ts/bin/run.js")
	node(t, folder, "node_modules/orval/dist/bin/orval.mjs", "--config", "orval.config.mjs")
	node(t, folder, "node_modules/typescript/bin/tsc")

	settings := []string{"--data-dir=" + t.TempDir()}
	w := people(t, 0, settings)
	server := serve(t, settings...).url
	t.Setenv("PLAZA", server)
	t.Setenv("PASSWORD", "kettle-and-cups")
	for n, program := range []string{"openapi-fetch", "hey-api", "orval"} {
		t.Setenv("USERNAME", "+86-1390000000"+string(rune('1'+n)))
		status, raw, err := newCaller(server).send(w.writers[n].key, http.MethodPost, imagesPath, map[string]any{
			"img": "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==", "tags": []string{"夜"}, // which has one of the two
		})
		require.NoError(t, err)
		require.Equal(t, http.StatusCreated, status, "%s", raw)
		assert.Equal(t, "1", strings.TrimSpace(node(t, folder, "dist/"+program+".js")), program)
	}
}
