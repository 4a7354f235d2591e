package sanitiser

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// maxDepth limits the nesting of elements. Deeper nesting could break clients.
const maxDepth = 64

// unread are the elements whose text browsers do not show.
var unread = set("script", "style", "iframe", "noembed", "noframes", "noscript")

// void are the elements without an end tag.
var void = set("br", "hr", "img")

// blocks are the elements whose start ends a paragraph.
var blocks = set("p", "ul", "ol", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "hr")

var allowed = set(append(slices.Clone(elements), "a", "img")...)

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}

// tidy returns the markup with only the allowed elements, each closed where necessary, and
// all visible text.
func (s *Sanitiser) tidy(raw string) string {
	var out writer
	skipping := false // the next text belongs to an unread element
	for z := html.NewTokenizer(strings.NewReader(raw)); z.Next() != html.ErrorToken; {
		switch t := z.Token(); t.Type {
		case html.TextToken:
			if !skipping {
				out.WriteString(t.String())
			}
			skipping = false
		case html.StartTagToken, html.SelfClosingTagToken:
			skipping = unread[t.Data]
			out.begin(t.Data)
			if s.cleanToken(&t) && len(out.open) < maxDepth {
				out.start(t)
			}
		case html.EndTagToken:
			skipping = false
			out.end(t.Data)
		}
	}
	out.closeTo(0)
	return out.String()
}

// cleanToken removes the forbidden attributes of the element, and reports whether the element
// is allowed. The first of repeated attributes counts, as in browsers.
func (s *Sanitiser) cleanToken(t *html.Token) bool {
	attrs := t.Attr
	t.Attr = nil
	keep := func(names ...string) {
		for _, name := range names {
			if i := slices.IndexFunc(attrs, func(a html.Attribute) bool { return a.Key == name }); i >= 0 {
				t.Attr = append(t.Attr, attrs[i])
			}
		}
	}
	switch t.Data {
	case "a":
		keep("href")
		return len(t.Attr) == 1 && isLink(t.Attr[0].Val)
	case "img":
		keep("src", "alt", "width", "height")
		return len(t.Attr) > 0 && t.Attr[0].Key == "src" && s.pictures.MatchString(t.Attr[0].Val)
	}
	return allowed[t.Data]
}

func isLink(href string) bool {
	href = strings.TrimSpace(href)
	u, err := url.Parse(href)
	return err == nil && !strings.ContainsAny(href, " \t\n") && isAbsolute(u)
}

// writer is the markup written so far, with its open elements.
type writer struct {
	strings.Builder
	open []string // at most maxDepth
}

// begin closes the elements that a start tag ends, even if the element itself is removed:
// links and list items do not nest, and paragraphs contain no blocks.
func (o *writer) begin(name string) {
	if name == "a" {
		o.end("a")
	}
	if len(o.open) == 0 {
		return
	}
	last := o.open[len(o.open)-1]
	if last == "li" && name == "li" || last == "p" && blocks[name] {
		o.closeTo(len(o.open) - 1)
	}
}

func (o *writer) start(t html.Token) {
	if void[t.Data] {
		t.Type = html.SelfClosingTagToken
	} else {
		t.Type = html.StartTagToken
		o.open = append(o.open, t.Data)
	}
	o.WriteString(t.String())
}

// end closes the innermost open element of the name with everything inside it.
func (o *writer) end(name string) {
	for depth := len(o.open) - 1; depth >= 0; depth-- {
		if o.open[depth] == name {
			o.closeTo(depth)
			return
		}
	}
}

func (o *writer) closeTo(depth int) {
	for _, name := range slices.Backward(o.open[depth:]) {
		o.WriteString("</" + name + ">")
	}
	o.open = o.open[:depth]
}
