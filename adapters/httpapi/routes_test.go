package httpapi

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEvery_route_has_a_policy_and_one_variable_at_most(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Routes() {
		name := r.Method + " " + r.Path
		assert.NotEqual(t, Policy{}, r.Policy, name)
		assert.LessOrEqual(t, strings.Count(r.pattern(), ":")+strings.Count(r.pattern(), "*"), 1, name)
		assert.False(t, seen[name], name)
		seen[name] = true
	}
	var unlimited []string
	for _, r := range table {
		if r.isUnlimited {
			unlimited = append(unlimited, r.Path)
		}
	}
	assert.Equal(t, []string{
		"/api/pay/notify/wallet/", "/api/pay/notify/wallet/refund/", "/api/pay/notify/wallet/v3/", "/media/portrait/{name}",
		"/media/public/{key...}", "/media/private/{key...}",
	}, unlimited, "GEN-14: the limit of an address counts for all others")
	_, err := newRouter(&api{}, table)
	assert.NoError(t, err)
}

func TestA_route_without_a_policy_is_refused(t *testing.T) {
	_, err := newRouter(&api{}, []route{row(http.MethodGet, "/open/", Policy{}, (*api).document)})
	assert.ErrorContains(t, err, "GET /open/ has no policy")
}

func TestA_missing_use_case_is_refused(t *testing.T) {
	_, err := New(Config{}, UseCases{})
	assert.ErrorContains(t, err, "lack Signin")
}

func TestGEN_09_what_the_router_answers_itself(t *testing.T) {
	router, err := newRouter(&api{}, table)
	require.NoError(t, err)
	server := newMiddleware(router, Config{Log: discarded})
	for _, c := range []struct {
		method, path string
		status       int
		header, want string
	}{
		{"GET", "/nowhere/", 404, "Content-Type", "application/json"},
		{"HEAD", "/nowhere/", 404, "Content-Type", "application/json"},
		{"POST", "/api/user/profile/", 405, "Allow", "GET, HEAD"},
		{"GET", "/api/xfile/event?page=2", 301, "Location", "/api/xfile/event/?page=2"},
		{"HEAD", "/api/xfile/event?page=2", 301, "Location", "/api/xfile/event/?page=2"},
		{"POST", "/api/auth/login", 307, "Location", "/api/auth/login/"},
		{"HEAD", "/api/user/profile/", 401, "WWW-Authenticate", "Token"},
		{"DELETE", "/api/xfile/event/%2F/", 401, "WWW-Authenticate", "Token"},
		{"PUT", "/api/activity/like/%20/", 401, "WWW-Authenticate", "Token"},
		{"POST", "/api/xfile/event/new-comment-event/", 405, "Allow", "GET, HEAD, PATCH, DELETE"},
		{"POST", "/api/feed/items//", 404, "Allow", ""},
		{"DELETE", "/media/public/", 404, "Allow", ""},
		{"DELETE", "/media/public/a/b", 405, "Allow", "GET, HEAD"},
		{"get", "/api/auth/login/", 405, "Allow", "POST"},
		{"GET", "/api/openapi.json", 200, "Content-Type", "application/json"},
	} {
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		assert.Equal(t, c.status, w.Code, "%s %s", c.method, c.path)
		assert.Equal(t, c.want, w.Header().Get(c.header), "%s %s", c.method, c.path)
		if c.status >= 400 {
			var e envelope
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &e), w.Body.String())
			assert.True(t, e.Error)
		}
	}
}
