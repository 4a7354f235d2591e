//go:build soak

package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"

	"plaza/test/chromium"
)

// serveExample serves the example of the guide for clients, and returns its origin.
func serveExample(t *testing.T) (origin string) {
	t.Helper()
	server := httptest.NewServer(http.FileServer(http.Dir("testdata/example")))
	t.Cleanup(server.Close)
	return server.URL
}

// showExample uses the page of the guide for clients as a person does.
func showExample(t *testing.T, browser context.Context, api, origin string) {
	page := chromium.Open(t, browser, origin+"/?api="+api)
	t.Cleanup(func() { assert.Empty(t, page.ConsoleErrors()) })
	t.Run("feed", func(t *testing.T) { showsTheFeed(t, page) })
	t.Run("errors", func(t *testing.T) { tellsErrors(t, page) })
	t.Run("comment", func(t *testing.T) { sendsAComment(t, page, api) })
	t.Run("contrast", func(t *testing.T) { isReadable(t, page) })
	t.Run("phone", func(t *testing.T) {
		page.Do(t, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
		assert.Equal(t, 390, chromium.Evaluate[int](t, page, `document.documentElement.scrollWidth`))
	})
	t.Run("log_out", func(t *testing.T) {
		page.Do(t, chromedp.Click(chromedp.CSS("#close")), chromedp.Click(chromedp.CSS("#logout")), chromedp.WaitVisible(chromedp.CSS("#login")))
		assert.Empty(t, chromium.Evaluate[string](t, page, `sessionStorage.getItem('key') ?? ''`))
	})
}

func showsTheFeed(t *testing.T, page *chromium.Tab) {
	page.Do(t, chromedp.WaitVisible(chromedp.CSS("#items li")))
	choose(t, page, "Other")
	holds(t, page, `document.querySelectorAll('#items li').length === 6 && !document.querySelector('#more').disabled`)
	page.Do(t, chromedp.Click(chromedp.CSS("#more")))
	holds(t, page, `document.querySelectorAll('#items li').length > 6`)
	choose(t, page, "Neighbours")
	holds(t, page, `document.querySelector('#items img')?.naturalWidth > 0`)
}

func tellsErrors(t *testing.T, page *chromium.Tab) {
	page.Do(t, chromedp.Click(chromedp.CSS("#items button")))
	says(t, page, "#diary [role=alert]", "Log in to read diaries.")
	logInTo(t, page, "a guess")
	says(t, page, "#login [role=alert]", "Unable to log in with provided credentials.")
	logInTo(t, page, "plaza-demo")
	says(t, page, "#me span", "沈予安")
	openAnEvent(t, page)
	page.Do(t, chromedp.Click(chromedp.CSS("#comment button")))
	says(t, page, "#comment [role=alert]", "This field may not be blank.")
	page.Forgive(func(entry string) bool { return strings.Contains(entry, "status of 400") })
}

// sendsAComment shows that a comment arrives as it was written, and is shown as text.
func sendsAComment(t *testing.T, page *chromium.Tab, api string) {
	const comment = "Written <b>by hand</b>."
	page.Do(t, chromedp.SendKeys(chromedp.CSS("#comment textarea"), comment), chromedp.Click(chromedp.CSS("#comment button")))
	says(t, page, "#comments li", "沈予安: "+comment)

	stored := fmt.Sprintf(`fetch('%s/api/xfile/event/1/view-list/?page_size=1', {headers: {Authorization: 'Token ' + sessionStorage.getItem('key')}})
		.then(response => response.json()).then(({data}) => data[0].comments[0].content)`, api)
	assert.Equal(t, comment, chromium.Evaluate[string](t, page, stored))
}

// openAnEvent opens the first event of the first person of the demo data.
func openAnEvent(t *testing.T, page *chromium.Tab) {
	t.Helper()
	chromium.Evaluate[chromedp.Void](t, page, `[...document.querySelectorAll('#items button')].find(button => button.textContent === '沈予安').click()`)
	page.Do(t, chromedp.Click(chromedp.CSS("#events button")), chromedp.WaitVisible(chromedp.CSS("#event h2")))
}

func holds(t *testing.T, page *chromium.Tab, condition string) {
	t.Helper()
	chromium.Get(t, page, chromedp.Poll[bool](condition))
}

func says(t *testing.T, page *chromium.Tab, selector, text string) {
	t.Helper()
	holds(t, page, fmt.Sprintf(`document.querySelector(%q)?.checkVisibility() && document.querySelector(%q).textContent === %q`, selector, selector, text))
}

func choose(t *testing.T, page *chromium.Tab, name string) {
	t.Helper()
	chromium.Evaluate[chromedp.Void](t, page, fmt.Sprintf(`{
		const select = document.querySelector('#category')
		select.value = [...select.options].find(option => option.text.trim().startsWith(%q)).value
		select.dispatchEvent(new Event('change'))
	}`, name))
}

// logInTo logs the first person of the demo data in to the example.
func logInTo(t *testing.T, page *chromium.Tab, password string) {
	t.Helper()
	chromium.Evaluate[chromedp.Void](t, page, `document.querySelector('#login').reset()`)
	page.Do(t, chromedp.SendKeys(chromedp.CSS("#login [name=username]"), yuan),
		chromedp.SendKeys(chromedp.CSS("#login [name=password]"), password+"\n"))
}
