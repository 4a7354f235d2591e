// Package text holds the rules for every text that a client writes: it is valid UTF-8
// without a NUL character and within its limit, and it is blank if it has no visible
// character.
//
// A text of one line, such as a name, a title, a tag or a reason, stands amid other text. Limit.Line keeps it from
// changing how that is shown. A text of several lines, such as a content, a comment or a summary, is stored as it was
// written: clients show it apart, and marks of direction end with its last paragraph. What people say of themselves stands beside
// their names, so Limit.Lines keeps the rules of Line for it.
package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences that several checks return. Clients of Django REST framework know them.
const (
	Required = "This field is required."
	Blank    = "This field may not be blank."
	Null     = "This field may not be null."
)

// NoChoice returns the sentence about a value that is none of the choices, which it names.
func NoChoice[T any](value any, choices ...T) string {
	return fmt.Sprintf("“%v” is not a valid choice. Use one of: %s.", value, Joined(choices, ", "))
}

// Joined returns the values with the separator between them.
func Joined[T any](values []T, separator string) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v)
	}
	return strings.Join(texts, separator)
}

// Limit bounds a text. A zero bound does not limit.
type Limit struct {
	Chars int // Unicode code points
	Bytes int // bytes of its UTF-8
}

// SearchLimit bounds what is searched for.
var SearchLimit = Limit{Chars: 100}

// Problem returns the sentence about an invalid text, or an empty text.
func (l Limit) Problem(s string) string {
	switch {
	case !utf8.ValidString(s):
		return "Text must be valid UTF-8."
	case strings.IndexByte(s, 0) >= 0:
		return "Null characters are not allowed."
	case l.Bytes > 0 && len(s) > l.Bytes:
		return fmt.Sprintf("Ensure this field has no more than %d bytes.", l.Bytes)
	case l.Chars > 0 && len(s) > l.Chars && utf8.RuneCountInString(s) > l.Chars:
		return fmt.Sprintf("Ensure this field has no more than %d characters.", l.Chars)
	}
	return ""
}

// RequiredProblem is Problem for a text that must not be blank.
func (l Limit) RequiredProblem(s string) string {
	if p := l.Problem(s); p != "" {
		return p
	}
	if IsBlank(s) {
		return Blank
	}
	return ""
}

// Trim removes white space from both ends. It is for titles, tags and names (GEN-08),
// never for contents or passwords.
func Trim(s string) string { return strings.TrimSpace(s) }

// IsBlank reports whether the text has no visible character. White space, control characters and those that
// Unicode calls ignorable are invisible: joiners, direction marks, fillers, variation selectors. So are the few
// characters whose glyph is empty. A combining mark without a base is visible. Invisible characters stay in a
// text that has a visible one, because scripts and emoji need them.
func IsBlank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !isInvisible(r) })
}

// isInvisible reports whether the character alone draws nothing.
func isInvisible(r rune) bool {
	switch {
	case r > ' ' && r < unicode.MaxASCII: // MaxASCII itself is a control character
		return false
	case r == brailleBlank || r == nullNotehead || r == khitanFiller:
		return true
	}
	return unicode.IsSpace(r) || unicode.IsControl(r) || IsIgnorable(r)
}

// IsIgnorable reports whether texts are the same with and without the character, as Unicode says: a joiner, a mark of
// direction, a filler or a variation selector. The format characters that Unicode calls prepended concatenation
// marks have a glyph, such as the Arabic number sign.
func IsIgnorable(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// The characters with an empty glyph that no property of Unicode names.
const (
	brailleBlank = '\u2800'
	nullNotehead = '\U0001d159'
	khitanFiller = '\U00016fe4'
)

// isFormat reports whether the character is a format character (zero-width space and
// joiners, byte order mark, direction marks) or a control character.
func isFormat(r rune) bool { return unicode.Is(unicode.Cf, r) || unicode.IsControl(r) }
