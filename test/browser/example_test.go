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
	"github.com/stretchr/testify/require"

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
	text := func(selector string) string { return chromium.Get(t, page, chromedp.Text(chromedp.CSS(selector))) }
	click := func(selector string) { page.Do(t, chromedp.Click(chromedp.CSS(selector))) }
	waitFor := func(script string) { chromium.Get(t, page, chromedp.Poll[bool](script)) }

	t.Run("feed", func(t *testing.T) {
		page.Do(t, chromedp.WaitVisible(chromedp.CSS("#items li")))
		choose(t, page, "Other")
		waitFor(`document.querySelectorAll('#items li').length === 6 && !document.querySelector('#more').disabled`)
		click("#more")
		waitFor(`document.querySelectorAll('#items li').length > 6`)
		choose(t, page, "Neighbours")
		waitFor(`document.querySelector('#items img')?.naturalWidth > 0`)
	})
	t.Run("errors", func(t *testing.T) {
		click("#items button")
		assert.Equal(t, "Log in to read diaries.", text("#diary [role=alert]"))
		logInTo(t, page, "a guess")
		assert.Equal(t, "Unable to log in with provided credentials.", text("#login [role=alert]"))
		page.Forgive(func(entry string) bool { return strings.Contains(entry, "status of 400") })
	})
	t.Run("comment", func(t *testing.T) {
		page.Do(t, chromedp.SetValue(chromedp.CSS("#login [name=password]"), ""), chromedp.SetValue(chromedp.CSS("#login [name=username]"), ""))
		logInTo(t, page, "plaza-demo")
		assert.Equal(t, "沈予安", text("#me span"))
		chromium.Evaluate[chromedp.Void](t, page, `[...document.querySelectorAll('#items button')].find(button => button.textContent === '沈予安').click()`)
		click("#events button")
		page.Do(t, chromedp.WaitVisible(chromedp.CSS("#event h2")))
		title := text("#event h2")
		click("#comment button")
		assert.Equal(t, "This field may not be blank.", text("#comment [role=alert]"))
		page.Forgive(func(entry string) bool { return strings.Contains(entry, "status of 400") })
		page.Do(t, chromedp.SendKeys(chromedp.CSS("#comment textarea"), "Written <b>by hand</b>."))
		click("#comment button")
		waitFor(`document.querySelector('#comments li')?.textContent === '沈予安: Written <b>by hand</b>.'`)

		c := &caller{Tab: page, api: api}
		c.login(t)
		var diary struct {
			Data []struct {
				Title    string
				Comments []struct{ Content string }
			}
		}
		c.ask(t, "GET", events+"1/view-list/?page_size=1", nil, nil).is(t, 200, &diary)
		require.Len(t, diary.Data, 1)
		assert.Equal(t, title, diary.Data[0].Title)
		assert.Equal(t, "Written <b>by hand</b>.", diary.Data[0].Comments[0].Content)
	})
	t.Run("contrast", func(t *testing.T) { isReadable(t, page) })
	t.Run("phone", func(t *testing.T) {
		page.Do(t, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
		assert.Equal(t, 390, chromium.Evaluate[int](t, page, `document.documentElement.scrollWidth`))
	})
	t.Run("log_out", func(t *testing.T) {
		click("#close")
		click("#logout")
		page.Do(t, chromedp.WaitVisible(chromedp.CSS("#login")))
		assert.Empty(t, chromium.Evaluate[string](t, page, `sessionStorage.getItem('key') ?? ''`))
	})
}

// choose chooses the category whose name begins with the text.
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
	page.Do(t, chromedp.SendKeys(chromedp.CSS("#login [name=username]"), yuan), chromedp.SendKeys(chromedp.CSS("#login [name=password]"), password+"\n"))
}
