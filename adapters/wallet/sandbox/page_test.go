package sandbox

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func call(s *Server, method, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	return w
}

func TestThe_page_shows_orders_and_pays_one(t *testing.T) {
	clk := newClock()
	s := start(t, config(clk))
	assert.Contains(t, call(s, http.MethodGet, "/", "").Body.String(), "No orders so far.")
	reply := ask(t, s, UnifiedOrder, with(order("order|1*"), fields{"body": "<script>alert(1)</script>"}))
	clk.add(90 * time.Second)
	page := call(s, http.MethodGet, "/", "")
	assert.Equal(t, http.StatusOK, page.Code)
	for _, text := range []string{"&lt;script&gt;", "¥9.90", "1m30s", "not paid", "NATIVE"} {
		assert.Contains(t, page.Body.String(), text)
	}
	assert.NotContains(t, page.Body.String(), "<script>")

	path := strings.TrimPrefix(reply["code_url"], "http://127.0.0.1:8090")
	assert.Contains(t, call(s, http.MethodGet, path, "").Body.String(), "<button>Pay ¥9.90</button>")
	assert.Equal(t, NotPaid, s.Ledger()[0].State, "looking pays nothing")
	done := call(s, http.MethodPost, path, "")
	assert.Equal(t, http.StatusSeeOther, done.Code)
	after := call(s, http.MethodGet, done.Header().Get("Location"), "")
	assert.NotContains(t, after.Body.String(), "<button>")
	assert.Equal(t, http.StatusConflict, call(s, http.MethodPost, path, "").Code)
	assert.Equal(t, http.StatusNotFound, call(s, http.MethodGet, "/sandbox/pay/nothing", "").Code)
	assert.Equal(t, http.StatusNotFound, call(s, http.MethodPost, "/sandbox/pay/nothing", "").Code)
}

func TestThe_page_of_somebody_else_pays_nothing(t *testing.T) {
	s := start(t, config(newClock()))
	placed(t, s, "order-1")
	r := httptest.NewRequest(http.MethodPost, "/sandbox/pay/order-1", nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	assert.Equal(t, http.StatusForbidden, w.Code)
	assert.Equal(t, NotPaid, s.Ledger()[0].State)
}

func TestThe_page_is_bounded(t *testing.T) {
	s := start(t, config(newClock()))
	for i := range maxShown + 3 {
		placed(t, s, fmt.Sprintf("order-%03d", i))
	}
	page := call(s, http.MethodGet, "/", "").Body.String()
	assert.Equal(t, maxShown, strings.Count(page, "<article>"))
	assert.Contains(t, page, "older ones are not shown")
}

func TestThe_ledger_and_misbehaviour_over_HTTP(t *testing.T) {
	s := start(t, config(newClock()))
	paid(t, s, "order-1")
	var ledger []Trade
	require.NoError(t, json.Unmarshal(call(s, http.MethodGet, "/sandbox/ledger", "").Body.Bytes(), &ledger))
	assert.Equal(t, s.Ledger(), ledger)

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
