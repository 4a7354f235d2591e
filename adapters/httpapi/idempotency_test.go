package httpapi

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/transport"
	"plaza/domain/idempotency"
)

// A field that was not sent is not one that was sent empty.
func TestGEN13_every_field_is_in_the_fingerprint(t *testing.T) {
	bodies := []string{`{}`}
	for field := range reflect.TypeFor[eventBody]().Fields() {
		for _, value := range valuesOf(field.Type) {
			bodies = append(bodies, fmt.Sprintf(`{%q: %s}`, field.Tag.Get("json"), value))
		}
	}
	assert.Contains(t, bodies, `{"publish": false}`)
	seen := map[[32]byte]string{}
	for _, raw := range bodies {
		var body eventBody
		require.NoError(t, transport.Fill(&body, []byte(raw)))
		k, err := idempotency.NewKey(5, "one", body.content())
		require.NoError(t, err)
		assert.Empty(t, seen[k.Fingerprint], raw)
		seen[k.Fingerprint] = raw
	}
}

// valuesOf returns values of a field in JSON.
func valuesOf(of reflect.Type) []string {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch {
	case of == reflect.TypeFor[day]():
		return []string{`"2026-11-21"`, `"2026-11-22"`}
	case of.Kind() == reflect.Struct: // transport.Nullable
		value, _ := of.FieldByName("Value")
		return valuesOf(value.Type)
	case of.Kind() == reflect.String:
		return []string{`""`, `"x"`}
	case of.Kind() == reflect.Bool:
		return []string{"false", "true"}
	}
	return []string{"0", "1"}
}
