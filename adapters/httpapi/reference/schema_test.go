package reference

import (
	"cmp"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/openapi"
)

const schemas = `{"components": {"schemas": {
	"ID": {"type": "integer", "format": "int64", "minimum": 1, "description": "an id"},
	"Level": {"type": "integer", "enum": [0, 100], "x-enum-varnames": ["Low", "High"], "x-enum-descriptions": ["for all", "for few"]},
	"Kind": {"enum": ["a", "b"]},
	"Person": {"type": "object", "required": ["id"], "properties": {"id": {"$ref": "#/components/schemas/ID"}, "name": {"type": "string"}}},
	"Tree": {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}},
	"Cat": {"type": "object", "properties": {"sort": {"const": "cat"}}},
	"Dog": {"type": "object", "properties": {"sort": {"const": "dog"}}},
	"Pet": {"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
		"discriminator": {"propertyName": "sort", "mapping": {"cat": "#/components/schemas/Cat", "dog": "#/components/schemas/Dog"}}}
}}}`

// shaped returns the shape of the schema in a document with schemas.
func shaped(t *testing.T, source string) shape {
	t.Helper()
	var d document
	var s schema
	require.NoError(t, json.Unmarshal([]byte(schemas), &d))
	require.NoError(t, json.Unmarshal([]byte(source), &s))
	return d.shape(&s)
}

func TestTypesAndLimits(t *testing.T) {
	for source, want := range map[string][]string{
		`{}`:             {"any"},
		`{"const": "x"}`: {"constant", "always x"},
		`{"type": "string", "minLength": 1, "maxLength": 9, "default": "a"}`:                              {"string", "1 to 9 characters", "default a"},
		`{"type": "string", "format": "date", "pattern": "^[0-9]"}`:                                       {"string (date)"},
		`{"type": ["integer", "null"], "minimum": 1, "maximum": 5}`:                                       {"integer or null", "≥ 1", "≤ 5"},
		`{"type": "array", "items": {"type":"string","maxLength":9}}`:                                     {"array of string", "each at most 9 characters"},
		`{"type": "array", "items": {"type": "array", "items": {"type": "number"}}, "default": ["a", 1]}`: {"array of array of number", "default a,1"},
		`{"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1}`:              {"map of string", "at least 1 field"},
		`{"$ref": "#/components/schemas/ID"}`:                                                             {"integer (int64)", "≥ 1"},
		`{"oneOf": [{"$ref": "#/components/schemas/Person"}, {"type": "null"}]}`:                          {"Person or null"},
		`{"$ref": "#/components/schemas/Pet"}`:                                                            {"Pet"},
	} {
		s := shaped(t, source)
		assert.Equal(t, want, append([]string{s.Type}, s.Limits...), source)
	}
}

func TestFields(t *testing.T) {
	s := shaped(t, `{"$ref": "#/components/schemas/Person", "properties": {"name": {"type": "string", "description": "another"}}}`)
	require.Len(t, s.Fields, 2)
	assert.Equal(t, "id", s.Fields[0].Name)
	assert.True(t, s.Fields[0].Required)
	assert.Equal(t, blocks("an id"), s.Fields[0].Shape.Description)
	assert.Equal(t, blocks("another"), s.Fields[1].Shape.Description, "what stands beside a reference replaces what is in it")

	s = shaped(t, `{"properties": {"data": {"$ref": "#/components/schemas/Tree"}}}`)
	tree := s.Fields[0].Shape
	assert.False(t, tree.IsClosed, "the fields of one component are shown")
	assert.True(t, tree.Fields[0].Shape.IsClosed, "those within are shown on demand")
	assert.Equal(t, "Tree", tree.Fields[0].Shape.Schema)

	s = shaped(t, `{"properties": {"file": {"type": "string", "format": "binary"}, "raw": {"type": "string", "contentMediaType": "image/png"}, "text": {}}}`)
	assert.True(t, s.Fields[0].Shape.IsFile && s.Fields[1].Shape.IsFile && !s.Fields[2].Shape.IsFile)
}

// The page knows only the keywords that the document uses. The document must use no more.
func TestDocumentUsesKnownKeywords(t *testing.T) {
	known := map[string]bool{"additionalProperties": true}
	for field := range reflect.TypeFor[schema]().Fields() {
		name := cmp.Or(field.Tag.Get("json"), strings.ToLower(field.Name[:1])+field.Name[1:])
		known[name] = true
	}
	var document struct {
		Components struct{ Schemas map[string]map[string]any }
	}
	require.NoError(t, json.Unmarshal(openapi.JSON(), &document))
	var check func(name string, s map[string]any)
	check = func(name string, s map[string]any) {
		for keyword, value := range s {
			assert.True(t, known[keyword] || strings.HasPrefix(keyword, "example"), "%s: %s", name, keyword)
			_, isReference := s["$ref"]
			assert.True(t, !isReference || keyword == "$ref" || keyword == "description" || keyword == "properties", "%s: %s beside a reference",
				name, keyword)
			if keyword == "properties" {
				for property, inner := range value.(map[string]any) {
					check(name+"."+property, inner.(map[string]any))
				}
			}
			if inner, isSchema := value.(map[string]any); isSchema && (keyword == "items" || keyword == "additionalProperties") {
				check(name+"."+keyword, inner)
			}
		}
	}
	for name, s := range document.Components.Schemas {
		check(name, s)
	}
}
