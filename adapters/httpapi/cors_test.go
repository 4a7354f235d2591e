package httpapi

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/transport"
)

func corsHeaders(h http.Header) (names []string) {
	for name := range h {
		if strings.HasPrefix(name, "Access-Control-") {
			names = append(names, name)
		}
	}
	return names
}

func TestGEN_15_methods_and_headers_of_a_preflight(t *testing.T) {
	router, err := newRouter(&api{}, table)
	require.NoError(t, err)
	allowed := func(origins, method, headers string) string {
		w := httptest.NewRecorder()
		transport.WithCORS(router, []string{origins}).ServeHTTP(w, newRequest(http.MethodOptions, "/api/xfile/event/",
			"Origin", "https://app.example", "Access-Control-Request-Method", method, "Access-Control-Request-Headers", headers))
		assert.Empty(t, w.Header().Get("Access-Control-Allow-Credentials"))
		return w.Header().Get("Access-Control-Allow-Origin")
	}
	for _, name := range []string{
		"authorization", "content-type", "if-none-match", "idempotency-key", "x-request-id", "x-language-locale", "traceparent",
	} {
		assert.Equal(t, "https://app.example", allowed("https://app.example", "POST", name), name)
	}
	assert.Empty(t, allowed("https://app.example", "POST", "x-forwarded-for"))
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
		assert.Equal(t, "*", allowed("*", method, "authorization"), method)
	}
	assert.Empty(t, allowed("*", "TRACE", "authorization"))
}
