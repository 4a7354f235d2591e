package httpapi

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// crossOrigin sends a request from a page of the origin to a server that lists the origins.
func crossOrigin(t *testing.T, origins, origin string, change func(*http.Request)) *httptest.ResponseRecorder {
	t.Helper()
	router, err := newRouter(&api{}, table)
	require.NoError(t, err)
	r := httptest.NewRequest(http.MethodOptions, "/api/xfile/event/", nil)
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	r.Header.Set("Access-Control-Request-Method", http.MethodPost)
	r.Header.Set("Access-Control-Request-Headers", "authorization,content-type,idempotency-key")
	change(r)
	w := httptest.NewRecorder()
	withCORS(router, strings.Fields(origins)).ServeHTTP(w, r)
	return w
}

func corsHeaders(h http.Header) (names []string) {
	for name := range h {
		if strings.HasPrefix(name, "Access-Control-") {
			names = append(names, name)
		}
	}
	return names
}

func TestGEN_15_a_preflight_of_a_listed_origin_is_answered_before_authentication(t *testing.T) {
	for _, origins := range []string{"https://app.example https://m.example", "*"} {
		w := crossOrigin(t, origins, "https://app.example", func(*http.Request) {})
		assert.Equal(t, http.StatusNoContent, w.Code)
		want := "https://app.example"
		if origins == "*" {
			want = "*"
		}
		assert.Equal(t, want, w.Header().Get("Access-Control-Allow-Origin"))
		assert.Equal(t, http.MethodPost, w.Header().Get("Access-Control-Allow-Methods"))
		assert.Equal(t, "authorization,content-type,idempotency-key", w.Header().Get("Access-Control-Allow-Headers"))
		assert.Equal(t, "7200", w.Header().Get("Access-Control-Max-Age"))
		assert.Empty(t, w.Header().Get("Access-Control-Allow-Credentials"))
	}
}

func TestGEN_15_methods_and_headers_of_a_preflight(t *testing.T) {
	for name, isAllowed := range map[string]bool{
		"authorization": true, "content-type": true, "if-none-match": true, "idempotency-key": true, "x-request-id": true,
		"x-language-locale": true, "traceparent": true, "x-forwarded-for": false,
	} {
		w := crossOrigin(t, "https://app.example", "https://app.example", func(r *http.Request) {
			r.Header.Set("Access-Control-Request-Headers", name)
		})
		assert.Equal(t, isAllowed, w.Header().Get("Access-Control-Allow-Origin") != "", name)
	}
	for method, isAllowed := range map[string]bool{
		"GET": true, "HEAD": true, "POST": true, "PUT": true, "PATCH": true, "DELETE": true, "TRACE": false,
	} {
		w := crossOrigin(t, "*", "https://app.example", func(r *http.Request) {
			r.Header.Set("Access-Control-Request-Method", method)
		})
		assert.Equal(t, isAllowed, w.Header().Get("Access-Control-Allow-Origin") != "", method)
	}
}
