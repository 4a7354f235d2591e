// Package chromium starts Chromium for tests and drives its tabs.
//
// The browser finds only this machine. A test that needs it runs with `make soak` alone.
package chromium

import (
	"context"
	"net/url"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// program names Chromium's program.
const program = "PLAZA_TEST_CHROMIUM"

// patience bounds everything that a test does in the browser.
const patience = 2 * time.Minute

// Start starts Chromium with an empty profile, and returns the context for Open. The browser ends
// with the test. Start skips short tests, and tests without PLAZA_TEST_CHROMIUM.
func Start(t *testing.T) (browser context.Context) {
	t.Helper()
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	path := os.Getenv(program)
	if path == "" {
		t.Skip(program + " is not set: `apt-get install chromium`, and set it to /usr/bin/chromium")
	}
	profile := t.TempDir()
	ctx, end := chromedp.NewExecAllocator(context.Background(), chromedp.ExecPath(path), chromedp.UserDataDir(profile),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.WindowSize(1280, 900),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-breakpad", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"),
		chromedp.NoInheritEnv, chromedp.Env("PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME="+profile))
	t.Cleanup(end)
	browser, end = chromedp.NewContext(ctx)
	t.Cleanup(end)
	t.Cleanup(func() {
		patient, cancel := context.WithTimeout(browser, patience)
		defer cancel()
		assert.NoError(t, chromedp.Cancel(patient))
	})
	require.NoError(t, chromedp.Do(browser))
	return browser
}

// Tab is a page. It shares no storage and no cache with other tabs.
type Tab struct {
	context.Context

	mu       sync.Mutex
	requests []string // their URLs
	errors   []string // that the console shows
}

// Open opens a tab that shows the page until the test ends. The end of the test asserts that the tab sent requests to this machine alone.
func Open(t *testing.T, browser context.Context, page string) *Tab {
	t.Helper()
	tab := &Tab{}
	ctx, end := chromedp.NewContext(browser, chromedp.WithNewBrowserContext(), chromedp.WithListener(tab.note))
	t.Cleanup(end)
	tab.Context = ctx
	require.NoError(t, chromedp.Do(ctx)) // opens it, for as long as ctx lives
	tab.Do(t, chromedp.Navigate(page))
	t.Cleanup(func() {
		for _, address := range tab.Requested() {
			u, err := url.Parse(address)
			assert.NoError(t, err)
			assert.Contains(t, []string{"127.0.0.1", "localhost", ""}, u.Hostname(), address)
		}
	})
	return tab
}

// note keeps requests and errors.
func (tab *Tab) note(event any) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		tab.requests = append(tab.requests, e.Request.URL)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			tab.errors = append(tab.errors, e.Entry.Text+" "+e.Entry.URL)
		}
	case *runtime.EventExceptionThrown:
		what := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			what += ": " + e.ExceptionDetails.Exception.Description
		}
		tab.errors = append(tab.errors, what)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			tab.errors = append(tab.errors, "console."+e.Type.String())
		}
	}
}

// Requested returns the URLs that the tab has asked for.
func (tab *Tab) Requested() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return slices.Clone(tab.requests)
}

// ConsoleErrors returns the errors and warnings in the console.
func (tab *Tab) ConsoleErrors() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return slices.Clone(tab.errors)
}

// Forgive forgets the errors in the console that a test expects.
func (tab *Tab) Forgive(isExpected func(string) bool) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.errors = slices.DeleteFunc(tab.errors, isExpected)
}

// Do runs the actions.
func (tab *Tab) Do(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	Get(t, tab, chromedp.Steps(actions...))
}

// Get runs the action and returns its value.
func Get[T any](t *testing.T, tab *Tab, action chromedp.Action[T]) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(tab, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, action)
	require.NoError(t, err)
	return value
}

// Evaluate returns the value of the script. It waits for a promise.
func Evaluate[T any](t *testing.T, tab *Tab, script string) T {
	t.Helper()
	return Get(t, tab, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
}

// Prefer makes the page believe that its reader prefers the value of the media feature, such as dark of prefers-color-scheme.
func (tab *Tab) Prefer(t *testing.T, feature, value string) {
	t.Helper()
	_, err := chromedp.Call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: feature, Value: value}},
	})
	require.NoError(t, err)
}
