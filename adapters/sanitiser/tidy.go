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
var unread = strings.Fields(`script style iframe noembed noframes noscript`)

// void are the elements without an end tag.
var void = []string{"br", "hr", "img"}

// blocks are the elements whose start ends a paragraph.
var blocks = strings.Fields(`p ul ol blockquote h1 h2 h3 h4 h5 h6 pre hr`)

// lines are the elements that are removed and leave a line break where they begin and end, and cells
// those that leave a space.
var (
	lines = strings.Fields(`address article aside caption center dd details dialog dir div dl dt fieldset figcaption figure footer form header
		hgroup legend main menu nav option search section summary table tbody tfoot thead tr`)
	cells = []string{"td", "th"}
)

// renamed are elements that mean the same as an allowed one.
var renamed = map[string]string{"del": "s", "strike": "s"}

var allowed = append(slices.Clone(elements), "a", "img")

// tidy returns the markup with only the allowed elements, each closed where necessary, and
// all visible text.
func (s *Sanitiser) tidy(raw string) string {
	var out writer
	skipping := false // the next text belongs to an unread element
	for z := html.NewTokenizer(strings.NewReader(raw)); z.Next() != html.ErrorToken; {
		t := z.Token()
		if name, is := renamed[t.Data]; is && t.Type != html.TextToken {
			t.Data = name
		}
		switch t.Type {
		case html.TextToken:
			if !skipping {
				out.text(t)
			}
			skipping = false
		case html.StartTagToken, html.SelfClosingTagToken:
			skipping = slices.Contains(unread, t.Data)
			out.separate(t.Data)
			out.begin(t.Data)
			if s.cleanToken(&t) && len(out.open) < maxDepth {
				out.start(t)
			}
		case html.EndTagToken:
			skipping = false
			out.separate(t.Data)
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
	case "ol":
		keep("start")
	case "li":
		keep("value")
	case "img":
		keep("src", "alt", "width", "height")
		return len(t.Attr) > 0 && t.Attr[0].Key == "src" && s.pictures.MatchString(t.Attr[0].Val)
	}
	return slices.Contains(allowed, t.Data)
}

func isLink(href string) bool {
	href = strings.TrimSpace(href)
	u, err := url.Parse(href)
	return err == nil && !strings.ContainsAny(href, " \t\n") && isAbsolute(u)
}

// writer is the markup written so far, with its open elements.
type writer struct {
	strings.Builder
	open    []string // at most maxDepth
	inLine  bool     // something is on the line that is being written
	pending string   // what separates it from the next thing on the line: a break, a space, or nothing
}

// separate notes that an element begins or ends. Removed ones leave what they separate apart, and allowed
// blocks separate by themselves.
func (o *writer) separate(name string) {
	switch {
	case !o.inLine:
	case slices.Contains(lines, name):
		o.pending = "<br/>"
	case slices.Contains(cells, name) && o.pending == "":
		o.pending = " "
	case slices.Contains(blocks, name) || name == "li" || name == "br":
		o.inLine, o.pending = false, ""
	}
}

// separated writes what separates the next thing on the line.
func (o *writer) separated() {
	o.WriteString(o.pending)
	o.pending = ""
}

func (o *writer) text(t html.Token) {
	if strings.TrimSpace(t.Data) != "" {
		o.separated()
		o.inLine = true
	}
	o.WriteString(t.String())
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
	if last == "li" && name == "li" || last == "p" && slices.Contains(blocks, name) {
		o.closeTo(len(o.open) - 1)
	}
}

func (o *writer) start(t html.Token) {
	o.separated()
	o.inLine = o.inLine || t.Data == "img"
	if slices.Contains(void, t.Data) {
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
