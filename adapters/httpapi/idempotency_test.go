package httpapi

import (
	"encoding/hex"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/transport"
	"plaza/domain/calendar"
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
		k, err := idempotency.NewKey(5, "one", transport.ContentOf("event", &body))
		require.NoError(t, err)
		assert.Empty(t, seen[k.Fingerprint], raw)
		seen[k.Fingerprint] = raw
	}
}

// A retry may reach a newer version of the program than the request that it repeats.
func TestGEN13_fingerprints_outlive_the_version(t *testing.T) {
	event, comment, subscription := &eventBody{}, &commentBody{}, &subscriptionBody{}
	for raw, body := range map[string]any{
		`{"title":"a","content":"b","html_content":"c","event_time":"2026-11-21","view_permission":2,"category":3,"publish":true}`: event,
		`{"event":4,"content":"d","reply_to":5}`:       comment,
		`{"followed_user":null,"followed_category":6}`: subscription,
	} {
		require.NoError(t, transport.Fill(body, []byte(raw)))
	}
	picture := &imageBody{Img: transport.Upload{SpillBuffer: &transport.SpillBuffer{}}, Tags: []string{"x", "y"}}
	for want, r := range map[string]idempotency.Request{
		"2822c8b432e0cdaeca10bda464cd2f35a6069033c65bcc59326e57375ddbc368": transport.ContentOf("event", event),
		"8ac7b18248bae22579e3e393765fa692ab293f1adf90aae30ff022bb38dfb866": transport.ContentOf("comment", comment),
		"8947749d2ac5095b2e85c6fbee164c37f6fcc47e5ce10890984695ea5c69d06f": transport.ContentOf("subscription", subscription),
		"f63b441be686f72f9ca18dc44afd7ce8181fd065931283f9385c86ad7b02df5f": transport.ContentOf("image", picture),
	} {
		k, err := idempotency.NewKey(5, "one", r)
		require.NoError(t, err)
		assert.Equal(t, want, hex.EncodeToString(k.Fingerprint[:]), r.Operation)
	}
}

// valuesOf returns values of a field in JSON.
func valuesOf(of reflect.Type) []string {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	switch {
	case of == reflect.TypeFor[calendar.Date]():
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
