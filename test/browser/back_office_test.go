//go:build soak

package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/audit"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/test/chromium"
)

type office struct {
	*till
	page *chromium.Tab
	root string
}

const staffPhone = "+1-2025550104" // Nora of the demo data

// showBackOffice uses the pages for staff as a person does.
func showBackOffice(t *testing.T, browser context.Context) {
	s := startTill(t)
	require.NoError(t, s.app.LoadDemo(t.Context(), true))
	o := &office{till: s, root: s.api + "/back-office/"}
	o.page = chromium.Open(t, browser, "about:blank")
	t.Cleanup(func() {
		assert.Empty(t, o.page.ConsoleErrors())
		for _, asked := range o.page.Requested() {
			isOfDateField := strings.HasPrefix(asked, "data:image/svg+xml") // a picture of the browser
			assert.True(t, isOfDateField || strings.HasPrefix(asked, o.root), asked)
		}
	})
	o.logsIn(t)
	shows(t, o.page, "What waits")
	t.Run("reports", func(t *testing.T) { hidesAndRestores(t, o) })
	t.Run("keyboard", func(t *testing.T) { shortcuts(t, o) })
	t.Run("keys_off", func(t *testing.T) { keysAreOff(t, o) })
	t.Run("every_page", isEveryPage)
	t.Run("axe", func(t *testing.T) { breaksNoRule(t, o) })
}

func fill(t *testing.T, page *chromium.Tab, field, text string) {
	t.Helper()
	chromium.Evaluate[chromedp.Void](t, page, fmt.Sprintf(`document.getElementById(%q).value = %q`, field, text))
}

func (o *office) goes(t *testing.T, path string) {
	t.Helper()
	o.page.Do(t, chromedp.Navigate(o.root+path), chromedp.WaitVisible(chromedp.CSS("main")))
}

func (o *office) types(t *testing.T, keys string) {
	t.Helper()
	chromium.Evaluate[chromedp.Void](t, o.page, `document.body.id = 'former'`)
	o.page.Do(t, chromedp.KeyEvent(keys))
	if strings.HasSuffix(keys, "\r") {
		o.page.Do(t, chromedp.WaitNotPresent(chromedp.CSS("#former")), chromedp.WaitVisible(chromedp.CSS("main")))
	}
}

func (o *office) key(t *testing.T, name string) {
	t.Helper()
	_, err := chromedp.Call(o.page, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown,
		Key: name})
	require.NoError(t, err)
}

// hidesAndRestores works through the queue of reports with the keyboard alone.
func hidesAndRestores(t *testing.T, o *office) {
	stored, err := o.app.Stores.Moderation.Cases(t.Context(), moderation.Query{})
	require.NoError(t, err)
	require.Len(t, stored.Items, 1, "of the demo data")
	of := stored.Items[0]
	for _, on := range []moderation.Thing{{Kind: moderation.Event, ID: 1}, {Kind: moderation.Person, ID: 11}} {
		more, err := moderation.NewReport(1, on, moderation.Other, "Look at this", time.Now())
		require.NoError(t, err)
		more.Owner = 11
		_, _, err = o.app.Stores.Moderation.Report(t.Context(), more)
		require.NoError(t, err)
	}
	isHidden := func() bool {
		things, err := o.app.Stores.Moderation.Subjects(t.Context(), []moderation.Thing{of.Thing})
		require.NoError(t, err)
		return things[of.Thing].IsHidden
	}
	o.goes(t, "")
	press(t, o.page, ".tiles a[href$='reports/']")
	shows(t, o.page, "Great post!!!")
	o.keeps(t, "reports-open")
	o.key(t, "h") // of the first card, when none has the focus
	o.types(t, "Advertises")
	assert.Equal(t, fmt.Sprintf("reason-%d", of.ID), chromium.Evaluate[string](t, o.page, `document.activeElement.id`))
	assert.Equal(t, "Hide it", chromium.Evaluate[string](t, o.page, `document.querySelector('.chosen').textContent`))
	o.types(t, "\r")
	shows(t, o.page, "It is hidden.")
	assert.True(t, isHidden())
	shows(t, o.page, "Look at this")
	for _, name := range []string{"j", "d"} {
		o.key(t, name)
	}
	o.types(t, "No reason to act\r")
	shows(t, o.page, "The report is dismissed.")
	o.goes(t, "reports/?state=decided")
	o.key(t, "j")
	o.key(t, "j")
	o.key(t, "r")
	o.types(t, "A mistake\r")
	shows(t, o.page, "It is shown again.")
	assert.False(t, isHidden())
	list, err := o.app.Stores.Audit.List(t.Context(), audit.Query{About: of.Owner})
	require.NoError(t, err)
	assert.Equal(t, []string{"A mistake", "Advertises"}, []string{list.Items[0].Reason, list.Items[1].Reason})
}

// shortcuts uses the keyboard alone.
func shortcuts(t *testing.T, o *office) {
	o.goes(t, "")
	key := func(text string) { o.page.Do(t, chromedp.KeyEvent(text)) }
	chromium.Evaluate[chromedp.Void](t, o.page, `document.body.id = 'former'`)
	key("2")
	o.page.Do(t, chromedp.WaitNotPresent(chromedp.CSS("#former")), chromedp.WaitVisible(chromedp.CSS("#q")))
	key("/")
	assert.Equal(t, "q", chromium.Evaluate[string](t, o.page, `document.activeElement.id`))
	o.goes(t, "money/?list=open")
	key("j")
	key("j")
	key("k")
	assert.True(t, chromium.Evaluate[bool](t, o.page, `document.activeElement === document.querySelector('table a')`))
	key("?")
	assert.True(t, chromium.Evaluate[bool](t, o.page, `document.querySelector('#keys').open`))
	o.goes(t, "")
	key("\t")
	assert.Equal(t, "skip", chromium.Evaluate[string](t, o.page, `document.activeElement.className`))
	key("\r")
	assert.Equal(t, "content", chromium.Evaluate[string](t, o.page, `document.activeElement.id`))
}

// officePages are pages of each template.
var officePages = map[string]string{
	"overview": "", "money": "money/?list=open", "order": "money/order/1/", "payment": "money/payment/2/", "people": "people/",
	"people_found": "people/?q=Ca&role=any", "person": "people/1/", "person_orders": "money/?list=orders&user=5&sort=amount",
	"person_events": "people/5/?all=events", "person_hidden": "people/5/?all=hidden&from=2020-01-01", "event": "events/1/",
	"money_found": "money/search/?q=1", "act": "people/1/rights/", "reports": "reports/", "decided": "reports/?state=decided",
	"audit": "audit/?about=15", "import": "imports/2/", "findings": "money/?list=findings", "ordering": "people/1/order/",
	"erasing": "people/1/erase/", "confirming": "money/payment/2/?amount=1&reason=x&once=x", "phone": "people/5/phone/",
	"exporting": "people/5/export/", "settled": "money/?list=findings&state=resolved", "imports": "imports/", "howtos": "imports/how-tos/",
	"message": "nowhere/",
}

// isEveryPage shows that the pages have each template, but for those of loginBreaksNoRule.
func isEveryPage(t *testing.T) {
	templates, err := filepath.Glob("../../adapters/backoffice/templates/*.html")
	require.NoError(t, err)
	require.NotEmpty(t, templates)
	for _, path := range templates {
		name := strings.TrimSuffix(filepath.Base(path), ".html")
		if !slices.Contains([]string{"layout", "login", "second_factor"}, name) {
			assert.Contains(t, officePages, name)
		}
	}
}

// breaksNoRule shows that no page is faint in either mode, or breaks a rule of axe-core.
func breaksNoRule(t *testing.T, o *office) {
	for name, path := range officePages {
		o.goes(t, path)
		isReadable(t, o.page)
		o.keeps(t, name)
		o.isAccessible(t, name)
	}
	o.page.Forgive(isNowhere)
}

// loginBreaksNoRule is breaksNoRule for the pages of a login with a second factor: where a code is asked for, where the factor is set
// up, and where its recovery codes are.
func loginBreaksNoRule(t *testing.T, browser context.Context) {
	o := &office{till: &till{}}
	o.api = serveConfig(t, settings.Config{
		BackOffice: settings.BackOfficePublic, SecondFactor: settings.SecondFactorRequired, WalletPoll: time.Minute,
	}, func(app *bootstrap.App) { o.app = app })
	require.NoError(t, o.app.LoadDemo(t.Context(), true))
	o.root = o.api + "/back-office/"
	o.page = chromium.Open(t, browser, "about:blank")
	o.goes(t, "")
	o.page.Do(t, chromedp.WaitVisible(chromedp.CSS("#otp")))
	o.isAccessible(t, "login")
	fill(t, o.page, "username", staffPhone)
	fill(t, o.page, "password", "plaza-demo")
	press(t, o.page, "button.main")
	o.page.Do(t, chromedp.WaitVisible(chromedp.CSS("svg.qr")))
	o.isAccessible(t, "second_factor")
	code, err := totp.GenerateCode(chromium.Evaluate[string](t, o.page, `document.querySelector('main code').textContent`), time.Now())
	require.NoError(t, err)
	fill(t, o.page, "otp", code)
	press(t, o.page, "button.main")
	o.page.Do(t, chromedp.WaitVisible(chromedp.CSS("ul.codes")))
	o.isAccessible(t, "recovery codes")
}

// isAccessible shows that the page breaks no rule of axe-core, and is no wider than the screen, in light and in dark.
func (o *office) isAccessible(t *testing.T, name string) {
	t.Helper()
	for _, setting := range []struct {
		width int64
		mode  string
	}{{1280, "dark"}, {390, "dark"}, {320, "light"}, {390, "light"}, {1280, "light"}} {
		o.page.Do(t, chromedp.EmulateViewport(setting.width, 900))
		o.page.Prefer(t, "prefers-color-scheme", setting.mode)
		assert.Empty(t, violations(t, o.page, "html"), "%s %v", name, setting)
		assert.EqualValues(t, setting.width, chromium.Evaluate[int](t, o.page, `document.documentElement.scrollWidth`), "%s %v", name, setting)
	}
}

// isNowhere reports whether the entry of the console is about the page that does not exist.
func isNowhere(entry string) bool {
	return strings.Contains(entry, "404") && strings.Contains(entry, "nowhere")
}

// keeps stores a picture of the page where the artifacts of tests are.
func (o *office) keeps(t *testing.T, name string) {
	t.Helper()
	picture := chromium.Get(t, o.page, chromedp.FullScreenshot(100))
	require.NoError(t, os.WriteFile(filepath.Join(t.ArtifactDir(), name+".png"), picture, 0o600))
}

// mostClicks is how many clicks a job of staff may take.
const mostClicks = 5

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
