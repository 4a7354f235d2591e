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
	case strings.ContainsRune(s, 0):
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
func Trim(s string) string { return strings.TrimFunc(s, unicode.IsSpace) }

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

// IsBlank reports whether the text has no visible character: only white space (the
// no-break space included) and characters without a width.
func IsBlank(s string) bool {
	for _, r := range s {
		if !unicode.IsSpace(r) && !invisible(r) {
			return false
		}
	}
	return true
}

// HasControl reports whether the text has a control character, a line's end among them.
func HasControl(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }

// invisible reports whether the character is a format character (zero-width space and
// joiners, byte order mark, direction marks) or a control character.
func invisible(r rune) bool { return unicode.Is(unicode.Cf, r) || unicode.IsControl(r) }
