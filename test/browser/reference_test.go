//go:build soak

package browser

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/user"
	"plaza/domain/verification"
	"plaza/test/chromium"
)

// showReference uses the page at /docs/ as a person does.
func showReference(t *testing.T, browser context.Context, api string) {
	open := func(t *testing.T, path string) *chromium.Tab {
		t.Helper()
		tab := chromium.Open(t, browser, api+path)
		t.Cleanup(func() { assert.Empty(t, tab.ConsoleErrors()) })
		return tab
	}
	t.Run("own_origin", func(t *testing.T) {
		page := open(t, "/docs/")
		assert.GreaterOrEqual(t, len(page.Requested()), 3, "the page, its style sheet and its script; the icon is not shown here")
		for _, address := range page.Requested() {
			assert.Contains(t, address, api+"/docs/")
		}
	})
	t.Run("log_in_and_send", func(t *testing.T) { logsInAndSends(t, open(t, "/docs/")) })
	t.Run("every_get_works_as_it_is_filled_in", func(t *testing.T) { getsWork(t, open(t, "/docs/")) })
	t.Run("staff_are_offered_what_is_there", func(t *testing.T) { staffGetsWork(t, open(t, "/docs/")) })
	t.Run("join", func(t *testing.T) { joins(t, open(t, "/docs/")) })
	t.Run("log_in_when_needed", func(t *testing.T) { logsInWhenNeeded(t, open(t, "/docs/#op-getProfile")) })
	t.Run("stream", func(t *testing.T) { showsStream(t, open(t, "/docs/#op-stream")) })
	t.Run("search", func(t *testing.T) { searches(t, open(t, "/docs/")) })
	t.Run("deep_link", func(t *testing.T) {
		page := open(t, "/docs/#schema-FeedItem")
		assert.True(t, chromium.Evaluate[bool](t, page, `document.querySelector('#schema-FeedItem').open`))
		top := chromium.Evaluate[float64](t, page, `document.querySelector('#schema-FeedItem').getBoundingClientRect().top`)
		assert.Less(t, top, 200.0)
		assert.GreaterOrEqual(t, top, 0.0)
	})
	t.Run("phone", func(t *testing.T) { fitsAPhone(t, open(t, "/docs/")) })
	t.Run("contrast", func(t *testing.T) {
		page := open(t, "/docs/")
		isReadable(t, page)
		page.Do(t, chromedp.Click(chromedp.CSS("#login-open")))
		chromium.Evaluate[chromedp.Void](t, page, `document.querySelectorAll('main details').forEach(details => { details.open = true })`)
		isReadable(t, page)
		page.Do(t, chromedp.Click(chromedp.CSS("#join-open")), chromedp.WaitVisible(chromedp.CSS("#join")))
		isReadable(t, page)
	})
	t.Run("guide", func(t *testing.T) {
		page := open(t, "/docs/")
		page.Do(t, chromedp.Click(chromedp.CSS(".about a[href='guide/']")), chromedp.WaitVisible(chromedp.CSS("#about-log-in")))
		isReadable(t, page)
		assert.Empty(t, violations(t, page, "html"))
	})
	t.Run("keyboard", func(t *testing.T) { worksByKeyboard(t, open(t, "/docs/")) })
}

func send(t *testing.T, page *chromium.Tab, operation, script string) {
	t.Helper()
	chromium.Evaluate[chromedp.Void](t, page, `{
		const details = document.querySelector('#op-`+operation+` .try'), f = details.querySelector('form')
		details.open = true
		`+script+`
		f.dispatchEvent(new Event('input'))
		f.requestSubmit()
	}`)
}

func answered(t *testing.T, page *chromium.Tab, operation string) string {
	t.Helper()
	output := chromedp.CSS("#op-" + operation + " output .status")
	page.Do(t, chromedp.WaitVisible(output))
	return chromium.Get(t, page, chromedp.Text(chromedp.CSS("#op-"+operation+" output")))
}

// logIn logs in as the first person of the demo data with a click.
func logIn(t *testing.T, page *chromium.Tab) {
	t.Helper()
	page.Do(t, chromedp.Click(chromedp.CSS(".person")), chromedp.WaitVisible(chromedp.CSS("#logout")))
	assert.Equal(t, "沈予安", chromium.Get(t, page, chromedp.Text(chromedp.CSS("#who"))))
}

func logsInAndSends(t *testing.T, page *chromium.Tab) {
	page.Do(t, chromedp.Click(chromedp.CSS("#login-open")))
	page.Do(t, chromedp.SendKeys(chromedp.CSS("#username"), yuan), chromedp.SendKeys(chromedp.CSS("#password"), "a guess\n"))
	require.NotEmpty(t, chromium.Get(t, page, chromedp.Poll[string](`document.querySelector('#login-problem').textContent`)))
	logIn(t, page)

	send(t, page, "createEvent", `f.querySelector('textarea').value = '{"title": "It\'s me", "publish": true}'`)
	text := answered(t, page, "createEvent")
	assert.Contains(t, text, "201")
	assert.Contains(t, text, `"title": "It's me"`)
	command := chromium.Get(t, page, chromedp.TextContent(chromedp.CSS("#op-createEvent .curl code")))
	assert.Contains(t, command, "Authorization: Token plz_", "it can be pasted")
	assert.Contains(t, command, `-d '{"title": "It'\''s me", "publish": true}'`)

	page.Do(t, chromedp.Reload())
	send(t, page, "listEvents", `f.elements.page_size.value = '1'`)
	text = answered(t, page, "listEvents")
	assert.Contains(t, text, `"page_size": 1`, "the token stays while the tab is open")
	command = chromium.Get(t, page, chromedp.TextContent(chromedp.CSS("#op-listEvents .curl code")))
	assert.Contains(t, command, "/api/xfile/event/?page_size=1'")

	send(t, page, "updateEvent", `f.elements.id.value = '999999'`)
	text = answered(t, page, "updateEvent")
	assert.Contains(t, text, "404")
	page.Forgive(func(entry string) bool {
		return strings.Contains(entry, "status of 404") || strings.Contains(entry, "status of 400")
	})

	page.Do(t, chromedp.Click(chromedp.CSS("#logout")), chromedp.WaitVisible(chromedp.CSS("#login-open")))
	assert.Empty(t, chromium.Evaluate[string](t, page, `sessionStorage.getItem('session') ?? ''`))
}

// joins makes an account with a code, after a wrong one.
func joins(t *testing.T, page *chromium.Tab) {
	const username = "+86-13900000077"
	phone, err := user.ParsePhone(username)
	require.NoError(t, err)
	field := func(name string) chromedp.CSS { return chromedp.CSS("#join [name=" + name + "]") }
	page.Do(t, chromedp.Click(chromedp.CSS("#login-open")), chromedp.Click(chromedp.CSS("#join-open")),
		chromedp.SendKeys(field("username"), username), chromedp.Click(chromedp.CSS("#join-code")))
	soon, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	m, err := messages.Next(soon, verification.NumberOf(phone))
	require.NoError(t, err)
	require.NotEmpty(t, chromium.Get(t, page, chromedp.Poll[string](`document.querySelector('#join-sent').textContent`)))
	assert.Equal(t, "code", chromium.Evaluate[string](t, page, `document.activeElement.name`), "one who waits for the code types it next")
	page.Do(t, chromedp.SendKeys(field("password"), "a-walk-around-the-lake"), chromedp.SendKeys(field("firstname"), "Ada"),
		chromedp.SendKeys(field("lastname"), "Li"), chromedp.SendKeys(field("code"), "12345\n"))
	problem := chromium.Get(t, page, chromedp.Poll[string](`document.querySelector('#join-problem').textContent`))
	assert.Equal(t, "Enter the code of six digits.", problem)
	chromium.Evaluate[chromedp.Void](t, page, `document.querySelector('#join [name=code]').value = ''`)
	page.Do(t, chromedp.SendKeys(field("code"), m.Code.Reveal()+"\n"), chromedp.WaitVisible(chromedp.CSS("#logout")))
	assert.Equal(t, username, chromium.Get(t, page, chromedp.Text(chromedp.CSS("#who"))))
	page.Forgive(func(entry string) bool { return strings.Contains(entry, "status of 400") })
}

// getsWork shows that each GET that needs no staff is answered with 200 at the first click, after a login as a person of the demo data.
func getsWork(t *testing.T, page *chromium.Tab) {
	page.Do(t, chromedp.Click(chromedp.CSS("#login-open")))
	logIn(t, page)
	chromium.Get(t, page, chromedp.Poll[string](`[...document.querySelectorAll('.try [name=event_id]')].every(field => field.value !== '4711') ? 'seen' : ''`))
	for _, operation := range gets(t, page, false) {
		if operation == "stream" { // which does not end
			continue
		}
		send(t, page, operation, "")
		assert.Contains(t, answered(t, page, operation), "200", operation)
	}
}

// gets returns the operations with the method GET, those that need staff or the others.
func gets(t *testing.T, page *chromium.Tab, forStaff bool) []string {
	return chromium.Evaluate[[]string](t, page, fmt.Sprintf(`[...document.querySelectorAll('article')].filter(article => article.querySelector('form[data-method=GET]') &&
		[...article.querySelectorAll('.need')].some(need => need.textContent === 'staff') === %t).map(article => article.id.slice(3))`, forStaff))
}

// staffGetsWork shows that each GET of staff is answered with 200 at the first click, and that what they would do is
// done to something that there is, and not to their own account.
func staffGetsWork(t *testing.T, page *chromium.Tab) {
	page.Do(t, chromedp.Click(chromedp.CSS("#login-open")))
	chromium.Evaluate[chromedp.Void](t, page, `[...document.querySelectorAll('.person')].find(person => person.textContent.startsWith('Nora')).click()`)
	page.Do(t, chromedp.WaitVisible(chromedp.CSS("#logout")))
	field := func(operation string) string {
		return chromium.Evaluate[string](t, page, `document.querySelector('#op-`+operation+` .try [data-in=path], #op-`+operation+` .try textarea').value`)
	}
	chromium.Get(t, page, chromedp.Poll[string](`document.querySelector('#op-importRejects [name=id]').value !== '61' ? 'seen' : ''`))
	for _, operation := range gets(t, page, true) {
		send(t, page, operation, "")
		assert.Contains(t, answered(t, page, operation), "200", operation)
	}
	own := chromium.Evaluate[int](t, page, `fetch('../api/user/profile/', {headers: {Authorization: 'Token ' + session.key}}).then(r => r.json()).then(r => r.data.uid)`)
	for _, operation := range []string{"showPerson", "disableAccount", "setRights", "endSessionsOf"} {
		assert.NotEqual(t, fmt.Sprint(own), field(operation), operation)
	}
	assert.NotContains(t, field("createRefund"), "71", "the payment of the example")
	send(t, page, "decideReport", "")
	assert.Contains(t, answered(t, page, "decideReport"), "201")
	send(t, page, "endSessionsOf", "")
	assert.Contains(t, answered(t, page, "endSessionsOf"), "200")
}

// showsStream shows that events are written as they come, until the reader stops them, by the keyboard.
func showsStream(t *testing.T, page *chromium.Tab) {
	page.Do(t, chromedp.Click(chromedp.CSS("#login-open")))
	logIn(t, page)
	page.Do(t, chromedp.Focus(chromedp.CSS("#op-stream .try summary")), chromedp.KeyEvent("\r"),
		chromedp.Focus(chromedp.CSS("#op-stream .primary")), chromedp.KeyEvent("\r"))
	shows := func(text string) {
		t.Helper()
		chromium.Get(t, page, chromedp.Poll[bool](fmt.Sprintf(`document.querySelector('#op-stream output').textContent.includes(%q)`, text)))
	}
	shows("event: unread")
	assert.Contains(t, answered(t, page, "stream"), "200")
	chromium.Evaluate[chromedp.Void](t, page, `(async () => {
		const [{id}] = (await (await fetch('../api/xfile/event/?page_size=1', {headers: {Authorization: 'Token ' + session.key}})).json()).data
		const ask = async (path, body, key) => (await (await fetch('..' + path, {method: 'POST', body: JSON.stringify(body),
			headers: {'Content-Type': 'application/json', ...(key && {Authorization: 'Token ' + key})}})).json()).data
		const {key} = await ask('/api/auth/login/', {username: '+86-13800000002', password: 'plaza-demo'})
		await ask('/api/activity/comment/', {event: id, content: 'I can hear the oars.'}, key)
	})()`)
	shows("I can hear the oars.")
	assert.Empty(t, violations(t, page, "#op-stream"))
	assert.Equal(t, "Stop", chromium.Get(t, page, chromedp.Text(chromedp.CSS("#op-stream .primary"))))
	page.Do(t, chromedp.Focus(chromedp.CSS("#op-stream .primary")), chromedp.KeyEvent("\r"))
	shows("The stream has ended.")
	assert.Equal(t, "Send", chromium.Get(t, page, chromedp.Text(chromedp.CSS("#op-stream .primary"))))
}

// logsInWhenNeeded shows that a request that needs a token asks for the login first, and that an upload as a form arrives.
func logsInWhenNeeded(t *testing.T, page *chromium.Tab) {
	send(t, page, "createImage", `
		const media = f.querySelector('.media'), files = new DataTransfer()
		media.value = 'multipart/form-data'
		media.dispatchEvent(new Event('change'))
		const bytes = Uint8Array.from(atob('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'), c => c.charCodeAt())
		files.items.add(new File([bytes], 'dot.gif', {type: 'image/gif'}))
		f.querySelector('[type=file]').files = files.files
		f.querySelector('fieldset:not([hidden]) [name=tags]').value = 'lake, it\'s'`)
	page.Do(t, chromedp.WaitVisible(chromedp.CSS(".person")))
	logIn(t, page)
	text := answered(t, page, "createImage")
	assert.Contains(t, text, "201")
	assert.Regexp(t, `"tags": \[\s+"lake",\s+"it's"\s+\]`, text)
	command := chromium.Get(t, page, chromedp.TextContent(chromedp.CSS("#op-createImage .curl code")))
	assert.Contains(t, command, "-F 'img=@dot.gif' \\\n  -F 'tags=lake' \\\n  -F 'tags=it'\\''s'")
}

func searches(t *testing.T, page *chromium.Tab) {
	for words, first := range map[string]string{"like": "#op-getLike", "429": "#about-errors", "openapi": "#op-document"} {
		page.Do(t, chromedp.SendKeys(chromedp.CSS("#search"), words), chromedp.KeyEvent("\r"))
		assert.Equal(t, first, chromium.Evaluate[string](t, page, `location.hash`), words)
		page.Do(t, chromedp.Focus(chromedp.CSS("#search")), chromedp.KeyEvent("\x1b"))
	}
	page.Do(t, chromedp.KeyEvent("/"), chromedp.SendKeys(chromedp.CSS("#search"), "wallet refund"))
	assert.Equal(t, "1 result", chromium.Get(t, page, chromedp.Text(chromedp.CSS("#found"))))
	page.Do(t, chromedp.KeyEvent("\r"))
	assert.Equal(t, "#op-notifyOfRefund", chromium.Evaluate[string](t, page, `location.hash`))
	page.Do(t, chromedp.Focus(chromedp.CSS("#search")), chromedp.KeyEvent("\x1b"))
	assert.Equal(t, 0, chromium.Evaluate[int](t, page, `document.querySelectorAll('nav [hidden]').length`))
}

// fitsAPhone shows that nothing is wider than a narrow screen, and that the menu opens and closes.
func fitsAPhone(t *testing.T, page *chromium.Tab) {
	page.Prefer(t, "prefers-reduced-motion", "reduce") // else a click may come while the menu moves
	page.Do(t, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	chromium.Evaluate[chromedp.Void](t, page, `document.querySelectorAll('main details').forEach(details => { details.open = true })`)
	assert.Equal(t, 390, chromium.Evaluate[int](t, page, `document.documentElement.scrollWidth`))
	isOpen := func() bool {
		return chromium.Evaluate[bool](t, page, `document.querySelector('#search').checkVisibility({visibilityProperty: true})`)
	}
	assert.False(t, isOpen())
	page.Do(t, chromedp.Click(chromedp.CSS("#menu")))
	assert.True(t, isOpen())
	page.Do(t, chromedp.Click(chromedp.CSS("nav a[href='#op-getEvent']")))
	assert.False(t, isOpen())
	assert.Equal(t, "#op-getEvent", chromium.Evaluate[string](t, page, `location.hash`))
}

// faint returns what the page shows with too little contrast.
//
//go:embed testdata/faint.js
var faint string

// isReadable shows that the page has enough contrast, dark and light.
func isReadable(t *testing.T, page *chromium.Tab) {
	t.Helper()
	for _, mode := range []string{"dark", "light"} {
		page.Prefer(t, "prefers-color-scheme", mode)
		assert.Empty(t, chromium.Evaluate[[]string](t, page, faint), mode)
	}
}

// violations returns the rules of axe-core that the page breaks, in the element.
func violations(t *testing.T, page *chromium.Tab, in string) []string {
	t.Helper()
	path := os.Getenv("PLAZA_TEST_AXE")
	if path == "" {
		t.Skip("PLAZA_TEST_AXE is not set: test/tools.sh axe install")
	}
	script, err := os.ReadFile(path)
	require.NoError(t, err)
	chromium.Evaluate[chromedp.Void](t, page, string(script)+";undefined")
	return chromium.Evaluate[[]string](t, page, call("axe.run", in)+`.then(r => r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.html.slice(0, 100)).join(' | ')))`)
}

// worksByKeyboard shows that Tab leads through the reference page, and that the reader sees where it is.
func worksByKeyboard(t *testing.T, page *chromium.Tab) {
	press := func(key string) string {
		page.Do(t, chromedp.KeyEvent(key))
		return chromium.Evaluate[string](t, page, `{
			const element = document.activeElement, style = getComputedStyle(element), at = element.getBoundingClientRect()
			const isSeen = style.outlineStyle !== 'none' && at.bottom > 0 && at.top < innerHeight
			const place = element.id || element.className || element.textContent
			isSeen ? place : place + ' is not seen'
		}`)
	}
	for _, want := range []string{"skip", "brand", "login-open", "theme", "search"} {
		assert.Equal(t, want, press("\t"))
	}
	for range 12 {
		assert.NotContains(t, press("\t"), "is not seen")
	}
	page.Do(t, chromedp.Reload())
	press("\t")
	press("\r")
	assert.Equal(t, "#content", chromium.Evaluate[string](t, page, `location.hash`))
	assert.True(t, chromium.Evaluate[bool](t, page, `document.activeElement.id === 'content'`))
	press("\t")
	assert.True(t, chromium.Evaluate[bool](t, page, `document.querySelector('main').contains(document.activeElement)`), "the navigation is skipped")
	assert.Equal(t, "search", press("/"))
	page.Do(t, chromedp.Click(chromedp.CSS("#login-open")))
	assert.True(t, chromium.Evaluate[bool](t, page, `document.querySelector('dialog').contains(document.activeElement)`))
	press("\x1b")
	assert.Equal(t, "login-open", chromium.Evaluate[string](t, page, `document.activeElement.id`), "the focus returns")
}
