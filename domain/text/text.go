// Package text holds what is true of every text that a client writes: it is
// valid UTF-8 without a NUL character, within its limit, and a text counts as
// blank when nothing of it would be seen.
package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences that more than one check gives; clients of the original know them.
const (
	Required = "This field is required."
	Blank    = "This field may not be blank."
	Null     = "This field may not be null."
)

// Limit bounds a text. A zero bound does not bind.
type Limit struct {
	Chars int // Unicode code points
	Bytes int // bytes of its UTF-8
}

// Problem is the sentence that says what is wrong with the text; empty when
// nothing is.
func (l Limit) Problem(s string) string {
	switch {
	case !utf8.ValidString(s):
		return "Text must be valid UTF-8."
	case strings.ContainsRune(s, 0):
		return "Null characters are not allowed."
	case l.Bytes > 0 && len(s) > l.Bytes:
		return fmt.Sprintf("Ensure this field has no more than %d bytes.", l.Bytes)
	case l.Chars > 0 && len(s) > l.Chars && utf8.RuneCountInString(s) > l.Chars:
		return fmt.Sprintf("Ensure this field has no more than %d characters.", l.Chars)
	}
	return ""
}

// RequiredProblem is Problem for a text that must not be blank either.
func (l Limit) RequiredProblem(s string) string {
	if p := l.Problem(s); p != "" {
		return p
	}
	if IsBlank(s) {
		return Blank
	}
	return ""
}

// Trim takes white space off both ends, as is done with titles, tags and names
// (GEN-08), never with contents or passwords.
func Trim(s string) string { return strings.TrimFunc(s, unicode.IsSpace) }

// IsBlank says whether nothing of the text would be seen: it is empty, white
// space (the no-break space included), or characters without a width.
func IsBlank(s string) bool {
	for _, r := range s {
		if !unicode.IsSpace(r) && !invisible(r) {
			return false
		}
	}
	return true
}

// invisible knows the characters that are neither white space nor visible: the
// format characters (zero-width space and joiners, byte order mark, direction
// marks) and the control characters.
func invisible(r rune) bool { return unicode.Is(unicode.Cf, r) || unicode.IsControl(r) }
