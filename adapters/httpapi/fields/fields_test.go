package fields_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/fields"
	"plaza/domain/fault"
)

const document = `{
	"paths": {
		"/things/": {"get": {
			"parameters": [{"$ref": "#/components/parameters/Fields"}],
			"responses": {"200": {"$ref": "#/components/responses/Things"}}}},
		"/others/": {"get": {"parameters": [{"name": "fields"}], "responses": {}}}},
	"components": {
		"responses": {"Things": {"content": {"application/json": {"schema": {"properties": {
			"data": {"type": "array", "items": {"oneOf": [
				{"$ref": "#/components/schemas/Thing"},
				{"properties": {"other": {}, "user": {"properties": {"age": {}}}}}]}},
			"cursor": {"properties": {"next": {"type": "string"}}}}}}}}},
		"schemas": {"Thing": {"properties": {
			"id": {"type": "integer"}, "user": {"anyOf": [{"properties": {"name": {}, "age": {}}}, {"type": "null"}]},
			"plates": {"type": "array", "items": {"properties": {"id": {}, "sizes": {"properties": {"sm": {}}}}}}}}}}}`

func things(t *testing.T) fields.Tree {
	t.Helper()
	all, err := fields.Of([]byte(document))
	require.NoError(t, err)
	require.Len(t, all, 1)
	return all["/things/"]
}

func TestGEN17_a_response_has_the_fields_that_are_asked_for(t *testing.T) {
	const whole = `{"data": [{"id":1,"user":{"name":"<Ann>","age":7},"plates":[{"id":2,"sizes":{"sm":[1]}},{"id":3,"sizes":null}]},` +
		`{"user":null,"other":"\u00e9"}], "cursor":{"next":null}}`
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"id"}, `[{"id":1},{}]`},
		{[]string{"other", "user.name"}, `[{"user":{"name":"<Ann>"}},{"user":null,"other":"\u00e9"}]`},
		{[]string{"plates.id", "id"}, `[{"id":1,"plates":[{"id":2},{"id":3}]},{}]`},
		{[]string{"plates.sizes.sm"}, `[{"plates":[{"sizes":{"sm":[1]}},{"sizes":null}]},{}]`},
		{[]string{"user", "user.age"}, `[{"user":{"name":"<Ann>","age":7}},{"user":null}]`},
		{[]string{"user.age", "user"}, `[{"user":{"name":"<Ann>","age":7}},{"user":null}]`},
	} {
		part, err := things(t).Select(c.names)
		require.NoError(t, err, c.names)
		var out bytes.Buffer
		require.NoError(t, part.Write(&out, []byte(whole)))
		assert.Equal(t, `{"data":`+c.want+`,"cursor":{"next":null}}`, out.String(), c.names)
	}
	part, err := things(t).Select([]string{"id", "user.name"})
	require.NoError(t, err)
	assert.True(t, part.Has("user"))
	assert.False(t, part.Has("plates"))
	assert.True(t, fields.Tree(nil).Has("plates"), "all")
	assert.Error(t, part.Write(&bytes.Buffer{}, []byte(`{"data":[{"id":`)), "no JSON")
}

func TestGEN17_an_unknown_field_is_refused_with_those_that_exist(t *testing.T) {
	for name, want := range map[string]string{
		"title":         "There is no field “title”. Use some of: id, other, plates, user.",
		"user.title":    "There is no field “user.title”. Use some of: user.age, user.name.",
		"plates.sizes.": "There is no field “plates.sizes.”. Use some of: plates.sizes.sm.",
		"id.x":          "“id” has no fields within it.",
		"user.name.x":   "“user.name” has no fields within it.",
		"data":          "There is no field “data”. Use some of: id, other, plates, user.",
	} {
		_, err := things(t).Select([]string{"id", name})
		assert.Equal(t, []string{want}, fault.FieldsOf(err)["fields"], name)
	}
	_, err := things(t).Select(make([]string, 51))
	assert.Equal(t, []string{"Ensure this field has no more than 50 elements."}, fault.FieldsOf(err)["fields"])
}
