package httpapi

import (
	"encoding/hex"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/transport"
	"plaza/domain/idempotency"
)

// uploaded returns an uploaded file.
func uploaded(t *testing.T, content string) transport.Upload {
	t.Helper()
	u := transport.Upload{SpillBuffer: transport.NewPicture()}
	_, err := u.Write([]byte(content))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, u.Close()) })
	return u
}

// A fingerprint outlives the program that stored it: a change of its value refuses every
// retry across an upgrade.
func TestGEN13_fingerprints_stay_the_same(t *testing.T) {
	filled := func(body any, raw string) {
		t.Helper()
		require.NoError(t, transport.Fill(body, []byte(raw)))
	}
	var written eventBody
	filled(&written, `{"title": "A lake", "content": "Mist", "html_content": "<p>Mist</p>", "event_time": "2026-11-21",
		"view_permission": 100, "category": 31, "publish": true}`)
	var empty eventBody
	filled(&empty, `{"category": null}`)
	var comment commentBody
	filled(&comment, `{"event": "4711", "content": "I can hear the oars."}`)
	var toUser, toCategory subscriptionBody
	filled(&toUser, `{"followed_user": 7, "followed_category": null}`)
	filled(&toCategory, `{"followed_category": 7}`)
	plate, image := plateBody{Event: comment.Event, Photo: uploaded(t, "a picture")},
		imageBody{Img: uploaded(t, "a picture"), Tags: []string{"lake", "dawn"}}
	for want, content := range map[string]func() idempotency.Request{
		"5dcf0a3c96cb32ea50ea5b8704702bb67cfd1b4d03ba34d1a64a69718d40716c": written.content,
		"8ffd3fbe1138391cf59e9217e159149f7501d115069bd3904edfa84517dfc7c9": empty.content,
		"ca68f0dfe7bacd78ee06cb3ae61bbe976e999485eac1e05f8f1ddd68849d9573": comment.content,
		"98f95cbd2821dffcbf08c5d8435b83472e59f962b094c83e7377b89ba67160d9": toUser.content,
		"841566b2cf1eae7598754821cfccb01fcabfbbc802239fef5e146e480f631633": toCategory.content,
		"51d9d09827c564f7bb2daa533ed6a4b8d14399980f1f953be0a0a7a2021e0363": plate.content,
		"7e9b79bb0db272c1e9ce95cd1092bd6880c458a1ca83803a015ce37a0be5cd80": image.content,
	} {
		k, err := idempotency.NewKey(5, "one", content())
		require.NoError(t, err)
		assert.Equal(t, want, hex.EncodeToString(k.Fingerprint[:]))
	}
}

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
