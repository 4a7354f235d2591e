package openapi

import (
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

func TestAssemble(t *testing.T) {
	doc, err := assemble(dir(map[string]string{
		"base.yaml":   "openapi: 3.1.0\npaths: {}\ncomponents: {schemas: {Z: {type: string}}}\n",
		"b.yaml":      "paths: {/b/: {get: {}}}\ncomponents: {responses: {R: {description: <b> & more}}}\n",
		"a.yaml":      "paths: {/a/: {get: {}}}\ncomponents: {schemas: {A: {minimum: 1, default: null}}}\n",
		"ignored.txt": "openapi: 3.0.0\n",
	}))
	require.NoError(t, err)
	assert.Equal(t, `{
  "openapi": "3.1.0",
  "paths": {
    "/a/": {
      "get": {}
    },
    "/b/": {
      "get": {}
    }
  },
  "components": {
    "schemas": {
      "Z": {
        "type": "string"
      },
      "A": {
        "minimum": 1,
        "default": null
      }
    },
    "responses": {
      "R": {
        "description": "<b> & more"
      }
    }
  }
}
`, string(doc))
}

func TestAssembleRefuses(t *testing.T) {
	for name, c := range map[string]struct{ first, second, problem string }{
		"a path twice":             {"paths: {/a/: {get: {}}}", "paths: {/a/: {put: {}}}", "b.yaml: /paths//a/ is defined twice"},
		"a component twice":        {"components: {schemas: {A: {}}}", "components: {schemas: {A: {}}}", "b.yaml: /components/schemas/A is defined twice"},
		"a part of the base twice": {"info: {title: A}", "info: {version: B}", "b.yaml: /info is defined twice"},
		"a key twice in one file":  {"paths: {}", "paths: {}\npaths: {}", "b.yaml: "},
		"a merged key twice":       {"paths: {}", "x: &x {k: 1}\n200: {<<: *x, k: 2}", "200: k is defined twice in one mapping"},
		"a shelf that is none":     {"paths: {}", "paths: []", "b.yaml: /paths is not a mapping"},
		"a file that is no YAML":   {"paths: {}", "paths: {", "b.yaml: "},
		"a file that is a list":    {"paths: {}", "- paths", "b.yaml: "},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := assemble(dir(map[string]string{"base.yaml": c.first, "b.yaml": c.second}))
			assert.ErrorContains(t, err, c.problem)
		})
	}
}

func TestTheDocumentIsTheSameInEveryBuild(t *testing.T) {
	for range 3 {
		again, err := assemble(files)
		require.NoError(t, err)
		require.Equal(t, string(JSON()), string(again))
	}
	assert.Regexp(t, `^\{\n  "openapi": "3\.1\.0",\n  "info": \{\n    "title": "Plaza",\n    "version": "1",`, string(JSON()))
}
