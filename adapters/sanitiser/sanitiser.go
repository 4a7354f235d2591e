// Package sanitiser cleans the HTML that members write (EVT-18).
//
// It works in two steps. First the markup is tidied: what nobody reads goes, and
// every element that stays is closed, so that nothing spills into the page
// around it. Then bluemonday judges, under a policy that names each element and
// attribute that may stay; it has the last word.
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
	pictures *regexp.Regexp // addresses of pictures that may be shown
}

// New returns a sanitiser that lets pictures stay whose addresses are under one
// of the prefixes: absolute http or https addresses of folders. A prefix that is
// none admits nothing.
func New(imagePrefixes ...string) *Sanitiser {
	pictures := under(imagePrefixes)
	return &Sanitiser{policy: newPolicy(pictures), pictures: pictures}
}

// Sanitise implements markup.Sanitiser.
func (s *Sanitiser) Sanitise(raw string) markup.HTML {
	clean := s.policy.Sanitize(s.tidy(raw))
	// bluemonday has no rule for noopener alone. Its quotes stand around attributes
	// only, those of the text being escaped, so nothing else is replaced.
	return markup.HTML(strings.ReplaceAll(clean, ` rel="nofollow noreferrer"`, ` rel="nofollow noopener noreferrer"`))
}

// elements are those that may stay without attributes.
var elements = strings.Fields(`p br b strong i em u s ul ol li blockquote h1 h2 h3 h4 h5 h6 pre code hr`)

// pixels are widths and heights.
var pixels = regexp.MustCompile(`^[0-9]{1,4}$`)

func newPolicy(pictures *regexp.Regexp) *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(elements...)

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

// isAbsolute says whether the address is a full one that shows where it leads: a
// user name before the host only ever deceives. It must also read as it is
// written, which not all do that url.Parse takes.
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

// Patterns of addresses. Names under a prefix are of such characters only that
// there is no way to write a step up, an escape or a query.
const (
	namePattern = `[A-Za-z0-9_-][A-Za-z0-9._-]*`
	noPattern   = `[^\x00-\x{10FFFF}]`
)

func under(prefixes []string) *regexp.Regexp {
	folders := []string{noPattern}
	for _, prefix := range prefixes {
		u, err := url.Parse(strings.TrimRight(prefix, "/") + "/")
		if err == nil && isAbsolute(u) && u.Scheme != "mailto" && u.RawQuery == "" && u.Fragment == "" {
			folders = append(folders, regexp.QuoteMeta(u.String()))
		}
	}
	return regexp.MustCompile(`^(?:` + strings.Join(folders, "|") + `)` + namePattern + `(?:/` + namePattern + `)*$`)
}
