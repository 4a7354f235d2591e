//go:build soak

package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/test/chromium"
)

// mostClicks is how many clicks a job of staff may take.
const mostClicks = 5

// worker does a job at the pages for staff in one way, and counts what is clicked.
type worker struct {
	*office
	byKeyboard bool
	clicks     int
}

// doesJobs serves a caller with the mouse, with the keyboard, and without scripts.
func doesJobs(t *testing.T, browser context.Context) {
	for _, way := range []string{"mouse", "keyboard", "without_scripts"} {
		for _, language := range []string{"en", "zh-CN"} {
			t.Run(way+"_"+language, func(t *testing.T) {
				s := startTill(t)
				require.NoError(t, s.app.LoadDemo(t.Context(), true))
				w := &worker{office: &office{till: s, root: s.api + "/back-office/"}, byKeyboard: way == "keyboard"}
				w.page = chromium.Open(t, browser, "about:blank")
				_, err := chromedp.Call(w.page, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{
					Headers: network.Headers{"Accept-Language": json.RawMessage(`"` + language + `"`)},
				})
				require.NoError(t, err)
				_, err = chromedp.Call(w.page, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{
					Value: way == "without_scripts",
				})
				require.NoError(t, err)
				w.logsIn(t)
				w.servesCaller(t)
			})
		}
	}
}

// logsIn logs Nora in.
func (o *office) logsIn(t *testing.T) {
	t.Helper()
	o.goes(t, "")
	fill(t, o.page, "username", staffPhone)
	fill(t, o.page, "password", "plaza-demo")
	press(t, o.page, "button.main")
	o.page.Do(t, chromedp.WaitVisible(chromedp.CSS(".tiles")))
}

// chooses clicks the element, or goes to it with Tab and presses Enter, and waits for the next page.
func (w *worker) chooses(t *testing.T, selector string) {
	t.Helper()
	w.clicks++
	const isLoaded = `document.readyState === 'complete'` // what loads later moves what is to be clicked
	for !chromium.Evaluate[bool](t, w.page, isLoaded) {
		require.NoError(t, w.page.Err())
	}
	if !w.byKeyboard {
		press(t, w.page, selector)
		return
	}
	script := fmt.Sprintf(`document.activeElement === document.querySelector(%q)`, selector)
	for range 200 {
		if chromium.Evaluate[bool](t, w.page, script) {
			w.types(t, "\r")
			return
		}
		w.page.Do(t, chromedp.KeyEvent("\t"))
	}
	require.Fail(t, "Tab does not reach it", selector)
}

// begins opens the overview.
func (w *worker) begins(t *testing.T) {
	t.Helper()
	w.goes(t, "")
	w.clicks = 0
}

// ended asserts that the job took few clicks.
func (w *worker) ended(t *testing.T, job string) {
	t.Helper()
	assert.LessOrEqual(t, w.clicks, mostClicks, job)
}

// servesCaller serves a person who tells their phone number and has paid twice.
func (w *worker) servesCaller(t *testing.T) {
	due, err := w.app.Stores.Ledger.Payments(t.Context(), payment.PaymentFilter{State: payment.RefundDue}, page.Request{})
	require.NoError(t, err)
	require.Len(t, due.Items, 1)
	order, err := w.app.Stores.Ledger.Order(t.Context(), due.Items[0].Order)
	require.NoError(t, err)
	account, err := w.app.Stores.Accounts.ByID(t.Context(), order.User)
	require.NoError(t, err)
	w.begins(t)
	w.chooses(t, ".sections a[href$='money/']")
	fill(t, w.page, "q", account.Phone.String())
	w.chooses(t, ".search button")
	both := fmt.Sprintf(`[...document.querySelectorAll("#payments tbody tr")].filter(row => row.textContent.includes("¥%d.")).length`, order.Amount/100)
	assert.Equal(t, 2, chromium.Evaluate[int](t, w.page, both), "both payments")
	w.chooses(t, fmt.Sprintf("#payments a[href$='money/payment/%d/']", due.Items[0].ID))
	fill(t, w.page, "reason", "Asked by telephone")
	w.chooses(t, ".fields .main")
	w.chooses(t, ".confirm .danger")
	w.ended(t, "caller")
	refunds, err := w.app.Stores.Ledger.Refunds(t.Context(), payment.RefundFilter{User: order.User}, page.Request{})
	require.NoError(t, err)
	require.Len(t, refunds.Items, 1)
	assert.Equal(t, "Asked by telephone", refunds.Items[0].Reason)
}

// keysAreOff shows that the keys of the pages can be switched off, and stay so in this browser.
func keysAreOff(t *testing.T, o *office) {
	o.goes(t, "")
	o.key(t, "?")
	o.page.Do(t, chromedp.Click(chromedp.CSS("#keys-on")))
	o.goes(t, "people/")
	chromium.Evaluate[chromedp.Void](t, o.page, `document.activeElement.blur()`)
	o.key(t, "/")
	assert.NotEqual(t, "q", chromium.Evaluate[string](t, o.page, `document.activeElement.id`))
	o.page.Do(t, chromedp.Click(chromedp.CSS("#keys summary")), chromedp.Click(chromedp.CSS("#keys-on")))
	chromium.Evaluate[chromedp.Void](t, o.page, `document.activeElement.blur()`)
	o.key(t, "/")
	assert.Equal(t, "q", chromium.Evaluate[string](t, o.page, `document.activeElement.id`))
}

// mostOfPictures bounds the pictures of README.md together, in bytes.
const mostOfPictures = 200 << 10

// takesPictures keeps the pictures of README.md where the artifacts of tests are. `make screenshots` puts them into the tree.
func takesPictures(t *testing.T, browser context.Context) {
	s := startTill(t)
	require.NoError(t, s.app.LoadDemo(t.Context(), true))
	o := &office{till: s, root: s.api + "/back-office/"}
	o.page = chromium.Open(t, browser, "about:blank")
	o.page.Do(t, chromedp.EmulateViewport(1000, 640))
	o.logsIn(t)
	total := 0
	for name, path := range map[string]string{"overview": o.root, "reference": s.api + "/docs/"} {
		o.page.Do(t, chromedp.Navigate(path), chromedp.WaitVisible(chromedp.CSS("main")))
		picture := chromium.Get(t, o.page, chromedp.CaptureScreenshot())
		total += len(picture)
		require.NoError(t, os.WriteFile(filepath.Join(t.ArtifactDir(), name+".png"), picture, 0o600))
	}
	assert.Less(t, total, mostOfPictures)
}
