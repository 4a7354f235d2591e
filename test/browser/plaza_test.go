//go:build soak

// Package browser tests Plaza in Chromium: pages of other origins call the interface, and people use the reference page, the
// page of the wallet sandbox and the pages for staff.
package browser

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/argon2id"
	"plaza/adapters/sms/sandbox"
	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/test/chromium"
	"plaza/test/telephones"
)

// messages get the codes of all servers.
var messages = telephones.New(sandbox.New(time.Now))

// serve serves Plaza, prepared as the function does, on a free port until the test ends.
func serve(t *testing.T, origins settings.Origins, prepare func(*bootstrap.App)) (url string) {
	t.Helper()
	return serveConfig(t, settings.Config{CORSOrigins: origins, WalletPoll: time.Minute}, prepare)
}

// serveConfig is like serve, with settings that it completes.
func serveConfig(t *testing.T, config settings.Config, prepare func(*bootstrap.App)) (url string) {
	t.Helper()
	config.Addr, config.AdminAddr, config.DatabaseURL, config.DataDir = "127.0.0.1:0", "127.0.0.1:0", "memory:", t.TempDir()
	config.TokenTTL, config.LogFormat, config.WalletTimeout = time.Hour, "text", time.Second
	config.SecondFactor = cmp.Or(config.SecondFactor, settings.SecondFactorOff)
	config, err := bootstrap.Check(config)
	require.NoError(t, err)
	listeners, err := bootstrap.Listen(config)
	require.NoError(t, err)
	config.PublicURL = listeners.URL()
	app, err := bootstrap.NewApp(t.Context(), config, slog.New(slog.DiscardHandler), bootstrap.Parts{
		Hashing: &argon2id.Cheap, Sender: messages, OffersDemo: true,
	})
	require.NoError(t, err)
	prepare(app)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- bootstrap.Serve(ctx, app, listeners) }()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-done)
		assert.NoError(t, app.Close())
	})
	return listeners.URL()
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
