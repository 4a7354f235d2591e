package reference

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const schemas = `{"components": {"schemas": {
	"ID": {"type": "integer", "format": "int64", "minimum": 1, "description": "an id"},
	"Level": {"type": "integer", "enum": [0, 100], "x-enum-varnames": ["Low", "High"], "x-enum-descriptions": ["for all", "for few"]},
	"Kind": {"enum": ["a", "b"], "x-enum-descriptions": {"b": "the second"}},
	"Person": {"type": "object", "required": ["id"], "properties": {"id": {"$ref": "#/components/schemas/ID"}, "name": {"type": "string"}}},
	"Tree": {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}},
	"Cat": {"type": "object", "properties": {"sort": {"const": "cat"}}},
	"Dog": {"type": "object", "properties": {"sort": {"const": "dog"}}},
	"Pet": {"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
		"discriminator": {"propertyName": "sort", "mapping": {"cat": "#/components/schemas/Cat", "dog": "Dog"}}}
}}}`

// shaped returns the shape of the schema in a document with schemas.
func shaped(t *testing.T, source string) shape {
	t.Helper()
	var d document
	var s schema
	require.NoError(t, json.Unmarshal([]byte(schemas), &d))
	require.NoError(t, json.Unmarshal([]byte(source), &s))
	result, err := shaper{document: &d, depth: 1}.shape(&s)
	require.NoError(t, err)
	return result
}

func TestTypesAndLimits(t *testing.T) {
	for source, want := range map[string][]string{
		`{}`:             {"any"},
		`{"const": "x"}`: {"constant", "always x"},
		`{"type": "string", "minLength": 1, "maxLength": 9, "default": "a"}`:                                        {"string", "1 to 9 characters", "default a"},
		`{"type": "string", "format": "date", "pattern": "^[0-9]"}`:                                                 {"string (date)"},
		`{"type": ["integer", "null"], "minimum": 0, "exclusiveMaximum": 5}`:                                        {"integer or null", "≥ 0", "< 5"},
		`{"type": "array", "uniqueItems": true, "items": {"type":"string","maxLength":9}}`:                          {"array of string", "no repetitions", "each at most 9 characters"},
		`{"type": "array", "items": {"type": "array", "items": {"type": "number"}}, "default": ["a", 1]}`:           {"array of array of number", "default a,1"},
		`{"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1}`:                        {"map of string", "at least 1 field"},
		`{"$ref": "#/components/schemas/ID"}`:                                                                       {"integer (int64)", "≥ 1"},
		`{"oneOf": [{"$ref": "#/components/schemas/Person"}, {"type": "null"}]}`:                                    {"Person or null"},
		`{"$ref": "#/components/schemas/Pet"}`:                                                                      {"Pet"},
		`{"type": "object", "properties": {"a": {}, "b": {}}, "oneOf": [{"required": ["a"]}, {"required": ["b"]}]}`: {"object", "exactly one of a, b"},
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

	s = shaped(t, `{"allOf": [{"$ref": "#/components/schemas/Person"}, {"properties": {"age": {}}, "required": ["age"]}], "description": "both"}`)
	assert.Equal(t, blocks("both"), s.Description)
	require.Len(t, s.Fields, 3)
	assert.Equal(t, "age", s.Fields[2].Name)
	assert.True(t, s.Fields[2].Required)

	s = shaped(t, `{"properties": {"data": {"$ref": "#/components/schemas/Tree"}}}`)
	tree := s.Fields[0].Shape
	assert.False(t, tree.IsClosed, "the fields of one component are shown")
	assert.True(t, tree.Fields[0].Shape.IsClosed, "those within are shown on demand")
	assert.Equal(t, "Tree", tree.Fields[0].Shape.Schema)

	s = shaped(t, `{"properties": {"file": {"type": "string", "format": "binary"}, "raw": {"type": "string", "contentMediaType": "image/png"}, "text": {}}}`)
	assert.True(t, s.Fields[0].Shape.IsFile && s.Fields[1].Shape.IsFile && !s.Fields[2].Shape.IsFile)
}

func TestVariants(t *testing.T) {
	s := shaped(t, `{"$ref": "#/components/schemas/Pet"}`)
	assert.Equal(t, "sort", s.Chooser)
	require.Len(t, s.Variants, 2)
	assert.Equal(t, "cat: Cat", s.Variants[0].Type)
	assert.Equal(t, "dog: Dog", s.Variants[1].Type)
	assert.True(t, s.Variants[0].IsClosed)
	s = shaped(t, `{"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"type": "string"}]}`)
	assert.Equal(t, "sort", s.Variants[0].Fields[0].Name)
	assert.Equal(t, "string", s.Variants[1].Type)
}

func TestValues(t *testing.T) {
	assert.Equal(t, []value{{"0", "Low", "for all"}, {"100", "High", "for few"}}, shaped(t, `{"$ref": "#/components/schemas/Level"}`).Values)
	kinds := shaped(t, `{"type": "array", "items": {"$ref": "#/components/schemas/Kind"}}`)
	assert.Equal(t, []value{{Value: "a"}, {Value: "b", Description: "the second"}}, kinds.Values)
	assert.False(t, kinds.IsChoice())
	assert.True(t, shaped(t, `{"$ref": "#/components/schemas/Kind"}`).IsChoice())
}
