package sandbox

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestThe_ledger_and_misbehaviour_over_HTTP(t *testing.T) {
	s := start(t, config(newClock()))
	trade := paid(t, s, "order-1")
	var ledger []Trade
	require.NoError(t, json.Unmarshal(call(s, http.MethodGet, "/sandbox/ledger", "").Body.Bytes(), &ledger))
	assert.Equal(t, s.Ledger(), ledger)
	require.Empty(t, refunders[V2].ask(t, s, trade, "refund-1", 40))
	var refunds []Refund
	require.NoError(t, json.Unmarshal(call(s, http.MethodGet, "/sandbox/refunds", "").Body.Bytes(), &refunds))
	assert.Equal(t, s.Refunds(), refunds)

	for body, status := range map[string]int{
		`{"on":"unifiedorder","do":"hold"}`: 204, `{"on":"unifiedorder","do":"hold"} {}`: 400, `{"on":"notify","do":"hold"}`: 400,
		`{"on":"unifiedorder","do":"hold","sometimes":1}`: 400, ``: 400, `[]`: 400,
	} {
		assert.Equal(t, status, call(s, http.MethodPost, "/sandbox/misbehave", body).Code, body)
	}
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		ask(t, s, UnifiedOrder, order("order-2"))
	}()
	assert.JSONEq(t, `{"held":1}`, call(s, http.MethodGet, "/sandbox/held?at_least=1", "").Body.String())
	assert.Equal(t, http.StatusNoContent, call(s, http.MethodPost, "/sandbox/release", "").Code)
	<-answered
	assert.JSONEq(t, `{"held":0}`, call(s, http.MethodGet, "/sandbox/held", "").Body.String())
	assert.Equal(t, http.StatusBadRequest, call(s, http.MethodGet, "/sandbox/held?at_least=x", "").Code)
	for _, path := range []string{"/sandbox/misbehave", "/sandbox/release"} {
		assert.Equal(t, http.StatusMethodNotAllowed, call(s, http.MethodGet, path, "").Code)
	}
}
