// Package browser tests Plaza in Chromium: pages of other origins call the interface, and
// people use the reference page.
package browser

import (
	"context"
	"net/url"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

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
const patience = 30 * time.Second

// startChromium starts Chromium with an empty profile. It finds only this machine, and ends
// with the test.
func startChromium(t *testing.T) (chromium context.Context) {
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
	chromium, end = chromedp.NewContext(ctx)
	t.Cleanup(end)
	t.Cleanup(func() {
		patient, cancel := context.WithTimeout(chromium, patience)
		defer cancel()
		assert.NoError(t, chromedp.Cancel(patient))
	})
	require.NoError(t, chromedp.Do(chromium))
	return chromium
}

// tab is a page in a browser of its own: it shares no storage and no cache with other tabs.
type tab struct {
	context.Context

	mu       sync.Mutex
	requests []string // their URLs
	errors   []string // that the console shows
}

// openTab opens a tab that shows the page. Its end asserts that it asked only this machine.
func openTab(t *testing.T, chromium context.Context, page string) *tab {
	t.Helper()
	tab := &tab{}
	ctx, end := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext(), chromedp.WithListener(tab.note))
	t.Cleanup(end)
	tab.Context = ctx
	require.NoError(t, chromedp.Do(ctx)) // opens it, for as long as ctx lives
	tab.do(t, chromedp.Navigate(page))
	t.Cleanup(func() {
		for _, address := range tab.requested() {
			u, err := url.Parse(address)
			assert.NoError(t, err)
			assert.Contains(t, []string{"127.0.0.1", "localhost", ""}, u.Hostname(), address)
		}
	})
	return tab
}

// note keeps what the tests ask for.
func (tab *tab) note(event any) {
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

// requested returns the URLs that the tab has asked for.
func (tab *tab) requested() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return slices.Clone(tab.requests)
}

// consoleErrors returns the errors and warnings in the console.
func (tab *tab) consoleErrors() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return slices.Clone(tab.errors)
}

// forgive forgets the errors in the console that a test expects.
func (tab *tab) forgive(isExpected func(string) bool) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.errors = slices.DeleteFunc(tab.errors, isExpected)
}

// do runs the actions.
func (tab *tab) do(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	get(t, tab, chromedp.Steps(actions...))
}

// get runs the action and returns its value.
func get[T any](t *testing.T, tab *tab, action chromedp.Action[T]) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(tab, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, action)
	require.NoError(t, err)
	return value
}

// evaluate returns the value of the script. It waits for a promise.
func evaluate[T any](t *testing.T, tab *tab, script string) T {
	t.Helper()
	return get(t, tab, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
}
