package text

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxMarks is how many nonspacing marks may follow one another. No orthography needs more. More of them are drawn over
// the lines above and below.
const maxMarks = 4

// Composed returns the text in Unicode's form NFC, in which two texts that look alike, such as é as one
// character or as two, are equal.
func Composed(s string) string { return norm.NFC.String(s) }

// Line returns a text of one line in its stored form: trimmed and composed.
func Line(s string) string { return Composed(Trim(s)) }

// Line puts a text of one line into its stored form. It returns the sentence about an invalid one, or an empty text. The
// stored form must be within the limit, and empty or visible. It has no character that IsOfLine excludes, and at most
// maxMarks nonspacing marks in a row. What is stored already is not checked.
func (l Limit) Line(s *string) string {
	*s = Line(*s)
	return l.shownProblem(*s, IsOfLine, "Write one line without control characters.")
}

// lineEnds replaces other line breaks by \n.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Lines is Line for a text of several lines, which in the stored form are separated by \n.
func (l Limit) Lines(s *string) string {
	*s = Line(lineEnds.Replace(*s))
	isAllowed := func(r rune) bool { return r == '\n' || IsOfLine(r) }
	return l.shownProblem(*s, isAllowed, "Control characters other than line breaks are not allowed.")
}

// shownProblem returns the sentence about a text that the limit or Line excludes, or an empty text. Without isAllowed, a character is
// answered with the sentence about control characters.
func (l Limit) shownProblem(s string, isAllowed func(rune) bool, control string) string {
	if p := l.Problem(s); p != "" {
		return p
	}
	marks := 0
	for _, r := range s {
		switch {
		case isDirection(r):
			return "Characters that change the direction of the text around them are not allowed."
		case !isAllowed(r):
			return control
		case unicode.In(r, unicode.Mn, unicode.Me):
			marks++
		case !IsIgnorable(r):
			marks = 0
		}
		if marks > maxMarks {
			return fmt.Sprintf("A letter may have at most %d marks.", maxMarks)
		}
	}
	if s != "" && IsBlank(s) {
		return Blank
	}
	return ""
}

// RequiredLine is Line for a text that must not be empty.
func (l Limit) RequiredLine(s *string) string {
	p := l.Line(s)
	if p == "" && *s == "" {
		p = Blank
	}
	return p
}

// IsOfLine reports whether a text of one line may have the character. Control characters, separators of lines and
// paragraphs, embeddings, overrides and isolates of direction may not be there, nor what Unicode calls no character.
func IsOfLine(r rune) bool {
	return !unicode.IsControl(r) && !unicode.In(r, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point) && !isDirection(r)
}

// isDirection reports whether the character embeds, overrides or isolates the direction of a text, or ends that. Without
// its end it turns what follows the text. Marks of direction only order the characters beside them, and names of
// languages that are written from right to left need them.
func isDirection(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}
