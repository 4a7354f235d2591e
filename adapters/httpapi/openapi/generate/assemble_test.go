package main

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func dir(files map[string]string) fstest.MapFS {
	fs := fstest.MapFS{}
	for name, text := range files {
		fs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fs
}

func TestAssembleRefuses(t *testing.T) {
	for name, c := range map[string]struct{ first, second, problem string }{
		"a path twice": {"paths: {/a/: {get: {}}}", "paths: {/a/: {put: {}}}", "b.yaml: /paths//a/ is defined twice"},
		"a component twice": {"components: {schemas: {A: {}}}", "components: {schemas: {A: {}}}",
			"b.yaml: /components/schemas/A is defined twice"},
		"a key twice in one file": {"paths: {}", "paths: {}\npaths: {}", "b.yaml: "},
		"a merged key twice":      {"paths: {}", "x: &x {k: 1}\n200: {<<: *x, k: 2}", "200: k is defined twice in one mapping"},
		"a shelf that is none":    {"paths: {}", "paths: []", "b.yaml: /paths is not a mapping"},
		"a file that is no YAML":  {"paths: {}", "paths: {", "b.yaml: "},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := assemble(dir(map[string]string{"base.yaml": c.first, "b.yaml": c.second}))
			assert.ErrorContains(t, err, c.problem)
		})
	}
}

func TestEveryOperationHasTheSharedResponses(t *testing.T) {
	doc, err := assemble(dir(map[string]string{
		"base.yaml": "x-every-operation: {'500': {$ref: S}, '503': {$ref: U}}\n",
		"a.yaml": "paths:\n  /a/:\n    parameters: [{name: id}]\n" +
			"    get: {responses: {'504': {$ref: O}, '200': {$ref: A}}}\n    put: {responses: {'204': {}, '500': null, '503': {$ref: O}}}\n",
	}))
	require.NoError(t, err)
	assert.JSONEq(t, `{"paths": {"/a/": {"parameters": [{"name": "id"}],
		"get": {"responses": {"200": {"$ref": "A"}, "500": {"$ref": "S"}, "503": {"$ref": "U"}, "504": {"$ref": "O"}}},
		"put": {"responses": {"204": {}, "503": {"$ref": "O"}}}}}}`, string(doc))
	assert.Less(t, strings.Index(string(doc), `"503"`), strings.Index(string(doc), `"504"`), "by status")
}

func TestTheDocumentIsCurrent(t *testing.T) {
	written, err := os.ReadFile("../openapi.json")
	require.NoError(t, err)
	assembled, err := assemble(os.DirFS(".."))
	require.NoError(t, err)
	require.Equal(t, string(assembled), string(written), "run `go generate ./adapters/httpapi/openapi`")
	assert.Regexp(t, `^\{\n  "openapi": "3\.1\.0",\n  "info": \{\n    "title": "Plaza",\n    "version": "1",`, string(written))
}
