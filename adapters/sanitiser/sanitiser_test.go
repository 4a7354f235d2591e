package sanitiser_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"pgregory.net/rapid"

	"plaza/adapters/sanitiser"
	"plaza/domain/markup"
)

var _ markup.Sanitiser = (*sanitiser.Sanitiser)(nil)

const ours = "https://plaza.example/media/public/"

func TestWhatBecomesOfMarkup(t *testing.T) {
	s := sanitiser.New(ours)
	for raw, clean := range map[string]string{
		// Text.
		"a & b < c": "a &amp; b &lt; c", "&amp;lt;": "&amp;lt;", "&nbsp;": "\u00a0", `"it's"`: "&#34;it&#39;s&#34;", "x\r\ny": "x\ny",
		// Elements and what closes them.
		"<P CLASS=x>a</P>": "<p>a</p>", "<p>a<p>b": "<p>a</p><p>b</p>", "<b>a": "<b>a</b>", "a</b>": "a", "<b><i>a</b>b</i>": "<b><i>a</i></b>b",
		"<ul><li>a<li>b</ul>c": "<ul><li>a</li><li>b</li></ul>c", "<p>a<h1>b</h1>": "<p>a</p><h1>b</h1>", "<br>a</br>": "<br/>a",
		"<ul><li>a<ul><li>b</ul><li>c</ul>": "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "<p/>a": "<p>a</p>",
		"<span><b>a</b></span>": "<b>a</b>", "<details open><summary>a</summary>b</details>": "a<br/>b",
		// What is removed leaves things apart, and what means the same stays.
		"<div>one</div><div>two</div>": "one<br/>two", "<div>one<div>two</div>three</div>": "one<br/>two<br/>three",
		"a<section><p>b</p></section>c":         "a<p>b</p>c",
		"<div>one</div>\n<div><b>two</b></div>": "one\n<br/><b>two</b>", "<div><div>one</div></div>": "one",
		"<div>one<br></div><div>two</div>":                                 "one<br/>two",
		"<table><tr><th>T<th>h</tr><tr><td>1</td><td>2</td></tr></table>x": "T h<br/>1 2<br/>x", "<dl><dt>a<dd>b<dt>c</dl>": "a<br/>b<br/>c",
		"<b><div>a</div><div>b</div></b>": "<b>a<br/>b</b>", "<ul><li><div>a</div></li><li>b</ul>": "<ul><li>a</li><li>b</li></ul>",
		"<del>no</del> <strike>no</strike>": "<s>no</s> <s>no</s>", "<s>a</del>b": "<s>a</s>b",
		"x<sup>2</sup>, H<sub>2</sub>O":       "x<sup>2</sup>, H<sub>2</sub>O",
		"<ol start=3><li>a<li value=7>b</ol>": `<ol start="3"><li>a</li><li value="7">b</li></ol>`, "<ol start=x><li value='1 2'>a</ol>": "<ol><li>a</li></ol>",
		// Invisible text.
		"<script>a</script>b": "b", "<script/>a</script>b": "b", "<script>a": "", "<style>a</style>b": "b", "</iframe><iframe>a</iframe>b": "b",
		"<noscript>a</noscript>b": "b", "<svg><style>a</style><text>b</text></svg>c": "bc", "<object><p>a</p></object>b": "<p>a</p>b",
		"<object>a": "a", "<title>a</title>b": "ab", "<textarea><b>a</textarea>": "&lt;b&gt;a", "<!-- a -->b<!--c": "b", "<!doctype html>a": "a",
		"<<script></script>script>a":                           "&lt;script&gt;a",
		`<font color="red">red</font><marquee>moves</marquee>`: "redmoves", `<unknown>word</unknown>`: "word", `<button>press</button>`: "press",
		// Links.
		link("https://x.example/a?b=c&amp;d#e"): anchor("https://x.example/a?b=c&amp;d#e"), link("HTTP://X.example"): anchor("http://X.example"),
		link("mailto:a@b.example?subject=c"): anchor("mailto:a@b.example?subject=c"), link(" https://x.example/ "): anchor("https://x.example/"),
		`<a href="https://x.example" rel="follow" target="_top" id=a name=b title=c>text</a>`: anchor("https://x.example"),
		`<a href="javascript:x" href="https://x.example">text</a>`:                            "text",
		`<a href="https://x.example">a<a href="https://y.example">b</a>c</a>`: strings.Replace(anchor("https://x.example"), "text", "a", 1) +
			strings.Replace(anchor("https://y.example"), "text", "b", 1) + "c",
		// Pictures.
		image(ours + "a.png"): `<img src="` + ours + `a.png"/>`, image(ours + "2026/03/a-b_c.d.webp"): `<img src="` + ours + `2026/03/a-b_c.d.webp"/>`,
		`<img class=x alt='a "b" &lt;c>' height=10 src="` + ours + `a.png" width=20 onload=x>d`: `<img src="` + ours + `a.png" alt="a &#34;b&#34; &lt;c&gt;" width="20" height="10"/>d`,
		`<img src="` + ours + `a.png" width="100%" height="99999">`:                             `<img src="` + ours + `a.png"/>`, `<img alt=a>b`: "b",
	} {
		assert.Equal(t, clean, string(s.Sanitise(raw)), "%q", raw)
	}
	for _, harmless := range []string{
		"", "text", "<p>one<br/>two</p>", "<p>a <b>b</b> <strong>c</strong> <i>d</i> <em>e</em> <u>f</u> <s>g</s></p>",
		"<ul><li>one</li><li>two</li></ul>", "<ol><li>one</li></ol>", "<blockquote><p>said</p></blockquote>",
		"<h1>1</h1><h2>2</h2><h3>3</h3><h4>4</h4><h5>5</h5><h6>6</h6>", "<pre><code>a &lt; b</code></pre><hr/>", "西湖 🌊 &amp; more",
	} {
		assert.Equal(t, harmless, string(s.Sanitise(harmless)))
	}
}

func TestLinksLeadNowhereElse(t *testing.T) {
	s := sanitiser.New(ours)
	for _, href := range []string{
		"", "#", "#a", "/", "a", "../a", "?a", "//x.example", `\\x.example`, `/\x.example`, `https:\\x.example`, "https:/x.example", "https:x.example", "https:", "https://",
		"http://?a", "https:///x.example", "javascript:alert(1)", " javascript:alert(1)", "java\nscript:alert(1)", "java&Tab;script:alert(1)",
		"\x01javascript:alert(1)",
		"javascript&colon;alert(1)", "vbscript:x", "data:text/html,x", "file:///etc/passwd", "ftp://x.example", "tel:+1",
		"blob:https://x.example", "about:blank",
		"https://plaza.example@evil.example", "https://a:b@evil.example", "https://x.example/a b", "https://x.example\\@evil.example", "mailto:",
		"mailto://a", "https://%zz",
	} {
		assert.Equal(t, "text", string(s.Sanitise(link(href))), "%q", href)
	}
}

func TestPicturesAreOursOnly(t *testing.T) {
	s := sanitiser.New(ours, "https://cdn.example/plaza")
	assert.Contains(t, s.Sanitise(image("https://cdn.example/plaza/a.png")), "<img")
	for _, src := range []string{
		"", "a.png", "/media/public/a.png", "//plaza.example/media/public/a.png", "http://plaza.example/media/public/a.png",
		"https://evil.example/a.png",
		"https://evil.example/" + ours + "a.png", "https://plaza.example.evil.example/media/public/a.png",
		"https://plaza.example:444/media/public/a.png",
		"https://plaza.example@evil.example/media/public/a.png", "https://evil.example@plaza.example/media/public/a.png",
		"https://plaza.example/media/publicity/a.png",
		"https://plaza.example/media/public", ours, ours + "/a.png", ours + "../private/a.png", ours + "a/../../b.png", ours + "./a.png", ours +
			".htaccess", ours + "a/.b",
		ours + "%2e%2e/private/a.png", ours + "%2E%2E%2Fa.png", ours + "..%2fa.png", ours + "%252e%252e/a.png", ours + `..\a.png`, ours + `a\b.png`, ours + "a//b.png", ours + "a/",
		ours + "a.png?x=1", ours + "a.png#x", ours + "a.png?", ours + "a;b.png", ours + "a.png%00.svg", ours + "a b.png", ours + "a\nb.png",
		ours + "é.png", ours + "．．/a.png", ours + "&period;&period;/a.png",
		"HTTPS://plaza.example/media/public/a.png", "https://PLAZA.example/media/public/a.png", "https://plaza.example/MEDIA/public/a.png", " " +
			ours + "a.png", ours + "a.png ",
		"https://plazaXexample/media/public/a.png", "https://cdn.example/plazaa.png", "https://cdn.example/a.png", "data:image/png;base64,AAAA",
		"javascript:alert(1)",
	} {
		assert.Empty(t, s.Sanitise(image(src)), "%q", src)
	}
}

func TestPrefixesThatAdmitNothing(t *testing.T) {
	for _, prefixes := range [][]string{
		nil, {""}, {"/"}, {"/media/"}, {"//plaza.example/"}, {"ftp://plaza.example/"}, {"mailto:x"}, {"https://"}, {"https://a@plaza.example/"},
		{"https://plaza.example/?a=/"}, {"https://plaza.example/#/"}, {"https://%zz/"},
	} {
		s := sanitiser.New(prefixes...)
		for _, src := range []string{"a.png", "/a.png", "/media/a.png", "//plaza.example/a.png", "https://plaza.example/a.png", "https://a.png",
			"ftp://plaza.example/a.png"} {
			assert.Empty(t, s.Sanitise(image(src)), "%q under %q", src, prefixes)
		}
	}
	odd := sanitiser.New("HTTPS://plaza.example/media")
	assert.NotEmpty(t, odd.Sanitise(image("https://plaza.example/media/a.png")), "schemes have no case")
}

// TestHugeMarkupTakesLittleTime uses markup that costs careless sanitisers quadratic time, which would
// outlast the time limit of all tests.
func TestHugeMarkupTakesLittleTime(t *testing.T) {
	s := sanitiser.New(ours)
	const n = 100_000
	for _, raw := range []string{
		strings.Repeat("<b>", n) + strings.Repeat("</i>", n), strings.Repeat("<b>", n) + strings.Repeat("</b>", n), strings.Repeat("<", n),
		strings.Repeat("<a ", n), strings.Repeat("</p", n),
		strings.Repeat("<p>", n), strings.Repeat("<b><i>", n) + strings.Repeat("</b>", n), strings.Repeat("<!--", n), strings.Repeat("&", n),
		strings.Repeat("<script>", n), "<p " + strings.Repeat("a ", n) + ">",
	} {
		clean := s.Sanitise(raw)
		requireHarmless(t, clean)
	}
}

func TestWhatStaysIsHarmless(t *testing.T) {
	s := sanitiser.New(ours)
	rapid.Check(t, func(t *rapid.T) {
		attr := rapid.StringMatching(` (href|src|style|onclick|id|alt|width|rel)=["']?(https?:|mailto:|javascript:|//|` + ours + `)?[a-z./%\\@?#&; ]{0,8}["']?`)
		tag := rapid.Custom(func(t *rapid.T) string {
			name := rapid.SampledFrom([]string{"p", "a", "img", "b", "li", "ul", "script", "style", "svg", "iframe", "div", "textarea", "noscript",
				"pre"}).Draw(t, "name")
			if rapid.Bool().Draw(t, "end") {
				return "</" + name + ">"
			}
			return "<" + name + strings.Join(rapid.SliceOfN(attr, 0, 3).Draw(t, "attributes"), "") + ">"
		})
		raw := strings.Join(rapid.SliceOfN(rapid.OneOf(tag, rapid.StringOf(rapid.RuneFrom([]rune("ab &<>\"';/")))), 0, 20).Draw(t, "parts"), "")
		requireStable(t, s, raw)
	})
}

func FuzzSanitise(f *testing.F) {
	attacks, err := os.ReadFile("testdata/attacks.html") // one a line
	require.NoError(f, err)
	for raw := range strings.Lines(string(attacks)) {
		f.Add(strings.TrimSuffix(raw, "\n"))
	}
	for _, raw := range []string{
		`<img src="` + ours + `a.png" alt="&quot;">`, "<a href=http://[::1%25a\xf7]/>", "<p>\x00\xff",
		"<a href=\"java\tscript:alert(1)\">x</a>",
	} {
		f.Add(raw)
	}
	s := sanitiser.New(ours)
	f.Fuzz(func(t *testing.T, raw string) { requireStable(t, s, raw) })
}

func link(href string) string { return `<a href="` + href + `">text</a>` }

func anchor(href string) string {
	return `<a href="` + href + `" rel="nofollow noopener noreferrer">text</a>`
}

func image(src string) string { return `<img src="` + src + `">` }

func requireStable(t require.TestingT, s *sanitiser.Sanitiser, raw string) {
	once := s.Sanitise(raw)
	requireHarmless(t, once)
	require.Equal(t, once, s.Sanitise(string(once)), "%q", raw)
}

// requireHarmless parses the markup as a browser does and checks every element and
// attribute.
func requireHarmless(t require.TestingT, clean markup.HTML) {
	roots, err := html.ParseFragment(strings.NewReader(string(clean)), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	require.NoError(t, err)
	for _, root := range roots {
		requireHarmlessNode(t, root)
		for n := range root.Descendants() {
			requireHarmlessNode(t, n)
		}
	}
	require.Equal(t, strings.Count(string(clean), "</"), strings.Count(string(clean), "<")-strings.Count(string(clean),
		"</")-strings.Count(string(clean), "/>"),
		"whatever opens is closed: %q", clean)
}

func requireHarmlessNode(t require.TestingT, n *html.Node) {
	require.Contains(t, []html.NodeType{html.TextNode, html.ElementNode}, n.Type)
	if n.Type == html.TextNode {
		return
	}
	require.Empty(t, n.Namespace)
	require.Contains(t, strings.Fields("p br a b strong i em u s ul ol li blockquote h1 h2 h3 h4 h5 h6 pre code hr img"), n.Data)
	for _, a := range n.Attr {
		require.Empty(t, a.Namespace)
		switch n.Data + " " + a.Key {
		case "a href":
			require.True(t, slices.ContainsFunc([]string{"https://", "http://", "mailto:"}, func(scheme string) bool {
				return len(a.Val) > len(scheme) && strings.HasPrefix(a.Val, scheme)
			}), a.Val)
			if _, host, isWeb := strings.Cut(a.Val, "://"); isWeb {
				host = host[:strings.IndexAny(host+"/", "/?#")]
				require.NotContains(t, host, `\`, "browsers end the host there")
				require.NotContains(t, host, "@")
			}
		case "a rel":
			require.Equal(t, "nofollow noopener noreferrer", a.Val)
		case "img src":
			require.Regexp(t, `^`+ours+`[\w-][\w.-]*(/[\w-][\w.-]*)*$`, a.Val)
		case "img alt":
		case "img width", "img height":
			require.Regexp(t, `^\d{1,4}$`, a.Val)
		default:
			require.Fail(t, "unexpected attribute", "%s of %s", a.Key, n.Data)
		}
	}
}
