package httpapi

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/transport"
	"plaza/domain/idempotency"
)

// A retry may reach a newer version of the program than the request that it repeats. A field that was sent empty is not one that was
// not sent.
func TestGEN13_fingerprints_outlive_the_version(t *testing.T) {
	event, empty, comment, subscription := &eventBody{}, &eventBody{}, &commentBody{}, &subscriptionBody{}
	for raw, body := range map[string]any{
		`{"title":"a","content":"b","html_content":"c","event_time":"2026-11-21","view_permission":2,"category":3,"publish":true}`: event,
		`{"title":"","view_permission":0,"publish":false}`:                                                                         empty,
		`{"event":4,"content":"d","reply_to":5}`:                                                                                   comment,
		`{"followed_user":null,"followed_category":6}`:                                                                             subscription,
	} {
		require.NoError(t, transport.Fill(body, []byte(raw)))
	}
	picture := &imageBody{Img: transport.Upload{SpillBuffer: &transport.SpillBuffer{}}, Tags: []string{"x", "y"}}
	for want, r := range map[string]idempotency.Request{
		"2822c8b432e0cdaeca10bda464cd2f35a6069033c65bcc59326e57375ddbc368": transport.ContentOf("event", event),
		"82a906216e270e6a13e48d7ff8461ef664696d113d503a2b943980ea4f33a33d": transport.ContentOf("event", empty),
		"8ac7b18248bae22579e3e393765fa692ab293f1adf90aae30ff022bb38dfb866": transport.ContentOf("comment", comment),
		"8947749d2ac5095b2e85c6fbee164c37f6fcc47e5ce10890984695ea5c69d06f": transport.ContentOf("subscription", subscription),
		"f63b441be686f72f9ca18dc44afd7ce8181fd065931283f9385c86ad7b02df5f": transport.ContentOf("image", picture),
	} {
		k, err := idempotency.NewKey(5, "one", r)
		require.NoError(t, err)
		assert.Equal(t, want, hex.EncodeToString(k.Fingerprint[:]), r.Operation)
	}
}
