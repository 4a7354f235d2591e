package httpapi

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/reference"
)

// browsers is the Accept header that browsers send for a page.
const browsers = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

// askPages sends a request for a page; header holds names and values in turn.
func askPages(t *testing.T, method, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	config := Config{Version: "v1.2.3", Reference: reference.Server{People: []reference.Person{{Name: "Ada", Username: "+1-2025550100"}}}}
	router, err := newRouter(&api{pages: newPages(config)}, slices.Concat(table, pageTable))
	require.NoError(t, err)
	w := httptest.NewRecorder()
	router.ServeHTTP(w, newRequest(method, path, header...))
	return w
}

func TestReferencePage(t *testing.T) {
	w := askPages(t, "GET", "/docs/")
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Equal(t, "text/html; charset=utf-8", w.Header().Get("Content-Type"))
	assert.Equal(t, reference.Policy, w.Header().Get("Content-Security-Policy"))
	assert.Equal(t, "no-cache", w.Header().Get("Cache-Control"))
	assert.Contains(t, w.Body.String(), `id="op-login"`)
	assert.Contains(t, w.Body.String(), ">Ada<")
	loaded := regexp.MustCompile(`(?:src|href)="([a-z]+\.[a-z]+)"`).FindAllStringSubmatch(w.Body.String(), -1)
	require.Len(t, loaded, 3)
	for _, asset := range append(loaded, []string{"", ""}) {
		w := askPages(t, "GET", "/docs/"+asset[1])
		assert.Equal(t, http.StatusOK, w.Code, asset[1])
		assert.Regexp(t, `^(text/css|text/javascript|text/html); charset=utf-8$|^image/svg\+xml$`, w.Header().Get("Content-Type"))
		assert.Equal(t, http.StatusNotModified, askPages(t, "GET", "/docs/"+asset[1], "If-None-Match", w.Header().Get("ETag")).Code)
	}
	for _, name := range []string{"page.html", "..%2Fhttpapi.go"} {
		assert.Equal(t, http.StatusNotFound, askPages(t, "GET", "/docs/"+name).Code, name)
	}
}

func TestGuidePage(t *testing.T) {
	w := askPages(t, "GET", "/docs/guide/")
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Equal(t, reference.Policy, w.Header().Get("Content-Security-Policy"))
	page := w.Body.String()
	chapters := regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(page, -1)
	require.NotEmpty(t, chapters)
	for _, chapter := range chapters {
		assert.Contains(t, page, `id="`+chapter[1]+`"`)
	}
	text := regexp.MustCompile(`<code>[^<]*</code>`).ReplaceAllString(page, "")
	assert.NotRegexp(t, "`|\\*\\*|\\]\\(", text, "Markdown that the page does not know")
	assert.Contains(t, askPages(t, "GET", "/docs/").Body.String(), `href="guide/"`)
}

func TestHomePage(t *testing.T) {
	w := askPages(t, "GET", "/", "Accept", browsers)
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Equal(t, "text/html; charset=utf-8", w.Header().Get("Content-Type"))
	assert.Equal(t, reference.Policy, w.Header().Get("Content-Security-Policy"))
	assert.Contains(t, w.Body.String(), "v1.2.3")
	assert.Contains(t, w.Body.String(), `href="docs/"`)
	assert.Equal(t, http.StatusOK, askPages(t, "HEAD", "/", "Accept", "TEXT/HTML").Code)
	for _, accept := range []string{"", "application/json, text/plain, */*"} {
		w := askPages(t, "GET", "/", "Accept", accept)
		assert.Equal(t, http.StatusNotFound, w.Code, accept)
		assert.JSONEq(t, `{"error":true,"code":"RESOURCE_NOT_FOUND","data":{"detail":"This path does not exist. The page /docs/ describes all paths."}}`, w.Body.String())
		assert.Equal(t, "Accept", w.Header().Get("Vary"))
	}
}
