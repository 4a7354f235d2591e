//go:build soak

package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lake is a picture, in base64.
const lake = "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw=="

// TestTypeScript_clients_of_three_generators logs in, uploads a picture with two tags, and finds it by both, with a client that each
// generator made from the OpenAPI document. The programs of testdata/generators have no casts.
func TestTypeScript_clients_of_three_generators(t *testing.T) {
	modules := os.Getenv("PLAZA_TEST_GENERATORS")
	if modules == "" {
		t.Skip("PLAZA_TEST_GENERATORS names no folder")
	}
	folder := t.TempDir()
	require.NoError(t, os.Symlink(modules, filepath.Join(folder, "node_modules")))
	programs, err := filepath.Glob("testdata/generators/*.*")
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
			"img": lake, "tags": []string{"夜"}, // which has one of the two
		})
		require.NoError(t, err)
		require.Equal(t, http.StatusCreated, status, "%s", raw)
		assert.Equal(t, "1", strings.TrimSpace(node(t, folder, "dist/"+program+".js")), program)
	}
}

// TestGo_clients_of_two_generators logs in, uploads a picture with two tags and follows a user, with a client that each generator made from
// the OpenAPI document. The generators and what their clients need are pinned by testdata/generators/go/go.mod.
func TestGo_clients_of_two_generators(t *testing.T) {
	if os.Getenv("PLAZA_TEST_GENERATORS") == "" {
		t.Skip("PLAZA_TEST_GENERATORS names no folder")
	}
	folder := t.TempDir()
	require.NoError(t, os.CopyFS(folder, os.DirFS("testdata/generators/go")))
	copyFile(t, "../../adapters/httpapi/openapi/openapi.json", filepath.Join(folder, "openapi.json"))
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=readonly")
	require.NoError(t, os.Mkdir(filepath.Join(folder, "oapi-codegen/client"), 0o700))
	in(t, folder, "go", "tool", "oapi-codegen", "-generate=types,client", "-package=client", "-o=oapi-codegen/client/client.go",
		"openapi.json")
	in(t, folder, "go", "tool", "ogen", "--target=ogen/client", "--package=client", "openapi.json")

	settings := []string{"--data-dir=" + t.TempDir()}
	w := people(t, 0, settings)
	t.Setenv("PLAZA", serve(t, settings...).url)
	t.Setenv("PASSWORD", "kettle-and-cups")
	t.Setenv("PICTURE", lake)
	for n, program := range []string{"oapi-codegen", "ogen"} {
		t.Setenv("USERNAME", fmt.Sprint("+86-1390000000", n+1))
		t.Setenv("OTHER", fmt.Sprint(w.writers[2].uid))
		assert.Equal(t, "1 1 true\n", in(t, folder, "go", "run", "./"+program), program)
	}
}
