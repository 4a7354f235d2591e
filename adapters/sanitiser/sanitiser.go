// Package sanitiser cleans the HTML that members write (EVT-18).
//
// It works in two steps. First it tidies the markup: it removes invisible text and closes
// every remaining element, so that no element affects the page around it. Then bluemonday
// applies a policy that lists each allowed element and attribute, and decides.
package sanitiser

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/microcosm-cc/bluemonday"

	"plaza/domain/markup"
)

// Sanitiser implements markup.Sanitiser.
type Sanitiser struct {
	policy   *bluemonday.Policy
	pictures *regexp.Regexp // URLs of pictures that may be shown
}

// New returns a sanitiser that allows pictures whose URLs are below one of the prefixes:
// absolute http or https URLs of folders. An invalid prefix allows nothing.
func New(imagePrefixes ...string) *Sanitiser {
	pictures := prefixPattern(imagePrefixes)
	return &Sanitiser{policy: newPolicy(pictures), pictures: pictures}
}

func (s *Sanitiser) Sanitise(raw string) markup.HTML {
	clean := s.policy.Sanitize(s.tidy(raw))
	// bluemonday can't add noopener alone. It quotes attributes only and escapes quotes in
	// text, so nothing else is replaced.
	return markup.HTML(strings.ReplaceAll(clean, ` rel="nofollow noreferrer"`, ` rel="nofollow noopener noreferrer"`))
}

// elements are the elements that are allowed without attributes.
var elements = strings.Fields(`p br b strong i em u s sup sub ul ol li blockquote h1 h2 h3 h4 h5 h6 pre code hr`)

// pixels matches widths and heights, and ordinal the numbers of lists and of their items.
var (
	pixels  = regexp.MustCompile(`^[0-9]{1,4}$`)
	ordinal = regexp.MustCompile(`^-?[0-9]{1,6}$`)
)

func newPolicy(pictures *regexp.Regexp) *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(elements...)

	p.AllowAttrs("start").Matching(ordinal).OnElements("ol")
	p.AllowAttrs("value").Matching(ordinal).OnElements("li")
	p.AllowAttrs("href").OnElements("a")
	p.RequireParseableURLs(true)
	p.AllowURLSchemeWithCustomPolicy("http", isAbsolute)
	p.AllowURLSchemeWithCustomPolicy("https", isAbsolute)
	p.AllowURLSchemeWithCustomPolicy("mailto", isAbsolute)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)

	p.AllowAttrs("src").Matching(pictures).OnElements("img")
	p.AllowAttrs("alt").OnElements("img")
	p.AllowAttrs("width", "height").Matching(pixels).OnElements("img")
	return p
}

// isAbsolute reports whether the URL is absolute and shows its target. A user name before
// the host only deceives. The URL must also equal its parsed form, which url.Parse does not
// ensure.
func isAbsolute(u *url.URL) bool {
	again, err := url.Parse(u.String())
	if err != nil || again.String() != u.String() {
		return false
	}
	switch u.Scheme {
	case "http", "https":
		return u.Host != "" && u.User == nil
	case "mailto":
		return u.Opaque != ""
	}
	return false
}

// Patterns of URLs. Names below a prefix may only have characters that can't form a parent
// step, an escape or a query.
const (
	namePattern = `[A-Za-z0-9_-][A-Za-z0-9._-]*`
	noPattern   = `[^\x00-\x{10FFFF}]`
)

func prefixPattern(prefixes []string) *regexp.Regexp {
	folders := []string{noPattern}
	for _, prefix := range prefixes {
		u, err := url.Parse(strings.TrimRight(prefix, "/") + "/")
		if err == nil && isAbsolute(u) && u.Scheme != "mailto" && u.RawQuery == "" && u.Fragment == "" {
			folders = append(folders, regexp.QuoteMeta(u.String()))
		}
	}
	return regexp.MustCompile(`^(?:` + strings.Join(folders, "|") + `)` + namePattern + `(?:/` + namePattern + `)*$`)
}
