//go:build soak

package browser

import (
	"os"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/chromium"
)

// faint returns what the page shows with less contrast than WCAG 2.2 asks for at level AA: 4.5:1 for text, 3:1 for large
// text and for the edges of controls. Hidden and disabled elements don't count.
const faint = `(() => {
	const parse = colour => {
		const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number)
		return {rgb: [r, g, b], a}
	}
	const over = (front, back) => front.rgb.map((part, i) => part * front.a + back[i] * (1 - front.a))
	const behind = element => {
		if (!element) return matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255]
		const colour = parse(getComputedStyle(element).backgroundColor)
		return colour.a === 1 ? colour.rgb : over(colour, behind(element.parentElement))
	}
	const luminance = rgb => {
		const [r, g, b] = rgb.map(part => part / 255).map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
		return 0.2126 * r + 0.7152 * g + 0.0722 * b
	}
	const ratio = (colour, back) => {
		const [bright, dark] = [luminance(over(parse(colour), back)), luminance(back)].sort((a, b) => b - a)
		return (bright + 0.05) / (dark + 0.05)
	}
	const found = new Set()
	const judge = (element, what, colour, back, least) => {
		const got = ratio(colour, back)
		if (got < least) found.add(what + ' of ' + element.tagName + '.' + element.className + ': ' + got.toFixed(2))
	}
	for (const element of document.querySelectorAll('body, body *')) {
		if (!element.checkVisibility({visibilityProperty: true}) || element.closest(':disabled')) continue
		const style = getComputedStyle(element), size = parseFloat(style.fontSize)
		const isLarge = size >= 24 || size >= 18.66 && style.fontWeight >= 700
		if ([...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim())) {
			judge(element, 'text', style.color, behind(element), isLarge ? 3 : 4.5)
		}
		if (!element.matches('input, select, textarea, button')) continue
		if (element.placeholder) {
			const hint = getComputedStyle(element, '::placeholder'), {rgb} = parse(hint.color)
			judge(element, 'placeholder', 'rgba(' + [...rgb, hint.opacity] + ')', behind(element), 4.5)
		}
		if (parseFloat(style.borderTopWidth) > 0) judge(element, 'edge', style.borderTopColor, behind(element.parentElement), 3)
	}
	return [...found]
})()`

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
