package jsonlines

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
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

// TestADM04_schemas_and_rules_agree tries randomly changed records. It omits rules that a
// schema can't express: surrounding white space, the forms of paths, languages and time
// zones, and rules across fields.
func TestADM04_schemas_and_rules_agree(t *testing.T) {
	all := descriptions(t)
	random := rand.New(rand.NewPCG(1, 2))
	good := 0
	for range 6_000 {
		d := all[random.IntN(len(all))]
		record := d.example()
		for range 1 + random.IntN(2) {
			change(random, d, record)
		}
		line, err := json.Marshal(record)
		require.NoError(t, err)
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		require.NoError(t, err)
		want := d.schema.Validate(value)
		taken, got := takes(t, record)
		require.Equal(t, want == nil, taken, "%.400s\nschema: %v\nrules: %v", line, want, got)
		if taken {
			good++
		}
	}
	assert.Greater(t, good, 600)
	assert.Less(t, good, 5_400)
}

func change(random *rand.Rand, d described, record object) {
	names := slices.Sorted(maps.Keys(d.properties()))
	name := names[random.IntN(len(names))]
	switch random.IntN(12) {
	case 0:
		delete(record, name)
	case 1:
		record[name] = nil
	case 2:
		record["no_"+name] = 1
	default:
		record[name] = anyOf(random, name, d.properties()[name].(object))
	}
}

// anyOf returns a value for the property, usually an invalid one.
func anyOf(random *rand.Rand, name string, property object) any {
	values := []any{true, 1.5, -1.25, []any{nil}, []any{[]any{}}, object{"a": 1}}
	plain := property["pattern"] == nil || property["pattern"] == `\S`
	most, hasMost := whole(property["maxLength"])
	switch {
	case strings.HasSuffix(name, "url"), strings.HasSuffix(name, "logo"):
		values = append(values, "https://a.example/b", "HTTP://a.example", "ftp://a.example", "a.example", 7)
	case name == "html" || name == "slug" || name == "file":
		values = append(values, "a", "b", 7)
	case hasMost && plain:
		values = append(values, "a", "桂花", strings.Repeat("é", most), strings.Repeat("é", most+1), random.IntN(1e9), json.Number("92233720368547758070"), 0, -1)
	case name == "tags":
		values = append(values, []any{}, []any{"a", "b"}, []any{"a", 1}, []any{strings.Repeat("a", 65)}, ofItems("tags", 50), ofItems("tags", 51), "a")
	case name == "images":
		values = append(values, []any{}, []any{"https://a.example/b"}, []any{"b"}, []any{1}, ofItems(name, 100), ofItems(name, 101))
	case name == "bundles":
		values = append(values, []any{}, []any{1, 2}, []any{0}, []any{-1}, []any{"1"}, []any{1.5}, ofItems(name, 1000), ofItems(name, 1001), 1)
	case name == "cover":
		values = append(values, anyCover(random), anyCover(random), anyCover(random), anyCover(random), "a", 7)
	case name == "lat" || name == "lng":
		values = append(values, 0, 90, -90, 90.001, 180, 180.001, -180, "1")
	case name == "type":
		values = append(values, 0, 100, 1, -100, "0")
	case property["minimum"] != nil:
		values = append(values, 0, -1, 1+random.IntN(1e9), math.MaxInt64-random.IntN(1e9), json.Number("9223372036854775808"), "1")
	case property["format"] != nil:
		values = append(values, "2026-13-01T00:00:00Z", "2026-04-31", "2026-04-02 00:00:00Z", "2026-04-02T00:00:00", "T", 1775116800)
	case name == "published" || name == "deleted":
		values = append(values, false, "true", 0, 1)
	default:
		values = append(values, 7)
	}
	return values[random.IntN(len(values))]
}

func anyCover(random *rand.Rand) object {
	cover := object{}
	for name, values := range map[string][]any{
		"file": {"a.jpg", "b/a.jpg", nil, 7, strings.Repeat("a", 1025)}, "url": {"https://a.example", "https://a.example/b", "a", nil, 7},
		"width": {1, 65535, 640, 65536, -1, nil, "3", 1.5}, "height": {1, 65535, 640, 65536, -1, nil, "3", 1.5}, "size": {1},
	} {
		if often := map[string]int{"file": 3, "size": 12}[name]; random.IntN(max(often, 1)) == 0 {
			cover[name] = values[random.IntN(len(values))]
			if first := random.IntN(2) == 0; first {
				cover[name] = values[0]
			}
		}
	}
	if random.IntN(3) == 0 {
		return object{"file": cover["file"]}
	}
	return cover
}
