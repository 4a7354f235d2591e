package httpapi

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
)

// logged serves one request with the whole interface and returns the fields of its line.
func logged(t *testing.T, r *http.Request, rows ...route) map[string]any {
	t.Helper()
	var log bytes.Buffer
	router, err := newRouter(&api{}, rows)
	require.NoError(t, err)
	c := Config{Log: slog.New(slog.NewJSONHandler(&log, nil)), TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	newMiddleware(limitRequests(router, 1, nil), c).ServeHTTP(httptest.NewRecorder(), r)
	var line map[string]any
	require.NoError(t, json.Unmarshal(log.Bytes(), &line), "one line: %s", log.String())
	for _, name := range []string{"time", "level", "msg", "request_id"} {
		assert.Contains(t, line, name)
		delete(line, name)
	}
	assert.IsType(t, 0.0, line["duration_ms"])
	delete(line, "duration_ms")
	return line
}

func TestGEN10_the_line_of_a_request(t *testing.T) {
	found := row(http.MethodGet, "/things/{id}/", OptionalAuth, func(_ *api, c *call) (reply, error) {
		requestLogOf(c.ctx()).user = 7 // as after authentication
		return data(c.name()), nil
	})
	missing := row(http.MethodPost, "/things/", OptionalAuth, func(*api, *call) (reply, error) { return reply{}, errNotFound })
	r := httptest.NewRequest(http.MethodGet, "/things/4711/", nil)
	r.RemoteAddr = "10.0.0.1:99"
	r.Header.Set("X-Forwarded-For", "192.0.2.7")
	assert.Equal(t, map[string]any{"method": "GET", "route": "/things/:id/", "status": 200.0, "bytes": 16.0, "client": "192.0.2.7", "user": 7.0},
		logged(t, r, found))
	r = httptest.NewRequest(http.MethodPost, "/things/", nil)
	r.RemoteAddr = "[2001:db8::1]:99"
	line := logged(t, r, missing)
	delete(line, "bytes")
	assert.Equal(t, map[string]any{"method": "POST", "route": "/things/", "status": 404.0, "client": "2001:db8::1", "code": "RESOURCE_NOT_FOUND"}, line)
	line = logged(t, httptest.NewRequest(http.MethodPut, "/things/", nil), missing)
	assert.Equal(t, "METHOD_NOT_ALLOWED", line["code"])
	line = logged(t, httptest.NewRequest(http.MethodPut, "/nowhere/secret/", nil), missing)
	assert.Equal(t, "none", line["route"])
	assert.Equal(t, "RESOURCE_NOT_FOUND", line["code"])
}

func TestAUT14_every_call_of_the_back_office_is_one_audit_line(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"done":    {nil, ` msg=audit request_id=\S+ by=account user=7 client=192\.0\.2\.1 act="POST /back-office/{id}/" id=4711 order=12` + "\n"},
		"refused": {access.ErrNoAccount, ` order=12 code=RESOURCE_NOT_FOUND` + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			r := row(http.MethodPost, "/back-office/{id}/", Staff, func(_ *api, call *call) (reply, error) {
				call.audited = []any{"order", 12}
				return noContent(), c.err
			})
			assert.Regexp(t, c.want, audited(t, r, &log))
			assert.Equal(t, 1, bytes.Count(log.Bytes(), []byte("msg=audit")))
		})
	}
}

// audited calls the route as a member of the staff and returns the log.
func audited(t *testing.T, r route, log *bytes.Buffer) string {
	t.Helper()
	staff := r
	staff.Policy = NoAuth
	staff.handle = func(a *api, c *call) (reply, error) {
		c.actor = access.Actor{ID: 7, Scopes: []access.Scope{access.BackOffice}}
		return a.admitted(r, c)
	}
	router, err := newRouter(&api{}, []route{staff})
	require.NoError(t, err)
	req := httptest.NewRequest(http.MethodPost, "/back-office/4711/", nil)
	req.RemoteAddr = "192.0.2.1:5"
	newMiddleware(router, Config{Log: slog.New(slog.NewTextHandler(log, nil))}).ServeHTTP(httptest.NewRecorder(), req)
	return log.String()
}
