//go:build soak

package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/audit"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
	"plaza/test/chromium"
)

// office is the back office of a till, with its own tab.
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
	o.page = o.open(t, browser)
	o.logIn(t, "What waits")
	t.Run("refund", func(t *testing.T) { refundsTwicePaid(t, o) })
	t.Run("disable", func(t *testing.T) { disables(t, o) })
	t.Run("reports", func(t *testing.T) { hidesAndRestores(t, o) })
	t.Run("ended session", func(t *testing.T) { keepsWhatWasTyped(t, o) })
	t.Run("keyboard", func(t *testing.T) { shortcuts(t, o) })
	t.Run("readable", func(t *testing.T) { staffPagesAreReadable(t, o) })
	t.Run("axe", func(t *testing.T) { breaksNoRule(t, o) })
	t.Run("refused", func(t *testing.T) { refusesStrangers(t, o, browser) })
}

// open opens the login. The end of the test asserts that the page had no errors and asked the server alone.
func (o *office) open(t *testing.T, browser context.Context) *chromium.Tab {
	t.Helper()
	page := chromium.Open(t, browser, o.root)
	t.Cleanup(func() {
		assert.Empty(t, page.ConsoleErrors())
		for _, asked := range page.Requested() {
			assert.True(t, strings.HasPrefix(asked, o.root), asked)
		}
	})
	return page
}

// fill enters the text into the field.
func fill(t *testing.T, page *chromium.Tab, field, text string) {
	t.Helper()
	chromium.Evaluate[chromedp.Void](t, page, fmt.Sprintf(`document.getElementById(%q).value = %q`, field, text))
}

// logIn fills in the login, and waits for the page with the text.
func (o *office) logIn(t *testing.T, then string) {
	t.Helper()
	fill(t, o.page, "username", staffPhone)
	fill(t, o.page, "password", "plaza-demo")
	press(t, o.page, "button.main")
	shows(t, o.page, then)
}

// goes opens the page with the path.
func (o *office) goes(t *testing.T, path string) {
	t.Helper()
	o.page.Do(t, chromedp.Navigate(o.root+path), chromedp.WaitVisible(chromedp.CSS("main")))
}

// payTwice pays an order, and then once more with a payment that only its receipt has, before the one of the wallet.
func (o *office) payTwice(t *testing.T) payment.OrderID {
	t.Helper()
	id, _ := o.order(t, "A pot of tea")
	all := o.box.Ledger()
	no := payment.TradeNo(all[len(all)-1].OutTradeNo)
	_, err := o.app.Paying.ApplyReceipt(t.Context(), "v2", payment.Receipt{
		TransactionID: "4200000000000000000000000001", TradeNo: no, App: payment.OfficialAccount, Amount: 990, Currency: "CNY", Paid: time.Now(),
	})
	require.NoError(t, err)
	_, err = o.box.Pay(string(no))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		due, err := o.app.Paying.Payments(t.Context(), payment.PaymentFilter{State: payment.RefundDue}, page.Request{})
		return err == nil && due.Total == 2 // one is of the demo data
	}, 30*time.Second, 10*time.Millisecond)
	return id
}

// refundsTwicePaid finds the payment that came in twice from the overview, and refunds it.
func refundsTwicePaid(t *testing.T, o *office) {
	o.payTwice(t)
	o.goes(t, "")
	press(t, o.page, ".tiles a[href*=due]")
	shows(t, o.page, "To be refunded")
	press(t, o.page, "table a")
	shows(t, o.page, "Nothing was refunded.")
	fill(t, o.page, "reason", "It came in twice")
	o.keeps(t, "refund")
	press(t, o.page, "form.fields button")
	shows(t, o.page, "Refund this?")
	o.keeps(t, "confirm")
	press(t, o.page, "button.danger")
	shows(t, o.page, "The refund was ordered.")
	require.Len(t, o.box.Refunds(), 1)
	press(t, o.page, ".facts a")
	shows(t, o.page, "Refund ordered")
}

// types presses the keys. Enter at the end leads to the next page.
func (o *office) types(t *testing.T, keys string) {
	t.Helper()
	chromium.Evaluate[chromedp.Void](t, o.page, `document.body.id = 'former'`)
	o.page.Do(t, chromedp.KeyEvent(keys))
	if strings.HasSuffix(keys, "\r") {
		o.page.Do(t, chromedp.WaitNotPresent(chromedp.CSS("#former")), chromedp.WaitVisible(chromedp.CSS("main")))
	}
}

// key presses a key that is a shortcut.
func (o *office) key(t *testing.T, name string) {
	t.Helper()
	_, err := chromedp.Call(o.page, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeRawKeyDown,
		Key: name})
	require.NoError(t, err)
}

// staff returns the uid of the person who uses the pages.
func (o *office) staff(t *testing.T) user.ID {
	t.Helper()
	phone, err := user.ParsePhone(staffPhone)
	require.NoError(t, err)
	account, err := o.app.Stores.Accounts.ByPhone(t.Context(), phone)
	require.NoError(t, err)
	return account.User
}

// hidesAndRestores works through the queue of reports with the keyboard alone.
func hidesAndRestores(t *testing.T, o *office) {
	stored, err := o.app.Stores.Moderation.Reports(t.Context(), moderation.Query{})
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
		decided, err := o.app.Stores.Moderation.Reports(t.Context(), moderation.Query{IsDecided: true})
		require.NoError(t, err)
		return slices.ContainsFunc(decided.Items, func(r moderation.Reported) bool { return r.ID == of.ID && r.Subject.IsHidden })
	}
	o.goes(t, "")
	press(t, o.page, ".tiles a[href$='reports/']")
	shows(t, o.page, "Great post!!!")
	o.keeps(t, "reports-open")
	o.key(t, "d") // of the first report, when none has the focus
	o.types(t, "No reason to act\r")
	shows(t, o.page, "The report is dismissed.")
	for _, name := range []string{"j", "j", "h"} {
		o.key(t, name)
	}
	o.types(t, "Advertises")
	assert.Equal(t, fmt.Sprintf("reason-%d", of.ID), chromium.Evaluate[string](t, o.page, `document.activeElement.id`))
	assert.Equal(t, "Hide it", chromium.Evaluate[string](t, o.page, `document.querySelector('.chosen').textContent`))
	o.types(t, "\r")
	shows(t, o.page, "It is hidden.")
	assert.True(t, isHidden())
	shows(t, o.page, "Look at this")
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

// keepsWhatWasTyped sends a form when the session has ended. The login says so, and the form comes back.
func keepsWhatWasTyped(t *testing.T, o *office) {
	o.goes(t, "people/9/disable/")
	fill(t, o.page, "reason", "Sells \"pills\" <again>")
	require.NoError(t, o.app.Signin.EndSessions(t.Context(), o.staff(t)))
	press(t, o.page, "button.danger")
	shows(t, o.page, "Your session had ended when you sent the form.")
	o.keeps(t, "session-ended")
	o.page.Forgive(func(entry string) bool { return strings.Contains(entry, "401") })
	o.logIn(t, "Nothing was changed: check it")
	assert.Equal(t, "Sells \"pills\" <again>", chromium.Evaluate[string](t, o.page, `document.getElementById('reason').value`))
	o.keeps(t, "typed-again")
	account, err := o.app.Stores.Accounts.ByID(t.Context(), 9)
	require.NoError(t, err)
	assert.False(t, account.Disabled)
}

// disables finds a person, disables their account and enables it again.
func disables(t *testing.T, o *office) {
	o.goes(t, "people/")
	fill(t, o.page, "q", "Camille")
	press(t, o.page, ".search button")
	press(t, o.page, "table a")
	press(t, o.page, ".buttons a")
	fill(t, o.page, "reason", "Spam")
	press(t, o.page, "button.danger")
	shows(t, o.page, "The account is disabled.")
	path := strings.TrimPrefix(chromium.Get(t, o.page, chromedp.Location()), o.root)
	var id user.ID
	_, err := fmt.Sscanf(path, "people/%d/", &id)
	require.NoError(t, err)
	account, err := o.app.Stores.Accounts.ByID(t.Context(), id)
	require.NoError(t, err)
	assert.True(t, account.Disabled)
	press(t, o.page, ".buttons a")
	fill(t, o.page, "reason", "Not spam")
	press(t, o.page, "button.main")
	shows(t, o.page, "The account is enabled.")
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
	"overview": "", "money": "money/?list=open", "order": "money/order/8/", "payment": "money/payment/2/", "people": "people/?q=Ca",
	"person": "people/1/",
	"act":    "people/1/rights/", "reports": "reports/", "decided": "reports/?state=decided", "audit": "audit/?about=15",
	"import":  "imports/2/",
	"imports": "imports/", "howtos": "imports/how-tos/", "nothing": "nowhere/",
}

// staffPagesAreReadable shows that no page is faint in either mode, or wider than a telephone.
func staffPagesAreReadable(t *testing.T, o *office) {
	for name, path := range officePages {
		o.goes(t, path)
		isReadable(t, o.page)
		o.keeps(t, name)
		o.page.Prefer(t, "prefers-color-scheme", "dark")
		o.page.Do(t, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
		assert.Equal(t, 390, chromium.Evaluate[int](t, o.page, `document.documentElement.scrollWidth`), name)
		o.keeps(t, name+"-390-dark")
		o.page.Prefer(t, "prefers-color-scheme", "light")
		o.page.Do(t, chromedp.EmulateViewport(1280, 900))
	}
	o.page.Forgive(isNowhere)
}

// breaksNoRule shows that the pages break no rule of axe-core, on a screen and on a telephone.
func breaksNoRule(t *testing.T, o *office) {
	for _, size := range []chromedp.Action[chromedp.Void]{chromedp.EmulateViewport(1280, 900),
		chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile)} {
		o.page.Do(t, size)
		for name, path := range officePages {
			o.goes(t, path)
			assert.Empty(t, violations(t, o.page), name)
		}
	}
	o.page.Do(t, chromedp.EmulateViewport(1280, 900))
	o.page.Forgive(isNowhere)
}

// isNowhere reports whether the entry of the console is about the page that does not exist.
func isNowhere(entry string) bool {
	return strings.Contains(entry, "404") && strings.Contains(entry, "nowhere")
}

// refusesStrangers shows a forged form, a session that has ended, and a member without rights.
func refusesStrangers(t *testing.T, o *office, browser context.Context) {
	is403 := func(entry string) bool { return strings.Contains(entry, "403") }
	o.goes(t, "people/2/disable/")
	chromium.Evaluate[chromedp.Void](t, o.page, `document.querySelector('form.fields [name=token]').value = 'x'`)
	fill(t, o.page, "reason", "Forged")
	press(t, o.page, "button.danger")
	shows(t, o.page, "Nothing was changed.")
	o.page.Forgive(is403)
	o.goes(t, "people/2/")
	shows(t, o.page, "enabled")
	require.NoError(t, o.app.Signin.EndSessions(t.Context(), o.staff(t)))
	o.goes(t, "people/2/")
	shows(t, o.page, "Your session has ended.")
	shows(t, o.page, "For accounts that work in the back office.")
	o.logIn(t, "Change this account")
	member := o.open(t, browser)
	fill(t, member, "username", yuan)
	fill(t, member, "password", "plaza-demo")
	press(t, member, "button.main")
	shows(t, member, "This account does not work in the back office.")
	member.Forgive(is403)
}

// keeps stores a picture of the page where the artifacts of tests are.
func (o *office) keeps(t *testing.T, name string) {
	t.Helper()
	picture := chromium.Get(t, o.page, chromedp.FullScreenshot(100))
	require.NoError(t, os.WriteFile(filepath.Join(t.ArtifactDir(), name+".png"), picture, 0o600))
}
