// Package markup is about HTML that members write: it is cleaned before it is
// kept, and it is blank when it shows no text.
package markup

import (
	"html"
	"strings"

	"plaza/domain/text"
)

// HTML is markup that a Sanitiser let through. Nothing else is ever stored or
// served as HTML (EVT-18).
type HTML string

// Sanitiser removes from markup whatever could act, frame, phone home or hide.
// Every implementation passes test/ports.Sanitiser.
type Sanitiser interface {
	// Sanitise returns what is harmless of the markup. It must be idempotent,
	// must keep the text of what it takes away where that was meant to be read,
	// and must be safe to call from many goroutines at once.
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

// IsBlank says whether the markup shows no text: white space, &nbsp; and empty
// tags do not count (EVT-04).
func (h HTML) IsBlank() bool { return text.IsBlank(h.Text()) }
