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

// call returns the script that calls the function.
func call(function string, arguments ...any) string {
	var all []string
	for _, argument := range arguments {
		text, _ := json.Marshal(argument)
		all = append(all, string(text))
	}
	return function + "(" + strings.Join(all, ", ") + ")"
}

// yuan is uid 1 of the demo data.
const yuan = "+86-13800000001"

// TestChromium shows GEN-15, the page at /docs/ and the example of the guide on one server, and the pages of the wallet sandbox and
// for staff, all in one Chromium: loading the demo data and starting a browser take most of the time.
func TestChromium(t *testing.T) {
	browser := chromium.Start(t)
	example := serveExample(t)
	api := serve(t, settings.Origins{example}, func(app *bootstrap.App) {
		require.NoError(t, app.LoadDemo(t.Context(), true))
	})
	t.Run("GEN_15", func(t *testing.T) { isHidden(t, browser, api) })
	t.Run("reference", func(t *testing.T) { showReference(t, browser, api) })
	t.Run("example", func(t *testing.T) { showExample(t, browser, api, example) })
	t.Run("wallet_sandbox", func(t *testing.T) { showSandbox(t, browser) })
	t.Run("back_office", func(t *testing.T) { showBackOffice(t, browser) })
	t.Run("back_office_login", func(t *testing.T) { loginBreaksNoRule(t, browser) })
	t.Run("jobs", func(t *testing.T) { doesJobs(t, browser) })
	t.Run("pictures", func(t *testing.T) { takesPictures(t, browser) })
}

// isHidden shows that the browser hides answers from a page of an origin that is not listed. Pages of a listed one are the example
// here, and in test/e2e that of the TypeScript client, which calls every operation.
func isHidden(t *testing.T, browser context.Context, api string) {
	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!DOCTYPE html><link rel="icon" href="data:,">`)
	}))
	defer empty.Close()
	page := chromium.Open(t, browser, empty.URL)
	for path, options := range map[string]any{
		"/api/feed/categories/": map[string]any{}, "/api/auth/login/": map[string]any{
			"method": "POST", "headers": map[string]any{"Content-Type": "application/json"}, "body": `{"username": "` + yuan + `", "password": "plaza-demo"}`,
		},
	} {
		got := chromium.Evaluate[string](t, page, call("fetch", api+path, options)+`.then(() => 'shown', String)`)
		assert.Equal(t, "TypeError: Failed to fetch", got, path)
	}
	assert.NotEmpty(t, page.ConsoleErrors(), "the console says why")
}
