// Package markup models HTML that members write. It is sanitised before it is stored,
// and it is blank if it shows no text.
package markup

import (
	"html"
	"strings"

	"plaza/domain/text"
)

// HTML is sanitised markup. Only sanitised markup is stored or served as HTML (EVT-18).
type HTML string

// Sanitiser removes scripts, frames, trackers and hidden content from markup. Every
// implementation passes test/ports.Sanitiser.
type Sanitiser interface {
	// Sanitise returns the harmless part of the markup. It must be idempotent, must
	// keep the readable text of removed elements, and must be safe for concurrent use.
	Sanitise(raw string) HTML
}

// Text returns the text of the markup, without its tags and with its entities
// resolved.
func (h HTML) Text() string {
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
		rest = rest[open+shut+1:]
	}
	return html.UnescapeString(b.String())
}

// IsBlank reports whether the markup shows no text. White space, &nbsp; and empty tags
// are not text (EVT-04).
func (h HTML) IsBlank() bool { return text.IsBlank(h.Text()) }
