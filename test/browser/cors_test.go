//go:build soak

package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/test/chromium"
)

// answer is what a script of a page gets for a fetch.
type answer struct {
	Status  int
	Headers map[string]string // those that the script can read
	Body    string
	Blocked string // the error, if the browser hides the answer
}

// object is a JSON object.
type object = map[string]any

// pageScript is a page with the functions that the tests call.
const pageScript = `<!DOCTYPE html><link rel="icon" href="data:,"><title>A page of another origin</title><script>
async function ask(url, options) {
	try {
		const got = await fetch(url, options)
		return {Status: got.status, Headers: Object.fromEntries(got.headers), Body: await got.text()}
	} catch (error) {
		return {Blocked: String(error)}
	}
}
</script>`

// servePage serves an empty page with pageScript and returns its origin twice, as 127.0.0.1 and as localhost, which are two origins.
func servePage(t *testing.T) (asAddress, asName string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, pageScript)
	}))
	t.Cleanup(server.Close)
	return server.URL, strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
}

// caller is a page that calls a server.
type caller struct {
	*chromium.Tab
	api string
	key string
}

// ask lets the page send a request with fetch.
func (c *caller) ask(t *testing.T, method, path string, header object, body any) answer {
	t.Helper()
	options := object{"method": method, "headers": object{}}
	if c.key != "" {
		options["headers"] = object{"Authorization": "Token " + c.key}
	}
	for name, value := range header {
		options["headers"].(object)[name] = value
	}
	if body != nil {
		options["headers"].(object)["Content-Type"] = "application/json"
		options["body"] = string(encode(t, body))
	}
	return chromium.Evaluate[answer](t, c.Tab, call("ask", c.api+path, options))
}

// call returns the script that calls the function.
func call(function string, arguments ...any) string {
	var all []string
	for _, argument := range arguments {
		text, _ := json.Marshal(argument)
		all = append(all, string(text))
	}
	return function + "(" + strings.Join(all, ", ") + ")"
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return text
}

// fails asserts that the page can read the error and its request id.
func (a answer) fails(t *testing.T, status int, code string) {
	t.Helper()
	var body struct {
		Error bool
		Code  string
	}
	require.Equal(t, status, a.Status, "%+v", a)
	require.NoError(t, json.Unmarshal([]byte(a.Body), &body), "%+v", a)
	assert.True(t, body.Error)
	assert.Equal(t, code, body.Code)
	assert.NotEmpty(t, a.Headers["x-request-id"])
}

func (a answer) is(t *testing.T, status int, into any) {
	t.Helper()
	require.Equal(t, status, a.Status, "%+v", a)
	require.NoError(t, json.Unmarshal([]byte(a.Body), into), "%+v", a)
}

const (
	login   = "/api/auth/login/"
	profile = "/api/user/profile/"
	events  = "/api/xfile/event/"
	images  = "/api/user/user-image/"
	yuan    = "+86-13800000001" // uid 1 of the demo data
)

// login logs the person of the demo data in.
func (c *caller) login(t *testing.T) {
	t.Helper()
	var body struct{ Data struct{ Key string } }
	c.ask(t, "POST", login, nil, object{"username": yuan, "password": "plaza-demo"}).is(t, 200, &body)
	c.key = body.Data.Key
}

// TestChromium shows GEN-15, the page at /docs/ and the example of the guide on one server, and the pages of the wallet sandbox and
// for staff, all in one Chromium: loading the demo data and starting a browser take most of the time.
func TestChromium(t *testing.T) {
	browser := chromium.Start(t)
	listed, unlisted := servePage(t)
	example := serveExample(t)
	api := serve(t, settings.Origins{listed, example}, func(app *bootstrap.App) {
		require.NoError(t, app.LoadDemo(t.Context(), true))
	})
	t.Run("GEN_15", func(t *testing.T) { showCORS(t, browser, api, listed, unlisted) })
	t.Run("reference", func(t *testing.T) { showReference(t, browser, api) })
	t.Run("example", func(t *testing.T) { showExample(t, browser, api, example) })
	t.Run("wallet_sandbox", func(t *testing.T) { showSandbox(t, browser) })
	t.Run("back_office", func(t *testing.T) { showBackOffice(t, browser) })
	t.Run("back_office_login", func(t *testing.T) { loginBreaksNoRule(t, browser) })
	t.Run("jobs", func(t *testing.T) { doesJobs(t, browser) })
	t.Run("pictures", func(t *testing.T) { takesPictures(t, browser) })
}

// showCORS lets pages of a listed and of an unlisted origin call the server.
func showCORS(t *testing.T, browser context.Context, api, listed, unlisted string) {
	t.Run("listed_origin", func(t *testing.T) {
		page := &caller{Tab: chromium.Open(t, browser, listed), api: api}
		page.login(t)
		readsAnswers(t, page)
		readsErrors(t, page)
	})
	t.Run("unlisted_origin", func(t *testing.T) {
		page := &caller{Tab: chromium.Open(t, browser, unlisted), api: api}
		isHidden(t, page)
	})
}

// readsAnswers shows requests with a token, and headers of answers.
func readsAnswers(t *testing.T, page *caller) {
	var person struct{ Data struct{ UID int } }
	a := page.ask(t, "GET", profile, object{"X-Request-ID": "from-the-page"}, nil)
	a.is(t, 200, &person)
	assert.Equal(t, 1, person.Data.UID)
	assert.Equal(t, "from-the-page", a.Headers["x-request-id"])

	var written struct{ Data struct{ ID int } }
	a = page.ask(t, "POST", events, object{"Idempotency-Key": "8d0b8a52"}, object{"title": "A walk"})
	a.is(t, 201, &written)
	path := fmt.Sprintf("%s%d/", events, written.Data.ID)
	assert.Equal(t, path, a.Headers["location"])
	page.ask(t, "PATCH", path, nil, object{"title": "A long walk"}).is(t, 200, &object{})
	assert.Equal(t, 204, page.ask(t, "DELETE", path, nil, nil).Status)

	a = page.ask(t, "GET", images+"?uid=1", nil, nil)
	a.is(t, 200, &object{})
	require.NotEmpty(t, a.Headers["etag"])
	again := page.ask(t, "GET", images+"?uid=1", object{"If-None-Match": a.Headers["etag"]}, nil)
	assert.Equal(t, 304, again.Status)
	assert.Equal(t, a.Headers["etag"], again.Headers["etag"])
}

// readsErrors shows errors with the headers that a page must understand.
func readsErrors(t *testing.T, page *caller) {
	page.ask(t, "POST", events, nil, object{"title": nil}).fails(t, 400, "VALIDATION_EXCEPTION")
	(&caller{Tab: page.Tab, api: page.api}).ask(t, "GET", profile, nil, nil).fails(t, 401, "NOT_AUTHENTICATED")
	a := page.ask(t, "POST", "/api/pay/order/pay/", nil, object{"pay_method": 200, "end_type": 0})
	a.fails(t, 503, "SERVICE_UNAVAILABLE") // no wallet is configured
	assert.NotEmpty(t, a.Headers["x-order-id"])
}

// isHidden shows that the browser hides answers from a page of an origin that is not listed.
func isHidden(t *testing.T, page *caller) {
	const hidden = "TypeError: Failed to fetch"
	assert.Equal(t, hidden, page.ask(t, "GET", "/api/feed/categories/", nil, nil).Blocked)
	assert.Equal(t, hidden, page.ask(t, "POST", login, nil, object{"username": yuan, "password": "plaza-demo"}).Blocked)
	assert.NotEmpty(t, page.ConsoleErrors(), "the console says why")
}
