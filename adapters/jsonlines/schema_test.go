package jsonlines

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/sanitiser"
	"plaza/domain/imported"
)

// object is a JSON object as encoding/json reads it.
type object = map[string]any

// described is a kind with its schema.
type described struct {
	kind     imported.Kind
	document object
	schema   *jsonschema.Schema
}

// descriptions are those of every kind.
func descriptions(t *testing.T) []described {
	t.Helper()
	var all []described
	for _, kind := range imported.Kinds() {
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema(kind)))
		require.NoError(t, err)
		compiler := jsonschema.NewCompiler()
		compiler.AssertFormat()
		require.NoError(t, compiler.AddResource("https://plaza.example/"+string(kind), document))
		schema, err := compiler.Compile("https://plaza.example/" + string(kind))
		require.NoError(t, err)
		all = append(all, described{kind, document.(object), schema})
	}
	return all
}

func (d described) properties() object { return d.document["properties"].(object) }

// example returns a new copy.
func (d described) example(t *testing.T) object {
	t.Helper()
	var document struct{ Examples []object }
	require.NoError(t, json.Unmarshal(Schema(d.kind), &document))
	return document.Examples[0]
}

var cleaner = sanitiser.New()

// takes reports whether the decoder and the rules accept the record.
func takes(t *testing.T, record object) (bool, error) {
	t.Helper()
	line, err := json.Marshal(record)
	require.NoError(t, err)
	draft, err := Decoder{}.Decode(line)
	if err == nil {
		_, err = draft.Record(cleaner)
	}
	return err == nil, err
}

func TestADM04_examples_are_records(t *testing.T) {
	for _, d := range descriptions(t) {
		taken, err := takes(t, d.example(t))
		assert.True(t, taken, "%s: %v", d.kind, err)
		assert.NoError(t, d.schema.Validate(d.example(t)), d.kind)
		assert.Equal(t, "https://json-schema.org/draft/2020-12/schema", d.document["$schema"])
	}
	assert.Nil(t, Schema("event"))
	assert.Nil(t, Schema("../schema/user"))
}

func TestADM04_schemas_have_the_fields_of_the_records(t *testing.T) {
	for _, d := range descriptions(t) {
		hold(t, d.document, string(d.kind))
		assert.ElementsMatch(t, append(names(drafts[d.kind]), "kind"), slices.Collect(maps.Keys(d.properties())), d.kind)
		if cover, has := d.properties()["cover"].(object); has {
			assert.ElementsMatch(t, names(imported.CoverDraft{}), slices.Collect(maps.Keys(cover["properties"].(object))), d.kind)
		}
	}
	assert.Len(t, drafts, len(imported.Kinds()))
}

// names are those of the draft's fields in a line.
func names(draft any) (all []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeOf(draft)) {
		if !field.Anonymous {
			all = append(all, wireName(field.Name))
		}
	}
	return all
}

// hold asserts that the schema is closed and describes everything.
func hold(t *testing.T, schema object, name string) {
	t.Helper()
	assert.NotEmpty(t, schema["description"], name)
	if properties, has := schema["properties"].(object); has {
		assert.Equal(t, false, schema["additionalProperties"], name)
		for inner, property := range properties {
			hold(t, property.(object), name+"."+inner)
		}
	}
	if items, has := schema["items"].(object); has {
		hold(t, items, name+"[]")
	}
}

func TestADM04_what_the_schema_requires_must_be_there(t *testing.T) {
	for _, d := range descriptions(t) {
		for _, name := range d.document["required"].([]any) {
			for _, value := range []any{nil, "absent"} {
				record := d.example(t)
				record[name.(string)] = value
				if value != nil {
					delete(record, name.(string))
				}
				taken, _ := takes(t, record)
				assert.False(t, taken, "%s without %s", d.kind, name)
			}
		}
		record := d.example(t)
		for name := range d.properties() {
			if !slices.Contains(d.document["required"].([]any), any(name)) {
				delete(record, name)
			}
		}
		taken, err := takes(t, record)
		assert.True(t, taken, "%s: %v", d.kind, err)
	}
}
