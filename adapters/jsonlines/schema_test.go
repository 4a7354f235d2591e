package jsonlines

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/sanitiser"
	"plaza/domain/imported"
	"plaza/domain/news"
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

// example returns a copy that may be changed.
func (d described) example() object {
	return copied(d.document["examples"].([]any)[0]).(object)
}

func copied(v any) any {
	switch v := v.(type) {
	case object:
		c := object{}
		for name, value := range v {
			c[name] = copied(value)
		}
		return c
	case []any:
		return slices.Clone(v)
	}
	return v
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
		taken, err := takes(t, d.example())
		assert.True(t, taken, "%s: %v", d.kind, err)
		assert.NoError(t, d.schema.Validate(d.example()), d.kind)
		assert.Equal(t, "https://json-schema.org/draft/2020-12/schema", d.document["$schema"])
	}
	assert.Nil(t, Schema("event"))
	assert.Nil(t, Schema("../schema/user"))
}

func TestADM04_schemas_have_the_fields_of_the_records(t *testing.T) {
	for _, d := range descriptions(t) {
		hold(t, d.document, string(d.kind))
		fields := append(slices.Collect(maps.Keys(shapes[d.kind].places)), "kind")
		assert.ElementsMatch(t, fields, slices.Collect(maps.Keys(d.properties())), d.kind)
		if cover, has := d.properties()["cover"].(object); has {
			fields := slices.Collect(maps.Keys(coverShape.places))
			assert.ElementsMatch(t, fields, slices.Collect(maps.Keys(cover["properties"].(object))), d.kind)
		}
	}
	assert.Len(t, shapes, len(imported.Kinds()))
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
				record := d.example()
				record[name.(string)] = value
				if value != nil {
					delete(record, name.(string))
				}
				taken, _ := takes(t, record)
				assert.False(t, taken, "%s without %s", d.kind, name)
			}
		}
		record := d.example()
		for name := range d.properties() {
			if !slices.Contains(d.document["required"].([]any), any(name)) {
				delete(record, name)
			}
		}
		taken, err := takes(t, record)
		assert.True(t, taken, "%s: %v", d.kind, err)
	}
}

func TestADM04_the_limits_of_the_schemas_are_those_of_the_rules(t *testing.T) {
	for _, d := range descriptions(t) {
		for name, property := range d.properties() {
			probe(t, property.(object), string(d.kind)+"."+name, func(value any) (bool, error) {
				record := d.example()
				record[name] = value
				return takes(t, record)
			})
			if name == "cover" {
				probeCover(t, d, property.(object)["properties"].(object))
			}
		}
	}
	html := descriptions(t)[slices.Index(imported.Kinds(), imported.News)].properties()["html"].(object)
	assert.Contains(t, html["description"], strconv.Itoa(news.HTMLLimit.Bytes))
}

func probeCover(t *testing.T, d described, properties object) {
	for name, property := range properties {
		probe(t, property.(object), string(d.kind)+".cover."+name, func(value any) (bool, error) {
			cover := object{"url": "https://pictures.example/a", "width": 3, "height": 4}
			if name == "file" {
				cover = object{}
			}
			cover[name] = value
			record := d.example()
			record["cover"] = cover
			return takes(t, record)
		})
	}
}

// probe tries values at the limits of the property, and right beyond.
func probe(t *testing.T, property object, name string, takes func(any) (bool, error)) {
	t.Helper()
	try := func(value any, want bool) {
		taken, err := takes(value)
		assert.Equal(t, want, taken, "%s: %.60v: %v", name, value, err)
	}
	if most, has := whole(property["maxLength"]); has {
		try(ofLength(name, most), true)
		try(ofLength(name, most+1), false)
	}
	if least, has := whole(property["minLength"]); has {
		try(strings.Repeat("e", least-1), false)
	}
	if most, has := whole(property["maxItems"]); has {
		try(ofItems(name, most), true)
		try(ofItems(name, most+1), false)
		probe(t, property["items"].(object), name+"[]", func(value any) (bool, error) { return takes([]any{value}) })
	}
	for bound, beyond := range map[string]int64{"minimum": -1, "maximum": 1} {
		if number, has := property[bound].(json.Number); has {
			n, err := number.Int64()
			require.NoError(t, err)
			try(number, true)
			if n+beyond > n == (beyond > 0) {
				try(n+beyond, false)
			} else {
				try(json.Number("9223372036854775808"), false)
			}
		}
	}
}

func whole(v any) (int, bool) {
	number, is := v.(json.Number)
	if !is {
		return 0, false
	}
	n, err := strconv.Atoi(number.String())
	return n, err == nil
}

// ofLength returns a value of the property that is valid except for its length.
func ofLength(name string, n int) string {
	switch {
	case strings.HasSuffix(name, "html"):
		return "<!--" + strings.Repeat("a", n-7) + "-->"
	case strings.HasSuffix(name, "url"), strings.HasSuffix(name, "logo"), strings.HasSuffix(name, "images[]"):
		const beginning = "https://pictures.example/"
		return beginning + strings.Repeat("a", n-len(beginning))
	case strings.HasSuffix(name, "file"):
		return strings.Repeat("a", n)
	}
	return strings.Repeat("桂", n)
}

func ofItems(name string, n int) []any {
	var items []any
	for i := range n {
		switch {
		case strings.HasSuffix(name, "bundles"):
			items = append(items, i+1)
		default:
			items = append(items, fmt.Sprintf("https://pictures.example/%d", i))
		}
	}
	return items
}
