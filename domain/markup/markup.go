// Package markup models HTML that members write. It is sanitised before it is stored,
// and it is blank if it shows no text.
package markup

import (
	"html"
	"slices"
	"strings"

	"plaza/domain/text"
)

// HTML is sanitised markup. Only sanitised markup is stored or served as HTML (EVT-18).
type HTML string

// Sanitiser removes scripts, frames, trackers and hidden content from markup.
type Sanitiser interface {
	// Sanitise returns the harmless part of the markup. It must be idempotent, must
	// keep the readable text of removed elements, and must be safe for concurrent use.
	Sanitise(raw string) HTML
}

// Text returns the text of the markup, without its tags and with its entities
// resolved.
func (h HTML) Text() string { return h.text(func(string) bool { return false }) }

// Prose is Text with a blank for each tag that is not within a word.
func (h HTML) Prose() string {
	return h.text(func(tag string) bool {
		name, _, _ := strings.Cut(strings.Trim(tag, "/ "), " ")
		return !slices.Contains(withinWords, strings.ToLower(name))
	})
}

// withinWords are the tags that sanitised markup may have within a word.
var withinWords = strings.Fields("a abbr b big cite code del em font i ins mark q s small span strike strong sub sup tt u wbr")

// text returns the text of the markup, with a blank for each tag that divides it.
func (h HTML) text(divides func(tag string) bool) string {
	var b strings.Builder
	rest := string(h)
	for {
		open := strings.IndexByte(rest, '<')
		if open < 0 {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:open])
		shut := strings.IndexByte(rest[open:], '>')
		if shut < 0 {
			break
		}
		if divides(rest[open+1 : open+shut]) {
			b.WriteByte(' ')
		}
		rest = rest[open+shut+1:]
	}
	return html.UnescapeString(b.String())
}

// IsBlank reports whether the markup shows no text. White space, &nbsp; and empty tags
// are not text (EVT-04).
func (h HTML) IsBlank() bool { return text.IsBlank(h.Text()) }
