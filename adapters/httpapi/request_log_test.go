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

	"plaza/adapters/httpapi/transport"
	"plaza/domain/fault"
)

// logged serves one request with the whole interface and returns the fields of its line.
func logged(t *testing.T, r *http.Request, rows ...route) map[string]any {
	t.Helper()
	var log bytes.Buffer
	router, err := newRouter(&api{}, rows)
	require.NoError(t, err)
	c := transport.Config{Log: slog.New(slog.NewJSONHandler(&log, nil)), TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	transport.NewMiddleware(transport.LimitRequests(router, 1), c).ServeHTTP(httptest.NewRecorder(), r)
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
	found := row(http.MethodGet, "/things/{id}/", OptionalAuth, func(_ *api, c *transport.Call) (transport.Reply, error) {
		transport.RequestLogOf(c.Context()).User = 7 // as after authentication
		return transport.Data(c.Name()), nil
	})
	wrong := row(http.MethodPost, "/things/", OptionalAuth, func(*api, *transport.Call) (transport.Reply, error) {
		return transport.Reply{}, fault.Fields{"title": {"“secret” is wrong."}, "content": {"This field is required."}}.Err()
	})
	r := httptest.NewRequest(http.MethodGet, "/things/4711/", nil)
	r.RemoteAddr = "10.0.0.1:99"
	r.Header.Set("X-Forwarded-For", "192.0.2.7")
	assert.Equal(t, map[string]any{"method": "GET", "route": "/things/:id/", "status": 200.0, "bytes": 16.0, "client": "192.0.2.7",
		"user": 7.0},
		logged(t, r, found))
	r = httptest.NewRequest(http.MethodPost, "/things/", nil)
	r.RemoteAddr = "[2001:db8::1]:99"
	line := logged(t, r, wrong)
	assert.Equal(t, []any{"/things/", "2001:db8::1", "VALIDATION_EXCEPTION", "content,title"},
		[]any{line["route"], line["client"], line["code"], line["fields"]})
	for path, code := range map[string]string{"/things/": "METHOD_NOT_ALLOWED", "/nowhere/secret/": "RESOURCE_NOT_FOUND"} {
		line = logged(t, httptest.NewRequest(http.MethodPut, path, nil), wrong)
		assert.Equal(t, []any{"none", code}, []any{line["route"], line["code"]})
	}
}
