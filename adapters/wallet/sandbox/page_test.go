package sandbox

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox/ledger"
)

// call sends a request without a network.
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
	for _, text := range []string{
		"&lt;script&gt;", "¥9.90", "Not paid; expires", "1 hour from now", "order|1*",
		"<title>(1) Wallet sandbox</title>",
	} {
		assert.Contains(t, page.Body.String(), text)
	}
	assert.NotContains(t, page.Body.String(), "<script>")

	path := strings.TrimPrefix(reply["code_url"], "http://127.0.0.1:8090")
	one := call(s, http.MethodGet, path, "").Body.String()
	for _, text := range []string{
		`<button class="pay">Pay ¥9.90</button>`, "NATIVE", "1 minute ago", `href="https://plaza.example/"`, `href="http://127.0.0.1:8090` + path + `"`, "<svg",
	} {
		assert.Contains(t, one, text)
	}
	assert.Equal(t, ledger.NotPaid, s.Trades()[0].State, "looking pays nothing")
	done := call(s, http.MethodPost, path, "")
	assert.Equal(t, http.StatusSeeOther, done.Code)
	after := call(s, http.MethodGet, done.Header().Get("Location"), "").Body.String()
	assert.NotContains(t, after, `class="pay"`)
	assert.NotContains(t, after, "<svg")
	assert.Contains(t, after, s.Trades()[0].TransactionID)
	again := call(s, http.MethodPost, path, "")
	assert.Equal(t, http.StatusConflict, again.Code)
	assert.Equal(t, 1, strings.Count(again.Body.String(), "already paid"))
	assert.Equal(t, http.StatusNotFound, call(s, http.MethodGet, "/sandbox/pay/nothing", "").Code)
	assert.Equal(t, http.StatusNotFound, call(s, http.MethodPost, "/sandbox/pay/nothing", "").Code)
}

func TestThe_page_tells_how_an_order_is(t *testing.T) {
	clk := newClock()
	s := start(t, config(clk))
	for _, no := range []string{"open-1", "declined-1", "expired-1", "closed-1", "paid-1", "told-1"} {
		placed(t, s, no)
	}
	require.NoError(t, s.Ledger.Decline("declined-1"))
	require.NoError(t, s.Ledger.Expire("expired-1"))
	for _, no := range []string{"paid-1", "told-1"} {
		_, err := s.Pay(no)
		require.NoError(t, err)
	}
	delivered := func(no string, acknowledged bool) {
		_, err := s.Ledger.Delivered(ledger.Subject{Trade: no}, acknowledged)
		require.NoError(t, err)
	}
	delivered("told-1", true)
	clk.add(closeAge)
	require.Equal(t, "SUCCESS", ask(t, s, CloseOrder, about("closed-1"))["result_code"])
	for no, text := range map[string]string{
		"open-1": "Not paid; expires", "declined-1": "Declined; expires", "expired-1": "Expired", "closed-1": "Closed by the merchant",
		"paid-1": "not sent yet; due", "told-1": "acknowledged by the merchant after 1 attempt",
	} {
		assert.Contains(t, call(s, http.MethodGet, "/sandbox/pay/"+no, "").Body.String(), text)
	}
	delivered("paid-1", false)
	assert.Contains(t, call(s, http.MethodGet, "/sandbox/pay/paid-1", "").Body.String(), "not acknowledged after 1 attempt; the next is due")
	for range ledger.Pauses {
		delivered("paid-1", false)
	}
	assert.Contains(t, call(s, http.MethodGet, "/sandbox/pay/paid-1", "").Body.String(), "given up after 16 attempts")
}

func TestThe_page_loads_its_own_files_only(t *testing.T) {
	s := start(t, config(newClock()))
	placed(t, s, "order-1")
	page := call(s, http.MethodGet, "/sandbox/pay/order-1", "")
	policy := page.Header().Get("Content-Security-Policy")
	assert.Contains(t, policy, "default-src 'none'")
	assert.NotContains(t, policy, "unsafe")
	files := regexp.MustCompile(`(?:src|href)="(/sandbox/page/[^"]+)"`).FindAllStringSubmatch(page.Body.String(), -1)
	types := map[string]string{
		"page.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml",
	}
	require.Len(t, files, len(types))
	for _, file := range files {
		got := call(s, http.MethodGet, file[1], "")
		assert.Equal(t, http.StatusOK, got.Code, file[1])
		assert.NotEmpty(t, got.Body.String())
		assert.Equal(t, types[path.Base(file[1])], got.Header().Get("Content-Type"))
	}
	for name, code := range map[string]int{
		"page.html": 404, "nothing": 404, "..%2fpage.html": 400, "..%2fpage.go": 400, "..%2fpage%2fpage.css": 400,
	} {
		assert.Equal(t, code, call(s, http.MethodGet, "/sandbox/page/"+name, "").Code, name)
	}
}

func TestA_page_of_another_origin_presses_no_button(t *testing.T) {
	s := start(t, config(newClock()))
	placed(t, s, "order-1")
	buttons := []string{"/sandbox/refund/refund-1", "/sandbox/pay/order-1", "/sandbox/decline/order-1", "/sandbox/expire/order-1",
		"/sandbox/misbehave", "/sandbox/behave"}
	before := s.Trades()
	for name, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "http://elsewhere.example"} {
		for _, path := range buttons {
			got := pressedFrom(s, name, value, path, url.Values{"on": {"orderquery"}, "do": {"reset"}})
			assert.Equal(t, http.StatusForbidden, got.Code, "%s: %s", name, path)
		}
	}
	got := pressedFrom(s, "Sec-Fetch-Site", "same-site", "/sandbox/pay/order-1", nil) // another port of this machine
	assert.Equal(t, http.StatusForbidden, got.Code)
	assert.Equal(t, before, s.Trades())
	assert.Empty(t, s.tricks.pending())
}
