package contract

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
)

const (
	app      = "https://app.example"
	stranger = "https://stranger.example"

	askedHeaders = "authorization,content-type,idempotency-key,if-none-match,traceparent,x-language-locale,x-request-id"
)

// preflight asks whether a page of the origin may send the method, as a browser does.
func (s *server) preflight(t *testing.T, origin, method, path string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, s.url+path, nil)
	require.NoError(t, err)
	req.Header.Set("Origin", origin)
	req.Header.Set("Access-Control-Request-Method", method)
	req.Header.Set("Access-Control-Request-Headers", askedHeaders)
	res, err := dialer.Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res
}

// TestGEN_15 shows GEN-15 on a server that lists one origin. A store has no part in it.
func TestGEN_15(t *testing.T) {
	t.Parallel()
	on := stores[0]
	on.fresh = on.open(t)
	s := on.startWith(t, func(c *settings.Config) { c.CORSOrigins = settings.Origins{app} })
	ada := s.member(t)
	image := ada.post(t, images, object{"img": aPNG(t)}).is(201).text("data.img")
	for method, path := range map[string]string{"POST": login, "PATCH": eventPath(1), "PUT": "/api/user/avatar/", "GET": profile} {
		res := s.preflight(t, app, method, path)
		assert.Equal(t, http.StatusNoContent, res.StatusCode, path)
		assert.Equal(t, app, res.Header.Get("Access-Control-Allow-Origin"), path)
		assert.NotEmpty(t, res.Header.Get("Access-Control-Max-Age"), path)
		assert.Contains(t, res.Header.Get("Access-Control-Allow-Methods"), method, path)
		for name := range strings.SplitSeq(askedHeaders, ",") {
			assert.Contains(t, strings.ToLower(res.Header.Get("Access-Control-Allow-Headers")), name, path)
		}
		assert.NotEmpty(t, res.Header.Get("X-Request-ID"), path)

		res = s.preflight(t, stranger, method, path)
		assert.Equal(t, http.StatusMethodNotAllowed, res.StatusCode, path)
		assert.Empty(t, res.Header.Get("Access-Control-Allow-Origin"), path)
	}
	for _, odd := range []string{"null", "*", app + ".", app + "/", app + ":443", app + ".evil.example", "https://evilapp.example",
		"https://evil.example#" + app, app + ", " + stranger} {
		assert.Empty(t, s.preflight(t, odd, http.MethodGet, profile).Header.Get("Access-Control-Allow-Origin"), odd)
		assert.Empty(t, ada.saying("Origin", odd).get(t, profile).header.Get("Access-Control-Allow-Origin"), odd)
	}
	require.Eventually(t, func() bool {
		return strings.Contains(s.log.String(), "status=405") && strings.Contains(s.log.String(), "origin="+stranger)
	},
		time.Minute, time.Millisecond, "the log names the origin that is not listed, after the answer")
	for path, status := range map[string]int{
		profile: 200, events: 200, images + "?uid=1": 200, itemsOf("uncategory"): 200, "/nothing/": 404, "/api/user/profile": 301,
		eventPath(4711): 404, image[len(s.url):]: 200,
	} {
		a := ada.saying("Origin", app).get(t, path).is(status)
		assert.Equal(t, app, a.header.Get("Access-Control-Allow-Origin"), path)
		exposed := strings.ToLower(a.header.Get("Access-Control-Expose-Headers"))
		assert.Equal(t, "x-request-id, x-order-id, retry-after, etag, location", exposed, path)
		assert.Empty(t, a.header.Get("Access-Control-Allow-Credentials"), path)
		for _, other := range []*client{ada.saying("Origin", stranger), ada.client} {
			a := other.get(t, path).is(status)
			assert.Empty(t, a.header.Get("Access-Control-Allow-Origin"), path)
			assert.Contains(t, a.header.Values("Vary"), "Origin", path)
		}
	}
	s.anyone().saying("Origin", app).get(t, profile).fails(401, "NOT_AUTHENTICATED")
	assert.Equal(t, app, s.anyone().saying("Origin", app).get(t, profile).header.Get("Access-Control-Allow-Origin"))
}
