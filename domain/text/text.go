// Package text holds the rules for every text that a client writes: it is valid UTF-8
// without a NUL character and within its limit, and it is blank if it has no visible
// character.
package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Sentences that several checks return. Clients of Django REST framework know them.
const (
	Required = "This field is required."
	Blank    = "This field may not be blank."
	Null     = "This field may not be null."
)

// NoChoice returns the sentence about a value that is none of the choices, which it names.
func NoChoice[T any](value any, choices ...T) string {
	names := make([]string, len(choices))
	for i, c := range choices {
		names[i] = fmt.Sprint(c)
	}
	return fmt.Sprintf("“%v” is not a valid choice. Use one of: %s.", value, strings.Join(names, ", "))
}

// Limit bounds a text. A zero bound does not limit.
type Limit struct {
	Chars int // Unicode code points
	Bytes int // bytes of its UTF-8
}

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

// Composed returns the text in Unicode's form NFC, in which two texts that look alike, such as é as one
// character or as two, are equal.
func Composed(s string) string { return norm.NFC.String(s) }

// Folded returns the text in a form in which two texts are equal that differ in case, in width or in white space
// alone: NFKC, case folded, trimmed, with one space in place of inner white space.
func Folded(s string) string {
	fold := cases.Fold()
	s = norm.NFKC.String(fold.String(norm.NFKC.String(fold.String(norm.NFD.String(s)))))
	return strings.Join(strings.Fields(s), " ")
}

// IsBlank reports whether the text has no visible character. White space, control characters and those that
// Unicode calls ignorable are invisible: joiners, direction marks, fillers, variation selectors. So are the few
// characters whose glyph is empty. A combining mark without a base is visible. Invisible characters stay in a
// text that has a visible one, because scripts and emoji need them.
func IsBlank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !isInvisible(r) })
}

// isInvisible reports whether the character alone draws nothing. The format characters that Unicode calls
// prepended concatenation marks have a glyph, such as the Arabic number sign.
func isInvisible(r rune) bool {
	switch {
	case r > ' ' && r < unicode.MaxASCII: // MaxASCII itself is a control character
		return false
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	case r == brailleBlank || r == nullNotehead || r == khitanFiller:
		return true
	}
	return isFormat(r) || unicode.In(r, unicode.White_Space, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// The characters with an empty glyph that no property of Unicode names.
const (
	brailleBlank = '\u2800'
	nullNotehead = '\U0001d159'
	khitanFiller = '\U00016fe4'
)

// HasControl reports whether the text has a control character, a line's end among them.
func HasControl(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }

// isFormat reports whether the character is a format character (zero-width space and
// joiners, byte order mark, direction marks) or a control character.
func isFormat(r rune) bool { return unicode.Is(unicode.Cf, r) || unicode.IsControl(r) }
