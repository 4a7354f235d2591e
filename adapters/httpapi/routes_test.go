package httpapi

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/openapi"
	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/user"
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

func TestThe_table_equals_the_document(t *testing.T) {
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	require.NoError(t, json.Unmarshal(openapi.JSON(), &document))
	var described, routed []string
	for path, operations := range document.Paths {
		for method := range operations {
			if method != "parameters" {
				described = append(described, strings.ToUpper(method)+" "+path)
			}
		}
	}
	for _, r := range Routes() {
		routed = append(routed, r.Method+" "+strings.Replace(r.Path, "...}", "}", 1))
	}
	assert.ElementsMatch(t, described, routed)
}

func TestAUT_06_policies(t *testing.T) {
	anonymous := access.Actor{}
	plain := access.Actor{ID: user.ID(1)}
	scoped := access.Actor{ID: 2, Scopes: []access.Scope{access.XfileEvent}}
	staff := access.Actor{ID: 3, Scopes: []access.Scope{access.BackOffice}}
	narrowed := access.Actor{ID: 4, Narrowed: true}
	all := []access.Actor{anonymous, plain, scoped, staff, narrowed}
	const no = fault.Denied
	for policy, verdicts := range map[Policy][]fault.Kind{
		NoAuth:                      {-1, -1, -1, -1, -1},
		OptionalAuth:                {-1, -1, -1, -1, -1},
		Authenticated:               {fault.Unauthenticated, -1, -1, -1, -1},
		Unnarrowed:                  {fault.Unauthenticated, -1, -1, -1, no},
		Staff:                       {fault.Unauthenticated, no, no, -1, no},
		Scope(access.XfileEvent):    {fault.Unauthenticated, no, -1, no, no},
		Scope(access.WritingBundle): {fault.Unauthenticated, no, no, no, no},
	} {
		for i, actor := range all {
			err := policy.admit(actor)
			if verdicts[i] < 0 {
				assert.NoError(t, err, "%s, actor %d", policy, actor.ID)
				continue
			}
			assert.True(t, fault.Is(err, verdicts[i]), "%s, actor %d: %v", policy, actor.ID, err)
		}
	}
	assert.ErrorContains(t, Scope(access.XfileEvent).admit(plain), "xfile_event")
	assert.Equal(t, "scope xfile_event", Scope(access.XfileEvent).String())
	assert.Equal(t, "optionalAuth", OptionalAuth.String())
}

func TestAUT_05_the_header(t *testing.T) {
	for header, want := range map[string]string{
		"": "", "Basic abc": "", "abc": "", "Tokens abc": "", "Bearers abc": "",
		"Token abc": "abc", "token abc": "abc", " TOKEN   abc ": "abc", "Bearer abc": "abc", " bEARER\tabc": "abc",
	} {
		key, err := presentedKey(header)
		assert.NoError(t, err, header)
		assert.Equal(t, want, key.Reveal(), header)
	}
	for _, header := range []string{"Token", "token ", "Token a b", "Bearer", "bearer a b"} {
		_, err := presentedKey(header)
		assert.Equal(t, access.ErrBadKey, err, header)
	}
}

func TestGEN_09_what_the_router_answers_itself(t *testing.T) {
	router, err := newRouter(&api{}, table)
	require.NoError(t, err)
	for _, c := range []struct {
		method, path string
		status       int
		header, want string
	}{
		{"GET", "/nowhere/", 404, "Content-Type", "application/json"},
		{"HEAD", "/nowhere/", 404, "Content-Type", "application/json"},
		{"POST", "/api/user/profile/", 405, "Allow", "GET, HEAD"},
		{"PUT", "/api/auth/login/", 405, "Allow", "POST"},
		{"GET", "/api/user/profile", 301, "Location", "/api/user/profile/"},
		{"GET", "/api/xfile/event?page=2", 301, "Location", "/api/xfile/event/?page=2"},
		{"POST", "/api/auth/login", 307, "Location", "/api/auth/login/"},
		{"PATCH", "/api/xfile/event/5", 307, "Location", "/api/xfile/event/5/"},
		{"GET", "/api/user/profile/", 401, "WWW-Authenticate", "Token"},
		{"HEAD", "/api/user/profile/", 401, "WWW-Authenticate", "Token"},
		{"GET", "/api/xfile/event/new-comment-event/", 401, "WWW-Authenticate", "Token"},
		{"DELETE", "/api/xfile/event/%2F/", 401, "WWW-Authenticate", "Token"},
		{"PUT", "/api/activity/like/%20/", 401, "WWW-Authenticate", "Token"},
		{"POST", "/api/xfile/event/new-comment-event/", 405, "Allow", "GET, HEAD, PATCH, DELETE"},
		{"POST", "/api/feed/items//", 404, "Allow", ""},
		{"DELETE", "/media/public/", 404, "Allow", ""},
		{"DELETE", "/media/public/a/b", 405, "Allow", "GET, HEAD"},
		{"get", "/api/auth/login/", 405, "Allow", "POST"},
		{"GET", "/api/openapi.json", 200, "Content-Type", "application/json"},
		{"HEAD", "/api/openapi.json", 200, "Content-Type", "application/json"},
	} {
		w := httptest.NewRecorder()
		router.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		assert.Equal(t, c.status, w.Code, "%s %s", c.method, c.path)
		assert.Equal(t, c.want, w.Header().Get(c.header), "%s %s", c.method, c.path)
		if c.status >= 400 {
			var e envelope
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &e), w.Body.String())
			assert.True(t, e.Error)
		}
	}
}

func TestGEN09_HEADIsRedirectedAsGETIs(t *testing.T) {
	router, err := newRouter(&api{}, table)
	require.NoError(t, err)
	frame := newMiddleware(router, Config{Log: slog.New(slog.DiscardHandler)})
	for method, want := range map[string]int{"GET": 301, "HEAD": 301, "POST": 307} {
		w := httptest.NewRecorder()
		frame.ServeHTTP(w, httptest.NewRequest(method, "/api/xfile/event?page=2", nil))
		assert.Equal(t, want, w.Code, method)
		assert.Equal(t, "/api/xfile/event/?page=2", w.Header().Get("Location"), method)
	}
}
